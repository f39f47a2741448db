package io.galgo.server.snapshot;

import io.galgo.protocol.request.GetSnapshot;
import io.galgo.protocol.request.SnapshotType;
import io.galgo.storage.Incidents;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Makes snapshots of this node, one at a time, each on a thread of its own (spec semantics 18).
///
/// An archive is written to a file in the runtime directory, so that it takes no heap however long the logs are.
/// Any thread may ask.
public final class SnapshotArchives {
    /// What [SnapshotType#ALL] stands for.
    private static final List<SnapshotType> EVERYTHING = List.of(
            SnapshotType.FILESYSTEM_OVERVIEW,
            SnapshotType.PROCESS_LIST,
            SnapshotType.RESOURCE_USAGE,
            SnapshotType.SERVER_LOGS,
            SnapshotType.SERVER_CONFIG);

    private static final String ARCHIVE = "snapshot.zip.new";
    private static final String SECTION = "snapshot.section.new";

    private final Path directory;
    private final Sections sections;
    private final Consumer<String> warnings;
    private final ThreadFactory threads;
    private final AtomicBoolean isBusy = new AtomicBoolean();

    /// @param directory where files may be put while an archive is made
    /// @param configuration the file with the effective configuration
    /// @param logs the directory of log files, null when there are none
    /// @param incidents what has happened to the node
    public SnapshotArchives(
            Path directory, Path configuration, @Nullable Path logs, Incidents incidents, Consumer<String> warnings) {
        this(
                directory,
                configuration,
                logs,
                incidents,
                warnings,
                Thread.ofPlatform().daemon().name("snapshot").factory());
    }

    /// @param threads makes the thread of each archive
    SnapshotArchives(
            Path directory,
            Path configuration,
            @Nullable Path logs,
            Incidents incidents,
            Consumer<String> warnings,
            ThreadFactory threads) {
        this.directory = directory;
        this.sections = new Sections(directory, configuration, logs, incidents);
        this.warnings = warnings;
        this.threads = threads;
    }

    /// Begins an archive.
    ///
    /// @param done hears it, or null, on another thread, once
    /// @return false while another one is being made, or when there is no thread for it
    boolean offer(GetSnapshot request, int bytesMax, Consumer<@Nullable ByteBuffer> done) {
        if (isBusy.getAndSet(true)) {
            return false;
        }
        try {
            threads.newThread(() -> run(request, bytesMax, done)).start();
        } catch (OutOfMemoryError noThread) {
            // Thrown where the machine gives no more threads, which may be over at the next request.
            isBusy.set(false);
            warnings.accept("a snapshot failed: " + noThread.getMessage());
            return false;
        }
        return true;
    }

    private void run(GetSnapshot request, int bytesMax, Consumer<@Nullable ByteBuffer> done) {
        ByteBuffer archive = null;
        try {
            archive = make(request, bytesMax);
        } catch (IOException failed) {
            warnings.accept("a snapshot failed: " + failed);
        } finally {
            isBusy.set(false);
            done.accept(archive);
        }
    }

    /// The archive, backed by a file that nobody else can see.
    private ByteBuffer make(GetSnapshot request, int bytesMax) throws IOException {
        Path path = directory.resolve(ARCHIVE);
        Path part = directory.resolve(SECTION);
        try (FileChannel file = FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            ZipWriter zip = new ZipWriter(file, bytesMax, LocalDateTime.now(ZoneId.systemDefault()));
            Packer packer = new Packer(request.compression());
            for (SnapshotType type : typesOf(request)) {
                Packer.Packed packed = pack(type, packer, part, bytesMax);
                if (packed != null) {
                    zip.add(type.label() + ".txt", packer.zipMethod(), packed, part);
                }
            }
            zip.finish();
            // In memory before the shard copies it: a shard does not wait for a file.
            return file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).load();
        } finally {
            Files.deleteIfExists(path);
            Files.deleteIfExists(part);
        }
    }

    /// What is asked for, in the order in which it is.
    private static List<SnapshotType> typesOf(GetSnapshot request) {
        return request.types().contains(SnapshotType.ALL) ? EVERYTHING : request.types();
    }

    /// @return null when the section failed and is left away
    private Packer.@Nullable Packed pack(SnapshotType type, Packer packer, Path part, int bytesMax) throws IOException {
        try (OutputStream target = new LimitedOutput(Files.newOutputStream(part), bytesMax)) {
            return packer.pack(target, plain -> sections.write(type, plain));
        } catch (LimitedOutput.Exceeded exceeded) {
            throw exceeded;
        } catch (IOException | DirectoryIteratorException failed) {
            warnings.accept("section " + type.label() + " of a snapshot is left away: " + failed.getMessage());
            return null;
        }
    }
}
