package io.galgo.server.snapshot;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/// A stream that ends with a fault when it gets longer than it may.
final class LimitedOutput extends FilterOutputStream {
    private final long bytesMax;
    private long bytes;

    /// More was written than may be.
    static final class Exceeded extends IOException {
        private static final long serialVersionUID = 1L;

        Exceeded(long bytesMax) {
            super("longer than " + bytesMax + " bytes");
        }
    }

    LimitedOutput(OutputStream target, long bytesMax) {
        super(target);
        this.bytesMax = bytesMax;
    }

    @Override
    public void write(int value) throws IOException {
        claim(1);
        out.write(value);
    }

    @Override
    public void write(byte[] source, int position, int length) throws IOException {
        claim(length);
        out.write(source, position, length);
    }

    private void claim(int more) throws Exceeded {
        bytes += more;
        if (bytes > bytesMax) {
            throw new Exceeded(bytesMax);
        }
    }
}
