package io.galgo.protocol;

import org.jspecify.annotations.Nullable;

/// Why a session or login ends (spec protocol 3.6): the last byte of an eviction frame.
public enum EvictionReason {
    NO_SESSION(1, ErrorCode.UNAUTHENTICATED),
    CLIENT_RELEASE_TOO_LOW(2, ErrorCode.INVALID_COMMAND),
    CLIENT_RELEASE_TOO_HIGH(3, ErrorCode.INVALID_COMMAND),
    INVALID_REQUEST_OPERATION(4, ErrorCode.INVALID_COMMAND),
    INVALID_REQUEST_BODY(5, ErrorCode.INVALID_COMMAND),
    INVALID_REQUEST_BODY_SIZE(6, ErrorCode.INVALID_COMMAND),
    SESSION_TOO_LOW(7, ErrorCode.UNAUTHENTICATED),
    SESSION_RELEASE_MISMATCH(8, ErrorCode.UNAUTHENTICATED),
    INVALID_CREDENTIALS(9, ErrorCode.INVALID_CREDENTIALS),
    INVALID_TOKEN(10, ErrorCode.INVALID_PERSONAL_ACCESS_TOKEN),
    USER_INACTIVE(11, ErrorCode.UNAUTHENTICATED),
    SESSION_ERROR(12, ErrorCode.UNAUTHENTICATED),
    STALE_CLIENT(13, ErrorCode.STALE_CLIENT),
    INCOMPATIBLE_PROTOCOL(14, ErrorCode.INCOMPATIBLE_PROTOCOL_VERSION),
    MALFORMED_LOGIN(15, ErrorCode.INVALID_FORMAT);

    private static final EvictionReason[] REASONS = values();

    private final int value;
    private final ErrorCode clientError;

    EvictionReason(int value, ErrorCode clientError) {
        this.value = value;
        this.clientError = clientError;
    }

    /// The byte on the wire, 1..15.
    public int value() {
        return value;
    }

    /// What client libraries report to their callers.
    public ErrorCode clientError() {
        return clientError;
    }

    /// The reason of a byte, or null for 0 and unknown ones, which clients report as [ErrorCode#INVALID_COMMAND].
    public static @Nullable EvictionReason of(int value) {
        return 1 <= value && value <= REASONS.length ? REASONS[value - 1] : null;
    }
}
