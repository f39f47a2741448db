package io.galgo.server.disk;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The files of one shard through `FileChannel`s and a small pool of threads: for systems without a usable ring.
///
/// Confined to the shard's thread, like [RingDisk]; the pool's threads touch nothing but channels and buffers.
public final class FileChannelDisk extends DataFolder {
    private final Executor shard;
    private final Executor pool;
    private final Consumer<String> warnings;

    /// @param root the data directory
    /// @param shard runs completions
    /// @param pool runs operations on content
    /// @param syncs runs syncs of directories
    /// @param removals runs removals
    /// @param warnings hears what could not be removed or closed
    public FileChannelDisk(
            Path root, Executor shard, Executor pool, Executor syncs, Executor removals, Consumer<String> warnings) {
        super(root, shard, syncs, removals, warnings);
        this.shard = shard;
        this.pool = pool;
        this.warnings = warnings;
    }

    @Override
    public DiskFile open(String path, boolean create) {
        Path file = resolve(path);
        Set<StandardOpenOption> options = create
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)
                : Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            return new ChannelFile(path, file, FileChannel.open(file, options));
        } catch (IOException failed) {
            throw Faults.exceptionOf("open", path, file, failed);
        }
    }

    /// One blocking operation on a channel.
    private interface Work {
        /// @return bytes transferred
        int run() throws IOException;
    }

    private final class ChannelFile implements DiskFile {
        private final String path;
        private final Path file;
        private final FileChannel channel;
        private int inFlight;
        private boolean isClosed;

        ChannelFile(String path, Path file, FileChannel channel) {
            this.path = path;
            this.file = file;
            this.channel = channel;
        }

        @Override
        public String path() {
            return path;
        }

        private void checkOpen() {
            if (isClosed) {
                throw new IllegalStateException("the file is closed: " + path);
            }
        }

        private void start(String operation, Work work, Completion done) {
            checkOpen();
            inFlight++;
            pool.execute(() -> {
                int bytes = 0;
                DiskFault fault = null;
                try {
                    bytes = work.run();
                } catch (IOException failed) {
                    fault = Faults.ofException(operation, path, file, failed);
                }
                complete(bytes, fault, done);
            });
        }

        private void complete(int bytes, @Nullable DiskFault fault, Completion done) {
            shard.execute(() -> {
                inFlight--;
                closeIfIdle();
                done.onComplete(bytes, fault);
            });
        }

        private int now(String operation, Work work) {
            checkOpen();
            try {
                return work.run();
            } catch (IOException failed) {
                throw Faults.exceptionOf(operation, path, file, failed);
            }
        }

        @Override
        public long size() {
            checkOpen();
            try {
                return channel.size();
            } catch (IOException failed) {
                throw Faults.exceptionOf("size", path, file, failed);
            }
        }

        @Override
        public void read(long position, ByteBuffer target, Completion done) {
            ByteBuffer view = target.duplicate();
            start("read", () -> readAll(position, view), done);
        }

        private int readAll(long position, ByteBuffer target) throws IOException {
            int done = 0;
            while (target.hasRemaining()) {
                int read = channel.read(target, position + done);
                if (read < 0) {
                    break;
                }
                done += read;
            }
            return done;
        }

        @Override
        public void write(long position, ByteBuffer source, Completion done) {
            ByteBuffer view = source.duplicate();
            start("write", () -> writeAll(position, view), done);
        }

        private int writeAll(long position, ByteBuffer source) throws IOException {
            int done = 0;
            while (source.hasRemaining()) {
                done += channel.write(source, position + done);
            }
            return done;
        }

        @Override
        public void write(long position, ByteBuffer[] sources, int count, Completion done) {
            ByteBuffer[] views = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                views[i] = sources[i].duplicate();
            }
            start(
                    "write",
                    () -> {
                        int written = 0;
                        for (ByteBuffer view : views) {
                            written += writeAll(position + written, view);
                        }
                        return written;
                    },
                    done);
        }

        @Override
        public void sync(Completion done) {
            start(
                    "sync",
                    () -> {
                        channel.force(false);
                        return 0;
                    },
                    done);
        }

        @Override
        public int readNow(long position, ByteBuffer target) {
            return now("read", () -> readAll(position, target.duplicate()));
        }

        @Override
        public void writeNow(long position, ByteBuffer source) {
            now("write", () -> writeAll(position, source.duplicate()));
        }

        @Override
        public void syncNow() {
            now("sync", () -> {
                channel.force(false);
                return 0;
            });
        }

        @Override
        public void truncate(long size) {
            now("truncate", () -> {
                if (size > channel.size()) {
                    // A channel does not grow by truncation, so one byte at the new end does.
                    return channel.write(ByteBuffer.allocate(1), size - 1);
                }
                channel.truncate(size);
                return 0;
            });
        }

        /// The JDK cannot reserve room.
        @Override
        public boolean preallocate(long size) {
            checkOpen();
            return false;
        }

        @Override
        public void close() {
            checkOpen();
            isClosed = true;
            closeIfIdle();
        }

        private void closeIfIdle() {
            if (isClosed && inFlight == 0) {
                try {
                    channel.close();
                } catch (IOException failed) {
                    // What had to be safe was synced; the handle is gone either way.
                    warnings.accept(
                            Faults.ofException("close", path, file, failed).toString());
                }
            }
        }
    }
}
