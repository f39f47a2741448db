package io.galgo.protocol.request;

import org.jspecify.annotations.Nullable;

/// How the files in a snapshot archive are packed (spec protocol 8.1.3).
public enum SnapshotCompression {
    STORED(1),
    DEFLATED(2),
    BZIP2(3),
    ZSTD(4),
    LZMA(5),
    XZ(6);

    private static final SnapshotCompression[] COMPRESSIONS = values();

    private final int value;

    SnapshotCompression(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    public static @Nullable SnapshotCompression of(int value) {
        return 1 <= value && value <= COMPRESSIONS.length ? COMPRESSIONS[value - 1] : null;
    }
}
