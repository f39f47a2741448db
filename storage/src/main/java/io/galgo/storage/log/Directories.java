package io.galgo.storage.log;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskFault;
import org.jspecify.annotations.Nullable;

/// Makes the way to a file durable: its name, and those of all directories above it, any of which may be as new as
/// the file.
final class Directories {
    private Directories() {}

    /// The directory of a path, the data directory itself for a name alone.
    static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    /// Syncs `directory` and all above it.
    ///
    /// @param done hears the first fault, or none when all is durable
    static void syncUpwards(Disk disk, String directory, Completion done) {
        new Upwards(disk, done).start(directory);
    }

    /// The same, waiting. For start-up and rare changes of shape only.
    static void syncUpwardsNow(Disk disk, String directory) {
        String name = directory;
        while (!name.isEmpty()) {
            disk.syncDirectoryNow(name);
            name = parent(name);
        }
        disk.syncDirectoryNow("");
    }

    private static final class Upwards {
        private final Disk disk;
        private final Completion done;
        private int waiting = 1;
        private @Nullable DiskFault firstFault;

        Upwards(Disk disk, Completion done) {
            this.disk = disk;
            this.done = done;
        }

        void start(String directory) {
            String name = directory;
            while (!name.isEmpty()) {
                waiting++;
                disk.syncDirectory(name, this::onSynced);
                name = parent(name);
            }
            disk.syncDirectory("", this::onSynced);
        }

        private void onSynced(int bytes, @Nullable DiskFault fault) {
            if (firstFault == null) {
                firstFault = fault;
            }
            waiting--;
            if (waiting == 0) {
                done.onComplete(0, firstFault);
            }
        }
    }
}
