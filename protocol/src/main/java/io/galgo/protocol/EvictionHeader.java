package io.galgo.protocol;

import java.nio.ByteBuffer;

/// An eviction frame, which is a header and no more (spec protocol 2.4).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 128 | [FrameHeader], size 256 |
/// | 128 | 16 | client id, not 0 |
/// | 144 | 4 | newest accepted protocol version, for reason 14, else 0 |
/// | 148 | 4 | oldest accepted protocol version, for reason 14, else 0 |
/// | 152 | 103 | reserved |
/// | 255 | 1 | reason |
public final class EvictionHeader {
    private static final int CLIENT = 128;
    private static final int VERSION_NEWEST = 144;
    private static final int VERSION_OLDEST = 148;
    private static final int RESERVED = 152;
    private static final int REASON = 255;

    private EvictionHeader() {}

    public static long clientLow(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + CLIENT);
    }

    public static long clientHigh(ByteBuffer frame, int position) {
        return FrameHeader.u64(frame, position + CLIENT + 8);
    }

    public static int versionNewest(ByteBuffer frame, int position) {
        return FrameHeader.u32(frame, position + VERSION_NEWEST);
    }

    public static int versionOldest(ByteBuffer frame, int position) {
        return FrameHeader.u32(frame, position + VERSION_OLDEST);
    }

    /// The reason byte; see [EvictionReason#of].
    public static int reason(ByteBuffer frame, int position) {
        return FrameHeader.u8(frame, position + REASON);
    }

    /// Whether all reserved bytes are 0, as strict readers demand.
    public static boolean isReservedZero(ByteBuffer frame, int position) {
        long bits = FrameHeader.u64(frame, position + 62);
        for (int i = 64; i < CLIENT; i += 8) {
            bits |= FrameHeader.u64(frame, position + i);
        }
        for (int i = RESERVED; i + 8 <= REASON; i += 8) {
            bits |= FrameHeader.u64(frame, position + i);
        }
        return (bits | FrameHeader.u64(frame, position + REASON - 8)) == 0;
    }

    /// Writes the whole frame. The version window goes along with [EvictionReason#INCOMPATIBLE_PROTOCOL].
    public static void write(ByteBuffer frame, int position, ClientId client, EvictionReason reason) {
        FrameHeader.start(frame, position, FrameHeader.BYTES, FrameHeader.COMMAND_EVICTION);
        frame.putLong(position + CLIENT, client.low());
        frame.putLong(position + CLIENT + 8, client.high());
        if (reason == EvictionReason.INCOMPATIBLE_PROTOCOL) {
            frame.putInt(position + VERSION_NEWEST, ProtocolVersion.CURRENT);
            frame.putInt(position + VERSION_OLDEST, ProtocolVersion.OLDEST);
        }
        frame.put(position + REASON, (byte) reason.value());
    }
}
