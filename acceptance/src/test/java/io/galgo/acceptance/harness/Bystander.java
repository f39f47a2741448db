package io.galgo.acceptance.harness;

import io.galgo.acceptance.wire.Code;
import io.galgo.acceptance.wire.Confirmation;
import io.galgo.acceptance.wire.Partitioning;
import io.galgo.acceptance.wire.Polled;
import io.galgo.acceptance.wire.RawClient;
import io.galgo.acceptance.wire.Strategy;
import java.io.IOException;

/// A well-behaved client that is connected while others misbehave, and must not notice.
public final class Bystander implements AutoCloseable {
    private static final String TOPIC = "events";

    private final RawClient client;
    private final String stream;
    private long sent;

    public Bystander(ServerProcess server) throws IOException {
        client = server.client();
        stream = SharedServer.newName("bystander");
        client.createStream(stream);
        client.createTopic(stream, TOPIC, 1);
        mustBeUnharmed();
    }

    /// Pings, sends, and reads back all that it sent so far.
    public void mustBeUnharmed() throws IOException {
        if (!client.ask(Code.PING, new byte[0]).isOk()) {
            throw new AssertionError("the bystander's ping was refused");
        }
        Confirmation place = client.send(stream, TOPIC, Partitioning.to(0), text(sent));
        if (place.baseOffset() != sent) {
            throw new AssertionError("the bystander's message " + sent + " got offset " + place.baseOffset());
        }
        sent++;
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

    private static String text(long number) {
        return "bystander's message " + number;
    }

    @Override
    public void close() {
        client.close();
    }
}
