package io.galgo.server.disk;

import io.galgo.server.loop.ShardLoop;
import io.galgo.server.machine.Posix;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoOps;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The files of one shard on the ring that its sockets use: an operation costs a ring entry, no thread and no wait.
///
/// Confined to the shard's thread. Before that thread is let loose the start-up thread may use it too: operations
/// that complete later are then handed to the loop, which runs them when it is.
public final class RingDisk extends DataFolder implements IoUringIoHandle {
    // The kernel's numbers of the operations. Netty has names for them that are not public.
    private static final byte READ = 22;
    private static final byte WRITE = 23;
    private static final byte WRITE_VECTOR = 2;
    private static final byte SYNC = 3;
    private static final int SYNC_DATA_ONLY = 1;

    /// Entries of one vectored write; the kernel takes no more. A longer one is continued like a short write.
    private static final int VECTOR_MAX = 1024;

    private static final long VECTOR_ENTRY_BYTES = 2 * ValueLayout.ADDRESS.byteSize();
    private static final int OPERATION_BYTES_MAX = 1 << 30;

    private final ShardLoop shard;
    private final IoEventLoop loop;
    private final int inFlightMax;
    private @Nullable IoRegistration registration;

    // An operation keeps its number for life, and the number travels through the ring. Netty packs numbers that fit
    // a short into the entry itself, and a shard rarely has more.
    private Operation[] operations = new Operation[64];
    private int operationsCount;
    private @Nullable Operation free;

    // More than the ring can complete at once would make the kernel keep completions aside. They wait here instead.
    private @Nullable Operation waitingFirst;
    private @Nullable Operation waitingLast;
    private int inFlight;

    /// @param root the data directory
    /// @param shard the shard's thread; the handler of its loop must be an io_uring one
    /// @param inFlightMax operations that the ring carries at a time
    /// @param syncs runs syncs of directories
    /// @param removals runs removals
    /// @param warnings hears what could not be removed
    public RingDisk(
            Path root, ShardLoop shard, int inFlightMax, Executor syncs, Executor removals, Consumer<String> warnings) {
        super(root, shard, syncs, removals, warnings);
        this.shard = shard;
        this.loop = shard.eventLoop();
        this.inFlightMax = inFlightMax;
    }

    /// Joins the loop's ring. Waits for the loop.
    public RingDisk register() throws InterruptedException {
        registration = loop.register(this).sync().getNow();
        return this;
    }

    /// What the kernel completes, and what has to be kept until then.
    private static final class Operation implements Runnable {
        final int number;
        final RingDisk disk;
        byte code;

        @Nullable RingFile file;

        @Nullable Completion done;

        long position;
        int length;
        int transferred;

        // The memory of the operation: an address, and what keeps it alive.
        long address;

        @Nullable ByteBuffer buffer;

        @Nullable ByteBuffer bounce;

        // Of a vectored write: what is left, as the kernel reads it.
        ByteBuffer[] sources = new ByteBuffer[0];
        int sourcesCount;

        @Nullable MemorySegment vector;

        int vectorCapacity;

        @Nullable Operation next;

        Operation(int number, RingDisk disk) {
            this.number = number;
            this.disk = disk;
        }

        /// Asked on another thread: goes into the ring on the loop's.
        @Override
        public void run() {
            disk.submit(this);
        }

        String verb() {
            return switch (code) {
                case READ -> "read";
                case SYNC -> "sync";
                default -> "write";
            };
        }

        void forget() {
            file = null;
            done = null;
            buffer = null;
            bounce = null;
            Arrays.fill(sources, 0, sourcesCount, null);
            sourcesCount = 0;
            transferred = 0;
            length = 0;
        }
    }

    private Operation begin(byte code, RingFile file, Completion done) {
        Operation operation = free;
        if (operation == null) {
            if (operationsCount == operations.length) {
                operations = Arrays.copyOf(operations, 2 * operationsCount);
            }
            operation = new Operation(operationsCount, this);
            operations[operationsCount++] = operation;
        } else {
            free = operation.next;
        }
        operation.next = null;
        operation.code = code;
        operation.file = file;
        operation.done = done;
        file.inFlight++;
        return operation;
    }

    private void start(Operation operation) {
        if (loop.inEventLoop()) {
            submit(operation);
        } else {
            shard.execute(operation);
        }
    }

    private void submit(Operation operation) {
        if (inFlight < inFlightMax) {
            inFlight++;
            enter(operation);
            return;
        }
        Operation last = waitingLast;
        if (last == null) {
            waitingFirst = operation;
        } else {
            last.next = operation;
        }
        waitingLast = operation;
    }

    /// Puts what is left of an operation into the ring.
    private void enter(Operation operation) {
        RingFile file = operation.file;
        IoRegistration ring = registration;
        if (file == null || ring == null) {
            throw new IllegalStateException("an operation without a file or a ring");
        }
        long address = operation.address + operation.transferred;
        int length = Math.min(operation.length - operation.transferred, OPERATION_BYTES_MAX);
        int flags = 0;
        if (operation.code == WRITE_VECTOR) {
            length = fillVector(operation);
            address = operation.vector == null ? 0 : operation.vector.address();
        } else if (operation.code == SYNC) {
            address = 0;
            length = 0;
            flags = SYNC_DATA_ONLY;
        }
        IoUringIoOps entry = new IoUringIoOps(
                operation.code,
                (byte) 0,
                (short) 0,
                file.handle,
                operation.code == SYNC ? 0 : operation.position + operation.transferred,
                address,
                length,
                flags,
                (long) operation.number,
                (short) 0,
                (short) 0,
                0,
                0L);
        if (ring.submit(entry) == 0) {
            throw new IllegalStateException("the ring is closed and a file is still in use: " + file.path);
        }
    }

    /// Lists the sources behind what is written already, as the kernel reads them.
    ///
    /// @return entries
    private static int fillVector(Operation operation) {
        MemorySegment vector = operation.vector;
        int skip = operation.transferred;
        int entries = 0;
        for (int i = 0; i < operation.sourcesCount && entries < operation.vectorCapacity; i++) {
            ByteBuffer source = operation.sources[i];
            int length = source.remaining();
            if (skip >= length) {
                skip -= length;
                continue;
            }
            if (vector == null) {
                throw new IllegalStateException("a vectored write without its vector");
            }
            long at = entries * VECTOR_ENTRY_BYTES;
            vector.set(ValueLayout.JAVA_LONG, at, MemorySegment.ofBuffer(source).address() + skip);
            vector.set(ValueLayout.JAVA_LONG, at + ValueLayout.ADDRESS.byteSize(), length - skip);
            skip = 0;
            entries++;
        }
        return entries;
    }

    /// The kernel is done with an operation, or with a part of it.
    @Override
    public void handle(IoRegistration from, IoEvent ioEvent) {
        IoUringIoEvent event = (IoUringIoEvent) ioEvent;
        Operation operation = operations[(int) event.userData()];
        try {
            onResult(operation, event.res());
        } catch (Throwable thrown) {
            // Netty would log it and go on with a shard that missed a step.
            shard.bugs().accept(thrown);
        }
    }

    private void onResult(Operation operation, int result) {
        if (result == -Posix.EINTR || result == -Posix.EAGAIN) {
            enter(operation);
            return;
        }
        RingFile file = operation.file;
        if (file == null) {
            throw new IllegalStateException("a result for an operation that is not running");
        }
        if (result < 0) {
            finish(operation, 0, Faults.ofNumber(operation.verb(), file.path, resolve(file.path), -result));
            return;
        }
        if (operation.code == SYNC) {
            finish(operation, 0, null);
            return;
        }
        operation.transferred += result;
        if (operation.transferred == operation.length || (operation.code == READ && result == 0)) {
            finish(operation, operation.transferred, null);
        } else if (result == 0) {
            finish(operation, 0, new DiskFault(DiskFault.Kind.IO, operation.verb(), file.path, "nothing was written"));
        } else {
            enter(operation);
        }
    }

    private void finish(Operation operation, int bytes, @Nullable DiskFault fault) {
        RingFile file = operation.file;
        Completion done = operation.done;
        ByteBuffer bounce = operation.bounce;
        ByteBuffer buffer = operation.buffer;
        if (operation.code == READ && bounce != null && buffer != null) {
            buffer.put(buffer.position(), bounce, 0, bytes);
        }
        operation.forget();
        operation.next = free;
        free = operation;
        inFlight--;
        startWaiting();
        if (file == null || done == null) {
            throw new IllegalStateException("an operation ended twice");
        }
        file.onOperationEnded();
        done.onComplete(bytes, fault);
    }

    private void startWaiting() {
        Operation first = waitingFirst;
        if (first != null && inFlight < inFlightMax) {
            waitingFirst = first.next;
            if (waitingFirst == null) {
                waitingLast = null;
            }
            first.next = null;
            inFlight++;
            enter(first);
        }
    }

    /// The loop ends. Files must have been closed before.
    @Override
    public void close() {
        IoRegistration ring = registration;
        if (ring != null) {
            ring.cancel();
        }
    }

    // ---- names

    @Override
    public DiskFile open(String path, boolean create) {
        Path file = resolve(path);
        int handle;
        do {
            handle = Posix.open(file.toString(), create);
        } while (handle == -Posix.EINTR);
        if (handle < 0) {
            throw new DiskException(Faults.ofNumber("open", path, file, -handle));
        }
        return new RingFile(path, handle);
    }

    // ---- files

    private final class RingFile implements DiskFile {
        private final String path;
        private final int handle;
        private int inFlight;
        private boolean isClosed;

        RingFile(String path, int handle) {
            this.path = path;
            this.handle = handle;
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

        @Override
        public long size() {
            checkOpen();
            return checked("size", Posix.size(handle));
        }

        private long checked(String operation, long result) {
            if (result < 0) {
                throw new DiskException(Faults.ofNumber(operation, path, resolve(path), (int) -result));
            }
            return result;
        }

        @Override
        public void read(long position, ByteBuffer target, Completion done) {
            checkOpen();
            Operation operation = begin(READ, this, done);
            operation.position = position;
            operation.length = target.remaining();
            operation.buffer = target;
            if (!target.isDirect()) {
                operation.bounce = ByteBuffer.allocateDirect(target.remaining());
            }
            ByteBuffer memory = operation.bounce == null ? target : operation.bounce;
            operation.address = MemorySegment.ofBuffer(memory).address();
            start(operation);
        }

        @Override
        public void write(long position, ByteBuffer source, Completion done) {
            checkOpen();
            ByteBuffer memory = direct(source);
            Operation operation = begin(WRITE, this, done);
            operation.position = position;
            operation.length = memory.remaining();
            operation.buffer = memory;
            operation.address = MemorySegment.ofBuffer(memory).address();
            start(operation);
        }

        /// The buffer itself, or a copy that the kernel can read.
        private static ByteBuffer direct(ByteBuffer source) {
            if (source.isDirect()) {
                return source;
            }
            ByteBuffer copy = ByteBuffer.allocateDirect(source.remaining());
            copy.put(0, source, source.position(), source.remaining());
            return copy;
        }

        @Override
        public void write(long position, ByteBuffer[] sources, int count, Completion done) {
            if (count == 1) {
                write(position, sources[0], done);
                return;
            }
            checkOpen();
            long length = 0;
            for (int i = 0; i < count; i++) {
                length += sources[i].remaining();
            }
            if (length > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("a write of " + length + " bytes, at most " + Integer.MAX_VALUE);
            }
            Operation operation = begin(WRITE_VECTOR, this, done);
            operation.position = position;
            operation.length = (int) length;
            if (operation.sources.length < count) {
                operation.sources = new ByteBuffer[Math.max(16, Integer.highestOneBit(count) * 2)];
            }
            // A slice, because the caller's buffer may be moved on as soon as the call returns.
            for (int i = 0; i < count; i++) {
                operation.sources[i] = direct(sources[i]).slice();
            }
            operation.sourcesCount = count;
            ensureVector(operation, Math.min(count, VECTOR_MAX));
            start(operation);
        }

        @Override
        public void sync(Completion done) {
            checkOpen();
            start(begin(SYNC, this, done));
        }

        @Override
        public int readNow(long position, ByteBuffer target) {
            checkOpen();
            int wanted = target.remaining();
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = target.isDirect() ? MemorySegment.ofBuffer(target) : arena.allocate(wanted);
                long done = 0;
                while (done < wanted) {
                    long read = Posix.read(handle, memory.asSlice(done), position + done);
                    if (read == 0) {
                        break;
                    }
                    if (read != -Posix.EINTR) {
                        done += checked("read", read);
                    }
                }
                if (!target.isDirect()) {
                    target.put(target.position(), memory.asByteBuffer(), 0, (int) done);
                }
                return (int) done;
            }
        }

        @Override
        public void writeNow(long position, ByteBuffer source) {
            checkOpen();
            MemorySegment memory = MemorySegment.ofBuffer(direct(source));
            long done = 0;
            while (done < memory.byteSize()) {
                long written = Posix.write(handle, memory.asSlice(done), position + done);
                if (written == 0) {
                    throw new DiskException(new DiskFault(DiskFault.Kind.IO, "write", path, "nothing was written"));
                }
                if (written != -Posix.EINTR) {
                    done += checked("write", written);
                }
            }
        }

        @Override
        public void syncNow() {
            checkOpen();
            checked("sync", Posix.syncData(handle));
        }

        @Override
        public void truncate(long size) {
            checkOpen();
            checked("truncate", Posix.truncate(handle, size));
        }

        @Override
        public boolean preallocate(long size) {
            checkOpen();
            return Posix.allocate(handle, size) == 0;
        }

        @Override
        public void close() {
            checkOpen();
            isClosed = true;
            closeIfIdle();
        }

        void onOperationEnded() {
            inFlight--;
            closeIfIdle();
        }

        private void closeIfIdle() {
            if (isClosed && inFlight == 0) {
                Posix.close(handle);
            }
        }
    }

    private void ensureVector(Operation operation, int entries) {
        if (operation.vectorCapacity < entries) {
            int capacity = Math.min(VECTOR_MAX, Math.max(16, Integer.highestOneBit(entries) * 2));
            // An operation lives as long as its disk, and so may its vector.
            operation.vector =
                    Arena.ofAuto().allocate(MemoryLayout.sequenceLayout(2L * capacity, ValueLayout.JAVA_LONG));
            operation.vectorCapacity = capacity;
        }
    }
}
