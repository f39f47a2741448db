package io.galgo.simulator.check;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Messages that a producer wants to have in a topic: what they are, and how often they may be there.
///
/// Its number is in the id of every message, and everything else about a message follows from that, so whoever
/// reads one knows which it should be.
public final class Sending {
    /// Any partition of the topic, the same one as long as there are as many.
    public static final int ANY_PARTITION = -1;
    /// Any partition of the topic, each time another one.
    public static final int IN_TURN = -2;

    /// One way in which the server may have got it: repeats under one client id and number, in one life of the
    /// process, count once.
    ///
    /// @param turn 0, or counted up where each repeat may go to another partition, which does not know of the
    ///     others
    record Attempt(ClientId client, long number, int life, int turn) {}

    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    public final long number;
    public final int messagesCount;
    final Identifier stream;
    final Identifier topic;
    final int partition;
    private final int payloadBytesMax;
    private int turns;
    private boolean hasMoved;
    /// Answers that are still to come, by attempt: while there are none and none was good, it cannot be anywhere.
    final Map<Attempt, Integer> open = new LinkedHashMap<>();
    /// What it was transmitted to, when that was known: nothing confirmed before may come behind it.
    @Nullable Floor floor;

    int acknowledgements;

    /// @param incarnation where
    /// @param offset the highest that had been told when this was sent first
    record Floor(Incarnations.Incarnation incarnation, long offset) {}

    /// @param number more than 0, given once
    /// @param partition [#ANY_PARTITION] or [#IN_TURN] when the server chooses
    public Sending(
            long number, Identifier stream, Identifier topic, int partition, int messagesCount, int payloadBytesMax) {
        this.number = number;
        this.stream = stream;
        this.topic = topic;
        this.partition = partition;
        this.messagesCount = messagesCount;
        this.payloadBytesMax = payloadBytesMax;
    }

    /// Whether repeats may have gone to different partitions, which do not know of each other.
    boolean hasMoved() {
        return hasMoved;
    }

    boolean isPinned() {
        return partition >= 0;
    }

    /// The batch as a producer makes it.
    public ByteBuffer batch() {
        int length = BatchHeader.BYTES;
        for (int i = 0; i < messagesCount; i++) {
            length += MessageFrame.HEADER_BYTES + payloadBytes(i);
        }
        ByteBuffer batch = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        BatchHeader.write(batch, 0, 0, 0, 0, 1_600_000_000_000_000L + number, length, messagesCount);
        int at = BatchHeader.BYTES;
        for (int i = 0; i < messagesCount; i++) {
            int bytes = payloadBytes(i);
            MessageFrame.write(batch, at, number, i + 1L, i, 0, 0, bytes);
            int payload = MessageFrame.payloadPosition(at);
            for (int b = 0; b < bytes; b++) {
                batch.put(payload + b, payloadByte(i, b));
            }
            MessageFrame.stampChecksum(batch, at);
            at += MessageFrame.HEADER_BYTES + bytes;
        }
        BatchHeader.checksum(batch, 0, new BatchChecksum().of(batch, 0));
        return batch;
    }

    int payloadBytes(int index) {
        return (int) Long.remainderUnsigned(mixed(index), payloadBytesMax + 1L);
    }

    byte payloadByte(int index, int at) {
        return (byte) ((mixed(index) >>> ((at & 7) * 8)) ^ (at >>> 3));
    }

    private long mixed(int index) {
        long mixed = (number * 1_000_003 + index) * MIX;
        mixed = (mixed ^ (mixed >>> 31)) * MIX;
        return mixed ^ (mixed >>> 29);
    }

    /// @param partitionsCount how many the topic has now, on which it depends where a key belongs
    void onTransmitted(ClientId client, long requestNumber, int life, int partitionsCount) {
        turns++;
        int turn = partition == IN_TURN ? turns : partition == ANY_PARTITION ? partitionsCount : 0;
        hasMoved |= !open.isEmpty() && open.keySet().iterator().next().turn != turn;
        open.merge(new Attempt(client, requestNumber, life, turn), 1, Integer::sum);
    }

    /// A transmission had no effect and will have none.
    void onRefused(ClientId client, long requestNumber, int life) {
        Attempt refused = null;
        for (Attempt attempt : open.keySet()) {
            if (attempt.client.equals(client) && attempt.number == requestNumber && attempt.life == life) {
                refused = attempt;
                break;
            }
        }
        if (refused != null) {
            open.computeIfPresent(refused, (_, count) -> count > 1 ? count - 1 : null);
        }
    }

    /// How often it may be somewhere.
    int copiesMax() {
        return open.size();
    }

    @Override
    public String toString() {
        return "sending " + number + " of " + messagesCount + " messages to " + stream + "/" + topic
                + (isPinned() ? "/" + partition : partition == IN_TURN ? " in turn" : "");
    }
}
