package io.galgo.torture.wire;

/// Where a send went.
public record Confirmation(long stream, long topic, long partition, long baseOffset) {
    static Confirmation of(byte[] body) {
        Fields fields = new Fields(body);
        long count = fields.u32();
        if (count != 1) {
            throw new AssertionError("a send was confirmed with " + count + " entries");
        }
        Confirmation confirmation = new Confirmation(fields.u32(), fields.u32(), fields.u32(), fields.u64());
        fields.mustEnd();
        return confirmation;
    }
}
