package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.util.Arrays;

/// How a send names its partition (spec protocol 5.5): kind, length in 8 bits, value.
public sealed interface Partitioning {
    int KIND_BALANCED = 1;
    int KIND_PARTITION = 2;
    int KIND_KEY = 3;

    /// The server takes the topic's partitions in turn.
    record Balanced() implements Partitioning {
        private static final Balanced ONLY = new Balanced();

        @Override
        public int encodedBytes() {
            return 2;
        }

        @Override
        public void put(ByteBuffer target) {
            target.put((byte) KIND_BALANCED).put((byte) 0);
        }
    }

    /// @param id the partition, unsigned
    record Partition(int id) implements Partitioning {
        private static final Partition[] SMALL = new Partition[1024];

        static {
            for (int i = 0; i < SMALL.length; i++) {
                SMALL[i] = new Partition(i);
            }
        }

        @Override
        public int encodedBytes() {
            return 6;
        }

        @Override
        public void put(ByteBuffer target) {
            target.put((byte) KIND_PARTITION).put((byte) 4).putInt(id);
        }
    }

    /// Messages of one key go to one partition.
    final class Key implements Partitioning {
        private final byte[] bytes;

        private Key(byte[] bytes) {
            if (bytes.length < 1 || bytes.length > 255) {
                throw new IllegalArgumentException("a key has 1..255 bytes, this one has " + bytes.length);
            }
            this.bytes = bytes;
        }

        /// The key, copied.
        public byte[] bytes() {
            return bytes.clone();
        }

        /// The partition of this key among `partitionsCount`, at least 1: every client and server agrees on it.
        public int partitionIndex(int partitionsCount) {
            return Integer.remainderUnsigned(Checksum.xxh32(bytes), partitionsCount);
        }

        @Override
        public int encodedBytes() {
            return 2 + bytes.length;
        }

        @Override
        public void put(ByteBuffer target) {
            target.put((byte) KIND_KEY).put((byte) bytes.length).put(bytes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "Key[" + bytes.length + " bytes]";
        }
    }

    static Partitioning balanced() {
        return Balanced.ONLY;
    }

    static Partitioning partition(int id) {
        return 0 <= id && id < Partition.SMALL.length ? Partition.SMALL[id] : new Partition(id);
    }

    /// @param bytes 1..255, copied
    static Partitioning key(byte[] bytes) {
        return new Key(bytes.clone());
    }

    /// Reads a partitioning; fails the reader on another kind or a wrong length.
    static Partitioning read(BodyReader in) {
        int kind = in.u8();
        int length = in.u8();
        switch (kind) {
            case KIND_BALANCED -> {
                in.require(length == 0);
                return balanced();
            }
            case KIND_PARTITION -> {
                in.require(length == 4);
                return partition(in.u32());
            }
            case KIND_KEY -> {
                byte[] bytes = in.bytes(length);
                in.require(bytes.length > 0);
                return in.isFailed() ? balanced() : new Key(bytes);
            }
            default -> {
                in.fail();
                return balanced();
            }
        }
    }

    int encodedBytes();

    /// Appends the bytes; the target is little-endian.
    void put(ByteBuffer target);
}
