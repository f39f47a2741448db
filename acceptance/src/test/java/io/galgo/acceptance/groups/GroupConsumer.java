package io.galgo.acceptance.groups;

import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// One connection that is a member of groups and consumes for them, as published clients do. Confined to one
/// thread.
final class GroupConsumer {
    private static final long NOT_OWNED = 0xFFFF_FFFFL;

    private final RawClient client;
    private final String stream;
    private final String topic;

    GroupConsumer(RawClient client, String stream, String topic) {
        this.client = client;
        this.stream = stream;
        this.topic = topic;
    }

    RawClient client() {
        return client;
    }

    private byte[] groupBody(GroupLedger ledger) {
        return Body.of().id(stream).id(topic).id(ledger.group()).toBytes();
    }

    void join(GroupLedger ledger) throws IOException {
        mustBeOk("a join", client.persist(Operation.JOIN_GROUP, groupBody(ledger)));
    }

    void leave(GroupLedger ledger) throws IOException {
        mustBeOk("leaving", client.persist(Operation.LEAVE_GROUP, groupBody(ledger)));
    }

    /// The partitions that this member may poll; it must be one.
    List<Integer> sync(GroupLedger ledger) throws IOException {
        ReplyFrame reply = client.ask(Code.SYNC_GROUP, groupBody(ledger));
        mustBeOk("a sync", reply);
        Fields fields = new Fields(reply.body());
        if (!fields.hasMore()) {
            throw new AssertionError("a member of " + ledger.group() + " is none");
        }
        fields.u64();
        long count = fields.u32();
        List<Integer> partitions = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            partitions.add((int) fields.u32());
        }
        fields.mustEnd();
        return partitions;
    }

    /// Polls each partition that this member may poll once, and stores what it got.
    ///
    /// @return messages received
    int consume(GroupLedger ledger, SplittableRandom random) throws IOException {
        int received = 0;
        for (int partition : sync(ledger)) {
            long storedBefore = ledger.stored(partition);
            ReplyFrame reply = client.ask(
                    Code.POLL,
                    RawClient.pollBody(
                            Body.of().u8(2).id(ledger.group()),
                            stream,
                            topic,
                            partition,
                            Strategy.next(),
                            1 + random.nextInt(50),
                            ledger.isExact()));
            if (reply.outcome().equals("DENY 58")) {
                continue;
            }
            mustBeOk("a poll", reply);
            if (new Fields(reply.body()).u32() == NOT_OWNED) {
                continue;
            }
            List<PolledMessage> messages = RawClient.polled(reply).messages();
            for (PolledMessage message : messages) {
                ledger.onDelivered(partition, message.offset(), storedBefore);
            }
            received += messages.size();
            if (!messages.isEmpty() && !ledger.isExact()) {
                store(ledger, partition, messages.getLast().offset());
            }
        }
        return received;
    }

    private void store(GroupLedger ledger, int partition, long offset) throws IOException {
        byte[] body = Body.of()
                .u8(2)
                .id(ledger.group())
                .id(stream)
                .id(topic)
                .partition(partition)
                .u64(offset)
                .u8(1)
                .toBytes();
        ReplyFrame reply = client.persist(Operation.STORE_OFFSET, body);
        if (!reply.outcome().equals("DENY 5009")) {
            mustBeOk("a store", reply);
            ledger.onStored(partition, offset);
        }
    }

    private static void mustBeOk(String what, ReplyFrame reply) {
        if (!reply.isOk()) {
            throw new AssertionError(what + " was answered with " + reply.outcome());
        }
    }
}
