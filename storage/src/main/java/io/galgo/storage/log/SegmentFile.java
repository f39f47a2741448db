package io.galgo.storage.log;

import io.galgo.storage.disk.DiskFile;
import org.jspecify.annotations.Nullable;

/// A file that [LogStorage] opens when it is wanted and closes when handles are short.
final class SegmentFile {
    final String path;

    @Nullable DiskFile handle;

    int pins;
    boolean isRemoved;

    // Links of the storage's list of files that are open and not pinned.
    @Nullable SegmentFile older;

    @Nullable SegmentFile newer;

    SegmentFile(String path) {
        this.path = path;
    }
}
