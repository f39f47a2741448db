package io.galgo.torture.wire;

import java.nio.charset.StandardCharsets;

/// A message as a consumer reads it.
///
/// @param timestamp when the server accepted the batch, in microseconds
/// @param originTimestamp when the producer built the message, in microseconds
@SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
public record PolledMessage(
        long offset, long timestamp, long originTimestamp, byte[] id, byte[] payload, byte[] headers) {
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }
}
