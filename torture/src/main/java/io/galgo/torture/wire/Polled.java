package io.galgo.torture.wire;

import java.util.List;

/// What a poll returned.
///
/// @param currentOffset offset of the partition's last committed message, 0 when it is empty
public record Polled(long partition, long currentOffset, List<PolledMessage> messages) {
    static Polled of(byte[] body) {
        Fields fields = new Fields(body);
        long partition = fields.u32();
        long currentOffset = fields.u64();
        long count = fields.u32();
        List<PolledMessage> messages = Batch.decode(body, fields.position(), partition);
        if (messages.size() != count) {
            throw new AssertionError("messages_count says " + count + ", the batches hold " + messages.size());
        }
        return new Polled(partition, currentOffset, messages);
    }

    public List<Long> offsets() {
        return messages.stream().map(PolledMessage::offset).toList();
    }

    public List<String> texts() {
        return messages.stream().map(PolledMessage::text).toList();
    }
}
