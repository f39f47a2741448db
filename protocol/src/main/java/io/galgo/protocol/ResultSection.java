package io.galgo.protocol;

import java.nio.ByteBuffer;

/// The beginning of the body of a result-framed reply (spec protocol 2.8).
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | count: 0 success, 1 rejected |
/// | 4 | 4 | index of the failing part, 0; only when rejected |
/// | 8 | 4 | error code; only when rejected |
///
/// A success is followed by its payload, a rejection by nothing. Access is absolute, the byte order little-endian.
public final class ResultSection {
    public static final int SUCCESS_BYTES = 4;
    public static final int REJECTION_BYTES = 12;
    /// What [#error] returns for bytes that are no result section.
    public static final int MALFORMED = -1;

    private ResultSection() {}

    public static void writeSuccess(ByteBuffer body, int position) {
        body.putInt(position, 0);
    }

    public static void writeRejection(ByteBuffer body, int position, ErrorCode code) {
        body.putInt(position, 1);
        body.putInt(position + 4, 0);
        body.putInt(position + 8, code.code());
    }

    /// 0 for a success, whose payload begins [#SUCCESS_BYTES] further; else the code of the rejection, or
    /// [#MALFORMED].
    ///
    /// @param length bytes of the body
    public static int error(ByteBuffer body, int position, int length) {
        if (length < SUCCESS_BYTES) {
            return MALFORMED;
        }
        int count = FrameHeader.u32(body, position);
        if (count == 0) {
            return 0;
        }
        if (count != 1 || length < REJECTION_BYTES) {
            return MALFORMED;
        }
        int code = FrameHeader.u32(body, position + 8);
        return code == 0 ? MALFORMED : code;
    }
}
