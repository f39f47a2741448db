package io.galgo.protocol;

import java.nio.ByteBuffer;

/// A partition id that may be missing (spec protocol 5.4): flag in 8 bits, id in 32, both always there.
///
/// @param isGiven whether the flag was 1
/// @param id unsigned; 0 when not given
public record OptionalPartition(boolean isGiven, int id) {
    public static final OptionalPartition NONE = new OptionalPartition(false, 0);

    static final int BYTES = 5;

    private static final OptionalPartition[] SMALL = new OptionalPartition[1024];

    static {
        for (int i = 0; i < SMALL.length; i++) {
            SMALL[i] = new OptionalPartition(true, i);
        }
    }

    public OptionalPartition {
        if (!isGiven && id != 0) {
            throw new IllegalArgumentException("a partition that is not given has id " + id);
        }
    }

    public static OptionalPartition of(int id) {
        return 0 <= id && id < SMALL.length ? SMALL[id] : new OptionalPartition(true, id);
    }

    /// The id, or 0 where none was given, which is what a plain consumer reads then.
    public int idOrFirst() {
        return id;
    }

    public static OptionalPartition read(BodyReader in) {
        int flag = in.u8();
        int id = in.u32();
        return flag == 1 ? of(id) : NONE;
    }

    public int encodedBytes() {
        return BYTES;
    }

    /// Appends the bytes; the target is little-endian.
    public void put(ByteBuffer target) {
        target.put((byte) (isGiven ? 1 : 0)).putInt(id);
    }
}
