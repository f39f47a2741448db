package io.galgo.server.disk;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A disk but for the content of its files, which both kinds reach in their own way: the names below the data
/// directory, what is there, what it is called, and that it stays.
///
/// What takes time runs on a thread of the node, and its completion on the shard's.
abstract sealed class DataFolder implements Disk permits RingDisk, FileChannelDisk {
    // Removals have a thread of their own: to unlink a large topic takes seconds, and appends wait for syncs.

    private final Path root;
    private final Executor shard;
    private final Executor syncs;
    private final Executor removals;
    private final Consumer<String> warnings;

    /// @param root the data directory
    /// @param shard runs completions
    /// @param syncs runs syncs of directories
    /// @param removals runs removals
    /// @param warnings hears what could not be removed
    DataFolder(Path root, Executor shard, Executor syncs, Executor removals, Consumer<String> warnings) {
        this.root = root;
        this.shard = shard;
        this.syncs = syncs;
        this.removals = removals;
        this.warnings = warnings;
    }

    /// Where a path of the core is on this machine. It must stay inside the data directory.
    final Path resolve(String path) {
        Path resolved = root.resolve(path).normalize();
        if (!resolved.startsWith(root)) {
            throw new IllegalArgumentException("a path leaves the data directory: " + path);
        }
        return resolved;
    }

    @Override
    public final boolean exists(String path) {
        return Files.exists(resolve(path));
    }

    @Override
    public final List<String> list(String directory) {
        List<String> names = new ArrayList<>();
        Path folder = resolve(directory);
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                names.add(String.valueOf(entry.getFileName()));
            }
        } catch (NoSuchFileException | NotDirectoryException missing) {
            return names;
        } catch (IOException failed) {
            throw Faults.exceptionOf("list", directory, folder, failed);
        }
        Collections.sort(names);
        return names;
    }

    @Override
    public final void createDirectories(String directory) {
        Path folder = resolve(directory);
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw Faults.exceptionOf("mkdir", directory, folder, failed);
        }
    }

    @Override
    public final void rename(String source, String target) {
        Path from = resolve(source);
        try {
            Files.move(from, resolve(target), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw Faults.exceptionOf("rename", source, from, failed);
        }
    }

    @Override
    public final void removeLater(String path) {
        Path doomed = resolve(path);
        if (doomed.equals(root)) {
            throw new IllegalArgumentException("the data directory itself is not removed");
        }
        removals.execute(() -> {
            try {
                Removal.removeAll(doomed);
            } catch (IOException failed) {
                warnings.accept("not removed: " + Faults.ofException("remove", path, doomed, failed));
            }
        });
    }

    @Override
    public final void syncDirectory(String directory, Completion done) {
        syncs.execute(() -> {
            DiskFault fault = syncFault(directory);
            shard.execute(() -> done.onComplete(0, fault));
        });
    }

    @Override
    public final void syncDirectoryNow(String directory) {
        DiskFault fault = syncFault(directory);
        if (fault != null) {
            throw new DiskException(fault);
        }
    }

    private @Nullable DiskFault syncFault(String directory) {
        Path folder = resolve(directory);
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
            return null;
        } catch (IOException failed) {
            return Faults.ofException("sync", directory, folder, failed);
        }
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + root + "]";
    }
}
