package io.galgo.torture.wire;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// A request body, written field by field, little-endian.
public final class Body {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private Body() {}

    public static Body of() {
        return new Body();
    }

    public Body u8(int value) {
        bytes.write(value);
        return this;
    }

    public Body u16(int value) {
        return u8(value).u8(value >>> 8);
    }

    public Body u32(long value) {
        return u16((int) value).u16((int) (value >>> 16));
    }

    public Body u64(long value) {
        return u32(value).u32(value >>> 32);
    }

    public Body raw(byte[] value) {
        bytes.writeBytes(value);
        return this;
    }

    public Body hex(String digits) {
        return raw(HexFormat.of().parseHex(digits.replaceAll("\\s", "")));
    }

    /// A string behind a one-byte length.
    public Body name(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return u8(utf8.length).raw(utf8);
    }

    public Body id(long number) {
        return u8(1).u8(4).u32(number);
    }

    public Body id(String name) {
        return u8(2).name(name);
    }

    public Body consumer(long number) {
        return u8(1).id(number);
    }

    public Body consumer(String name) {
        return u8(1).id(name);
    }

    public Body partition(long partition) {
        return u8(1).u32(partition);
    }

    public Body anyPartition() {
        return u8(0).u32(0);
    }

    public Body strategy(int kind, long value) {
        return u8(kind).u64(value);
    }

    /// A typed field of an options block or of user headers.
    public Body field(int kind, byte[] value) {
        return u8(kind).u32(value.length).raw(value);
    }

    public Body option(String key, int kind, byte[] value) {
        return field(2, key.getBytes(StandardCharsets.UTF_8)).field(kind, value);
    }

    public Body option(String key, String value) {
        return option(key, 2, value.getBytes(StandardCharsets.UTF_8));
    }

    public Body option(String key, long value) {
        return option(key, 12, Body.of().u64(value).toBytes());
    }

    public int length() {
        return bytes.size();
    }

    public byte[] toBytes() {
        return bytes.toByteArray();
    }
}
