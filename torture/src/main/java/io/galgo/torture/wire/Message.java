package io.galgo.torture.wire;

import java.nio.charset.StandardCharsets;

/// A message as a producer builds it.
///
/// @param id 16 bytes
/// @param headers the encoded user headers, empty for none
@SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
public record Message(byte[] id, byte[] payload, byte[] headers) {
    private static final byte[] NONE = {};

    public static Message of(byte[] payload) {
        return new Message(new byte[16], payload, NONE);
    }

    public static Message of(String payload) {
        return of(payload.getBytes(StandardCharsets.UTF_8));
    }
}
