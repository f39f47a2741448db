package io.galgo.server.disk;

import io.galgo.storage.disk.Completion;
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

/// The names below the data directory, for both disks: what is there, what it is called, and that it stays.
///
/// What takes time runs on a helper thread, and its completion on the shard's.
final class DataFolder {
    private final Path root;
    private final Executor shard;
    private final Executor helper;
    private final Consumer<String> warnings;

    /// @param root the data directory
    /// @param shard runs completions
    /// @param helper runs what takes time, in order
    /// @param warnings hears what could not be removed
    DataFolder(Path root, Executor shard, Executor helper, Consumer<String> warnings) {
        this.root = root;
        this.shard = shard;
        this.helper = helper;
        this.warnings = warnings;
    }

    /// Where a path of the core is on this machine. It must stay inside the data directory.
    Path resolve(String path) {
        Path resolved = root.resolve(path).normalize();
        if (!resolved.startsWith(root)) {
            throw new IllegalArgumentException("a path leaves the data directory: " + path);
        }
        return resolved;
    }

    boolean exists(String path) {
        return Files.exists(resolve(path));
    }

    List<String> list(String directory) {
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

    void createDirectories(String directory) {
        Path folder = resolve(directory);
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw Faults.exceptionOf("mkdir", directory, folder, failed);
        }
    }

    void rename(String source, String target) {
        Path from = resolve(source);
        try {
            Files.move(from, resolve(target), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException failed) {
            throw Faults.exceptionOf("rename", source, from, failed);
        }
    }

    void removeLater(String path) {
        Path doomed = resolve(path);
        if (doomed.equals(root)) {
            throw new IllegalArgumentException("the data directory itself is not removed");
        }
        helper.execute(() -> {
            try {
                Removal.removeAll(doomed);
            } catch (IOException failed) {
                warnings.accept("not removed: " + Faults.ofException("remove", path, doomed, failed));
            }
        });
    }

    void syncDirectory(String directory, Completion done) {
        helper.execute(() -> {
            DiskFault fault = syncFault(directory);
            shard.execute(() -> done.onComplete(0, fault));
        });
    }

    void syncDirectoryNow(String directory) {
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
}
