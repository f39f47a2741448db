package io.galgo.protocol;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher32;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The hash functions of the protocol (spec protocol 2.5).
public final class Checksum {
    private static final ByteAccess<ByteBuffer> BYTES = ByteAccess.forByteBuffer(ByteOrder.LITTLE_ENDIAN);
    private static final Hasher64 XXH3 = Hashing.xxh3_64();
    private static final Hasher32 XXH32 = Hashing.xxh32();

    private Checksum() {}

    /// XXH3-64, seed 0, of `length` bytes at `position`; the buffer's byte order must be little-endian.
    public static long xxh3(ByteBuffer bytes, int position, int length) {
        return XXH3.hashBytesToLong(bytes, position, length, BYTES);
    }

    /// XXH32, seed 0: the partition of a key, the key of a named consumer.
    public static int xxh32(byte[] bytes) {
        return XXH32.hashBytesToInt(bytes);
    }
}
