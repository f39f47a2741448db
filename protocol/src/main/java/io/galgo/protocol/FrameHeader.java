package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The part that all frame headers share: bytes 0..127 of a frame (spec protocol 2.1).
///
/// | offset | size | field | use on client links |
/// |---|---|---|---|
/// | 0 | 16 | checksum | 0 |
/// | 16 | 16 | checksum_body | 0 |
/// | 32 | 16 | cluster | 0 |
/// | 48 | 4 | size | frame length, header included |
/// | 52 | 4 | view | 0 |
/// | 56 | 4 | release | 0 |
/// | 60 | 1 | command | [#COMMAND_REQUEST], [#COMMAND_REPLY], [#COMMAND_EVICTION] |
/// | 61 | 1 | replica | 0 |
/// | 62 | 66 | reserved | 0 |
///
/// In this class and its siblings, `position` is where the header begins in the buffer; access is absolute, and the
/// buffer's byte order must be little-endian.
public final class FrameHeader {
    /// Every frame begins with a header of this length.
    public static final int BYTES = 256;
    /// The default of the longest frame, header included (2.9).
    public static final int FRAME_BYTES_MAX_DEFAULT = 64 << 20;

    public static final int COMMAND_REQUEST = 5;
    public static final int COMMAND_REPLY = 8;
    public static final int COMMAND_EVICTION = 13;
    /// Larger command bytes are no frame at all (2.6, check 2).
    public static final int COMMAND_MAX = 29;

    static final int SIZE = 48;
    static final int COMMAND = 60;

    private FrameHeader() {}

    /// Length of the whole frame, as unsigned 32 bits.
    public static long size(ByteBuffer frame, int position) {
        return Integer.toUnsignedLong(u32(frame, position + SIZE));
    }

    public static int command(ByteBuffer frame, int position) {
        return u8(frame, position + COMMAND);
    }

    /// Writes zeros over the header, then size and command.
    static void start(ByteBuffer frame, int position, int size, int command) {
        clear(frame, position, BYTES);
        frame.putInt(position + SIZE, size);
        frame.put(position + COMMAND, (byte) command);
    }

    static void clear(ByteBuffer frame, int position, int length) {
        assert isLittleEndian(frame);
        assert (length & 7) == 0 : length;
        for (int i = 0; i < length; i += 8) {
            frame.putLong(position + i, 0);
        }
    }

    static int u8(ByteBuffer frame, int position) {
        return frame.get(position) & 0xFF;
    }

    static int u32(ByteBuffer frame, int position) {
        assert isLittleEndian(frame);
        return frame.getInt(position);
    }

    static long u64(ByteBuffer frame, int position) {
        assert isLittleEndian(frame);
        return frame.getLong(position);
    }

    private static boolean isLittleEndian(ByteBuffer frame) {
        return frame.order() == ByteOrder.LITTLE_ENDIAN;
    }
}
