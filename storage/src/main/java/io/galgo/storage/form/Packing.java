package io.galgo.storage.form;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/// Packs bytes with DEFLATE (RFC 1951, no wrapper) and unpacks them.
///
/// Reusable; one thread at a time. Its native memory goes with it.
final class Packing {
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private final Inflater inflater = new Inflater(true);
    private final byte[] beyond = new byte[1];

    /// Packs what is between position and limit of `source` to the position of `target`, as far as its limit.
    ///
    /// @return the packed length, -1 when it would be longer than the room
    int pack(ByteBuffer source, ByteBuffer target) {
        int begin = target.position();
        deflater.reset();
        deflater.setInput(source);
        deflater.finish();
        deflater.deflate(target);
        boolean isWhole = deflater.finished();
        deflater.reset();
        return isWhole ? target.position() - begin : -1;
    }

    /// Unpacks what is between position and limit of `source` to exactly what is between those of `target`. What
    /// follows the packed bytes is passed over.
    ///
    /// @return false when the bytes are not packed ones, or are those of something longer or shorter
    boolean unpack(ByteBuffer source, ByteBuffer target) {
        inflater.reset();
        inflater.setInput(source);
        try {
            inflater.inflate(target);
            return !target.hasRemaining() && isAtEnd();
        } catch (DataFormatException e) {
            return false;
        } finally {
            inflater.reset();
        }
    }

    /// The end of the stream may come behind its last byte of content.
    private boolean isAtEnd() throws DataFormatException {
        return inflater.finished() || (inflater.inflate(beyond) == 0 && inflater.finished());
    }
}
