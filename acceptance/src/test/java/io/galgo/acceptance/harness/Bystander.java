package io.galgo.acceptance.harness;

import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Confirmation;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.util.List;

/// A well-behaved client that is connected while others misbehave, and must not notice: it sends, reads back, and
/// consumes as the one member of a group.
public final class Bystander implements AutoCloseable {
    private static final String TOPIC = "events";
    private static final String GROUP = "readers";

    private final RawClient client;
    private final String stream;
    private long sent;

    public Bystander(ServerProcess server) throws IOException {
        client = server.client();
        stream = SharedServer.newName("bystander");
        client.createStream(stream);
        client.createTopic(stream, TOPIC, 1);
        if (!Target.current().isReference()) {
            client.succeedWith(Operation.CREATE_GROUP, target().name(GROUP));
            client.succeed(Operation.JOIN_GROUP, target().id(GROUP));
        }
        mustBeUnharmed();
    }

    /// Pings, sends a message and reads it back.
    public void step() throws IOException {
        if (!client.ask(Code.PING, new byte[0]).isOk()) {
            throw new AssertionError("the bystander's ping was refused");
        }
        byte[] body = RawClient.sendBody(stream, TOPIC, Partitioning.to(0), List.of(Message.of(text(sent))));
        Confirmation place = RawClient.confirmationOf(client.persist(Operation.SEND, body));
        if (place.baseOffset() != sent) {
            throw new AssertionError("the bystander's message " + sent + " got offset " + place.baseOffset());
        }
        Polled polled = client.poll(stream, TOPIC, 0, Strategy.offset(sent), 10);
        if (!polled.texts().equals(List.of(text(sent)))) {
            throw new AssertionError("the bystander's message " + sent + " came back as " + polled.texts());
        }
        if (!Target.current().isReference()) {
            consume();
        }
        sent++;
    }

    private Body target() {
        return Body.of().id(stream).id(TOPIC);
    }

    /// The group is served what it was not served yet, which is the message just sent.
    private void consume() throws IOException {
        Body group = Body.of().u8(2).id(GROUP);
        Polled polled = client.poll(group, stream, TOPIC, 0, Strategy.next(), 10, true);
        if (!polled.texts().equals(List.of(text(sent)))) {
            throw new AssertionError("the bystander's group was served " + polled.texts() + " of partition "
                    + polled.partition() + " instead of message " + sent);
        }
        Fields part = new Fields(client.ask(Code.SYNC_GROUP, target().id(GROUP)).body());
        part.u64();
        long count = part.u32();
        if (count != 1 || part.u32() != 0) {
            throw new AssertionError("the bystander owns " + count + " partitions of its group");
        }
    }

    /// Takes a step, then reads everything it ever sent.
    public void mustBeUnharmed() throws IOException {
        step();
        long read = 0;
        while (read < sent) {
            Polled polled = client.poll(stream, TOPIC, 0, Strategy.offset(read), 1000);
            if (polled.messages().isEmpty()) {
                throw new AssertionError("the bystander's messages end at " + read + " of " + sent);
            }
            for (String text : polled.texts()) {
                if (!text.equals(text(read))) {
                    throw new AssertionError("the bystander's message " + read + " reads " + text);
                }
                read++;
            }
        }
    }

    public String stream() {
        return stream;
    }

    public long sentCount() {
        return sent;
    }

    private static String text(long number) {
        return "bystander's message " + number;
    }

    @Override
    public void close() {
        client.close();
    }
}
