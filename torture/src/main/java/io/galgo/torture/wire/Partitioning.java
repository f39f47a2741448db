package io.galgo.torture.wire;

import java.nio.charset.StandardCharsets;

/// Where a send wants its batch: the field's bytes.
@SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
public record Partitioning(byte[] bytes) {
    public static Partitioning balanced() {
        return new Partitioning(Body.of().u8(1).u8(0).toBytes());
    }

    public static Partitioning to(long partition) {
        return new Partitioning(Body.of().u8(2).u8(4).u32(partition).toBytes());
    }

    public static Partitioning key(String key) {
        byte[] utf8 = key.getBytes(StandardCharsets.UTF_8);
        return new Partitioning(Body.of().u8(3).u8(utf8.length).raw(utf8).toBytes());
    }
}
