package io.galgo.storage.log;

import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import org.jspecify.annotations.Nullable;

/// The files of one shard that stay open between their uses, so many at most: the one unused longest is closed for
/// another, and opened again when it is wanted.
///
/// Files in use at a time are not bounded here; the operations in flight bound them. Confined to the shard's
/// thread.
final class OpenFiles {
    /// A file that is opened when it is wanted.
    static final class File {
        private final String path;
        private @Nullable DiskFile handle;
        private int pins;
        private boolean isForgotten;

        // Links of the list of files that are open and not pinned.
        private @Nullable File older;
        private @Nullable File newer;

        File(String path) {
            this.path = path;
        }

        String path() {
            return path;
        }

        /// Whether [OpenFiles#forget] was called: what is found under its path now is another file.
        boolean isForgotten() {
            return isForgotten;
        }
    }

    private final Disk disk;
    private final int openMax;
    private @Nullable File oldest;
    private @Nullable File newest;
    private int openCount;

    /// @param openMax files that may be open at a time, those in use excepted
    OpenFiles(Disk disk, int openMax) {
        this.disk = disk;
        this.openMax = openMax;
    }

    Disk disk() {
        return disk;
    }

    /// Files that are open.
    int openCount() {
        return openCount;
    }

    /// The file's handle, open until it is unpinned as often as it was pinned.
    ///
    /// @param create makes the file when it is missing
    /// @throws DiskException when it cannot be opened
    DiskFile pin(File file, boolean create) {
        DiskFile handle = file.handle;
        if (handle == null) {
            if (file.isForgotten) {
                throw new DiskException(
                        new DiskFault(DiskFault.Kind.NOT_FOUND, "open", file.path, "was removed by this process"));
            }
            closeUnused(openMax - 1);
            handle = disk.open(file.path, create);
            file.handle = handle;
            openCount++;
        } else if (file.pins == 0) {
            unlink(file);
        }
        file.pins++;
        return handle;
    }

    void unpin(File file) {
        Invariant.check(file.pins > 0, "a file is unpinned once for each pin");
        file.pins--;
        if (file.pins > 0) {
            return;
        }
        if (file.isForgotten) {
            close(file);
        } else {
            link(file);
            closeUnused(openMax);
        }
    }

    /// The name is gone or another file's: it is not opened again, and closed when nobody uses it.
    void forget(File file) {
        file.isForgotten = true;
        if (file.handle != null && file.pins == 0) {
            unlink(file);
            close(file);
        }
    }

    private void closeUnused(int limit) {
        while (openCount > limit && oldest != null) {
            File file = oldest;
            unlink(file);
            close(file);
        }
    }

    private void close(File file) {
        DiskFile handle = file.handle;
        if (handle != null) {
            file.handle = null;
            openCount--;
            handle.close();
        }
    }

    private void link(File file) {
        file.older = newest;
        if (newest == null) {
            oldest = file;
        } else {
            newest.newer = file;
        }
        newest = file;
    }

    private void unlink(File file) {
        File older = file.older;
        File newer = file.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        file.older = null;
        file.newer = null;
    }
}
