package io.galgo.storage.disk;

import io.galgo.storage.Invariant;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A disk in memory for tests and simulations: whoever drives it decides when operations complete, in which order,
/// what fails, and what a crash leaves behind. The same calls with the same seed give the same outcome.
///
/// Operations wait until they are run: a write changes nothing before, a read sees what the file holds then. What a
/// power loss takes is as on a strict file system: bytes that were not synced after they were written, and names
/// whose directory was not synced. Syncing a file does not make its name durable. After a failed sync the unsynced
/// bytes are lost for good to later syncs, as Linux does it.
///
/// A crash makes all handles useless and forgets the operations in flight without completing them; the next process
/// opens its files on the same object.
public final class MemoryDisk implements Disk {
    /// What a fault can be asked for.
    public enum Operation {
        OPEN,
        READ,
        WRITE,
        SYNC,
        TRUNCATE,
        RENAME,
        REMOVE,
        SYNC_DIRECTORY
    }

    /// How much of what was not synced survives a power loss.
    public enum PowerLoss {
        /// Nothing does.
        CLEAN,
        /// The oldest changes do, and a part of the one behind them.
        TORN,
        /// Any sector does, whatever happened to those before it.
        SCATTERED
    }

    /// Who drives a disk in a simulation: hears of each operation when it is asked for, and decides what becomes of
    /// it.
    public interface Driver {
        /// An operation waits.
        ///
        /// @param bytes that it reads or writes, 0 for others
        /// @param run runs and completes it; to be called once, while the process that asked lives
        void onSubmitted(Operation operation, String path, int bytes, Runnable run);

        /// A call that does not wait is about to be carried out. What this throws, the caller gets in its place.
        void onCall(Operation operation, String path);

        /// How an operation that is carried out now fails, or null when it works.
        DiskFault.@Nullable Kind faultOf(Operation operation, String path);

        /// Where the bytes of a write really go: to `position` on an honest disk. Nowhere when negative. What asked
        /// for the write is told that it worked in any case.
        ///
        /// @param fileBytes how long the file is
        long placeOfWrite(String path, long position, int bytes, long fileBytes);
    }

    private static final int SECTOR_BYTES = 512;

    private final SplittableRandom random;
    private final List<Pending> pending = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final List<NameChange> unsyncedNames = new ArrayList<>();
    private final DirectoryNode root = new DirectoryNode();
    private long capacityBytes = Long.MAX_VALUE;
    private int handlesMax = Integer.MAX_VALUE;
    private boolean reserves = true;
    private int handles;
    private final List<String> openPaths = new ArrayList<>();
    private int epoch;
    private @Nullable Driver driver;

    public MemoryDisk(long seed) {
        this.random = new SplittableRandom(seed);
    }

    // ------------------------------------------------------------------------------------ driving

    /// Lets somebody decide about each operation by itself, in place of the calls below.
    public void driver(Driver deciding) {
        driver = deciding;
    }

    private void submit(Pending operation) {
        pending.add(operation);
        Driver deciding = driver;
        if (deciding != null) {
            deciding.onSubmitted(operation.operation, operation.path, operation.bytes, () -> {
                Invariant.check(pending.remove(operation), "an operation is run once, by a process that lives");
                operation.run();
            });
        }
    }

    private void onCall(Operation operation, String path) {
        Driver deciding = driver;
        if (deciding != null) {
            deciding.onCall(operation, path);
        }
    }

    /// Operations that wait to be run.
    public int pendingCount() {
        return pending.size();
    }

    /// Runs the oldest operation and completes it.
    ///
    /// @return false when there was none
    public boolean runNext() {
        if (pending.isEmpty()) {
            return false;
        }
        run(0);
        return true;
    }

    /// Runs one of the waiting operations, counted from the oldest, and completes it.
    public void run(int index) {
        pending.remove(index).run();
    }

    /// Runs any of the waiting operations.
    ///
    /// @return false when there was none
    public boolean runAny() {
        if (pending.isEmpty()) {
            return false;
        }
        run(random.nextInt(pending.size()));
        return true;
    }

    /// Runs all operations, oldest first, and those that their completions ask for, until none is left.
    public void runCompletions() {
        while (runNext()) {
            Invariant.check(pending.size() < 1_000_000, "completions come to an end");
        }
    }

    /// Runs all operations but those of one kind, oldest first, and those that their completions ask for.
    public void runCompletionsExcept(Operation held) {
        int index = 0;
        while (index < pending.size()) {
            if (pending.get(index).operation == held) {
                index++;
            } else {
                run(index);
                index = 0;
            }
        }
    }

    /// Kills the process: each operation in flight is done, done in part, or not done. What was written before
    /// stays.
    public void kill() {
        for (Pending operation : pending) {
            operation.abandon(random.nextInt(3));
        }
        forgetProcess();
    }

    /// Cuts the power to an extent that the seed chooses.
    public void powerLoss() {
        switch (random.nextInt(3)) {
            case 0 -> powerLoss(PowerLoss.CLEAN);
            case 1 -> powerLoss(PowerLoss.TORN);
            default -> powerLoss(PowerLoss.SCATTERED);
        }
    }

    /// Cuts the power: as [#kill], and what was not synced is lost as `extent` says.
    public void powerLoss(PowerLoss extent) {
        kill();
        int survivors = extent == PowerLoss.CLEAN ? 0 : random.nextInt(unsyncedNames.size() + 1);
        for (int i = 0; i < survivors; i++) {
            unsyncedNames.get(i).makeDurable();
        }
        unsyncedNames.clear();
        root.losePower(extent, random);
    }

    private void forgetProcess() {
        pending.clear();
        handles = 0;
        openPaths.clear();
        epoch++;
    }

    // ------------------------------------------------------------------------------------ faults

    /// The next operation of this kind fails.
    public void failNext(Operation operation, DiskFault.Kind kind) {
        failNext(operation, kind, "");
    }

    /// The next operation of this kind on a path with this end fails.
    public void failNext(Operation operation, DiskFault.Kind kind, String pathEnd) {
        failures.add(new Failure(operation, kind, pathEnd, true));
    }

    /// All operations of this kind on paths with this end fail until [#heal].
    public void failAll(Operation operation, DiskFault.Kind kind, String pathEnd) {
        failures.add(new Failure(operation, kind, pathEnd, false));
    }

    /// Takes all faults back that were asked for.
    public void heal() {
        failures.clear();
    }

    /// Faults asked for that have not happened yet.
    public int faultsAsked() {
        return failures.size();
    }

    /// Bytes that all files together may hold from now on.
    public void capacity(long bytesMax) {
        capacityBytes = bytesMax;
    }

    /// Handles that may be open at a time from now on.
    public void handlesMax(int count) {
        handlesMax = count;
    }

    /// Whether room can be reserved ahead from now on, as not every file system can.
    public void reserves(boolean does) {
        reserves = does;
    }

    /// Turns one bit round, also in what a power loss leaves.
    public void flipBit(String path, long position, int bit) {
        FileNode file = file(path);
        file.edit((int) position, (byte) (file.bytes[(int) position] ^ (1 << bit)));
    }

    /// Makes the sector at a position unreadable until something is written to it.
    public void spoilSector(String path, long position) {
        file(path).spoiled.add((int) (position / SECTOR_BYTES));
    }

    // ------------------------------------------------------------------------------------ looking

    /// Bytes in a file now.
    public long size(String path) {
        return file(path).size;
    }

    /// What the file holds now.
    public byte[] content(String path) {
        FileNode file = file(path);
        return Arrays.copyOf(file.bytes, file.size);
    }

    /// Puts content in a file, making it and its directories, durable at once.
    public void content(String path, byte[] bytes) {
        createDirectories(parent(path));
        FileNode file = new FileNode();
        file.write(0, ByteBuffer.wrap(bytes), bytes.length);
        file.makeDurable(file.unsynced.size());
        DirectoryNode directory = directory(parent(path));
        change(new Edit(directory, name(path), file));
        for (NameChange change : unsyncedNames) {
            change.makeDurable();
        }
        unsyncedNames.clear();
    }

    /// Paths of all files, sorted.
    public List<String> files() {
        List<String> paths = new ArrayList<>();
        root.collect("", paths);
        return paths;
    }

    /// Bytes that all files occupy.
    public long usedBytes() {
        return root.usedBytes();
    }

    /// Changes of names that a power loss may take.
    public int unsyncedNames() {
        return unsyncedNames.size();
    }

    /// Handles that are open.
    public int openFiles() {
        return handles;
    }

    /// The paths under which these were opened, oldest first.
    public List<String> openPaths() {
        return List.copyOf(openPaths);
    }

    // ------------------------------------------------------------------------------------ Disk

    @Override
    public DiskFile open(String path, boolean create) {
        failIfAsked(Operation.OPEN, "open", path);
        if (handles >= handlesMax) {
            throw fault(DiskFault.Kind.TOO_MANY_FILES, "open", path, "too many open files");
        }
        DirectoryNode directory = findDirectory(parent(path));
        Node node = directory == null ? null : directory.entries.get(name(path));
        if (node == null) {
            if (!create || directory == null) {
                throw fault(DiskFault.Kind.NOT_FOUND, "open", path, "no such file or directory");
            }
            node = new FileNode();
            change(new Edit(directory, name(path), node));
        }
        if (!(node instanceof FileNode file)) {
            throw fault(DiskFault.Kind.IO, "open", path, "is a directory");
        }
        handles++;
        openPaths.add(path);
        return new Handle(path, file);
    }

    @Override
    public boolean exists(String path) {
        return find(path) != null;
    }

    @Override
    public List<String> list(String directory) {
        DirectoryNode node = findDirectory(directory);
        return node == null ? List.of() : List.copyOf(node.entries.keySet());
    }

    @Override
    public void createDirectories(String directory) {
        DirectoryNode node = root;
        for (String part : parts(directory)) {
            Node next = node.entries.get(part);
            if (next == null) {
                next = new DirectoryNode();
                change(new Edit(node, part, next));
            }
            if (!(next instanceof DirectoryNode below)) {
                throw fault(DiskFault.Kind.IO, "mkdir", directory, part + " is a file");
            }
            node = below;
        }
    }

    @Override
    public void rename(String source, String target) {
        failIfAsked(Operation.RENAME, "rename", source);
        Node node = find(source);
        DirectoryNode from = findDirectory(parent(source));
        DirectoryNode to = findDirectory(parent(target));
        if (node == null || from == null || to == null) {
            throw fault(DiskFault.Kind.NOT_FOUND, "rename", source, "no such file or directory");
        }
        change(new Edit(from, name(source), null), new Edit(to, name(target), node));
    }

    @Override
    public void removeLater(String path) {
        submit(new Pending(Operation.REMOVE, path, 0) {
            @Override
            void run() {
                remove(path);
            }

            @Override
            void abandon(int outcome) {
                if (outcome == 0) {
                    remove(path);
                }
            }
        });
    }

    @Override
    public void syncDirectory(String directory, Completion done) {
        DirectoryNode node = findDirectory(directory);
        List<NameChange> covered = node == null ? List.of() : changesOf(node);
        submit(new Pending(Operation.SYNC_DIRECTORY, directory, 0) {
            @Override
            void run() {
                DiskFault fault = faultIfAsked(Operation.SYNC_DIRECTORY, "sync", directory);
                if (node == null) {
                    fault = new DiskFault(DiskFault.Kind.NOT_FOUND, "sync", directory, "no such directory");
                }
                if (fault == null) {
                    syncNames(covered);
                }
                done.onComplete(0, fault);
            }

            @Override
            void abandon(int outcome) {
                if (outcome == 0) {
                    syncNames(covered);
                }
            }
        });
    }

    @Override
    public void syncDirectoryNow(String directory) {
        failIfAsked(Operation.SYNC_DIRECTORY, "sync", directory);
        syncNames(changesOf(directory(directory)));
    }

    // ------------------------------------------------------------------------------------ names

    private void change(Edit... edits) {
        for (Edit edit : edits) {
            edit.apply(edit.directory.entries);
        }
        unsyncedNames.add(new NameChange(edits));
    }

    private void remove(String path) {
        Node node = find(path);
        DirectoryNode parent = findDirectory(parent(path));
        if (node == null || parent == null) {
            return;
        }
        if (node instanceof DirectoryNode directory) {
            for (String name : List.copyOf(directory.entries.keySet())) {
                remove(path + "/" + name);
            }
        }
        change(new Edit(parent, name(path), null));
    }

    private List<NameChange> changesOf(DirectoryNode node) {
        List<NameChange> changes = new ArrayList<>();
        for (NameChange change : unsyncedNames) {
            if (change.touches(node)) {
                changes.add(change);
            }
        }
        return changes;
    }

    private void syncNames(List<NameChange> changes) {
        for (NameChange change : changes) {
            if (unsyncedNames.remove(change)) {
                change.makeDurable();
            }
        }
    }

    private @Nullable Node find(String path) {
        Node node = root;
        for (String part : parts(path)) {
            node = node instanceof DirectoryNode directory ? directory.entries.get(part) : null;
            if (node == null) {
                return null;
            }
        }
        return node;
    }

    private @Nullable DirectoryNode findDirectory(String path) {
        return find(path) instanceof DirectoryNode directory ? directory : null;
    }

    private DirectoryNode directory(String path) {
        DirectoryNode directory = findDirectory(path);
        if (directory == null) {
            throw fault(DiskFault.Kind.NOT_FOUND, "open", path, "no such directory");
        }
        return directory;
    }

    private FileNode file(String path) {
        if (find(path) instanceof FileNode file) {
            return file;
        }
        throw fault(DiskFault.Kind.NOT_FOUND, "open", path, "no such file");
    }

    private static List<String> parts(String path) {
        return path.isEmpty() ? List.of() : Arrays.asList(path.split("/", -1));
    }

    private static String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? "" : path.substring(0, slash);
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    // ------------------------------------------------------------------------------------ faults, inside

    private record Failure(Operation operation, DiskFault.Kind kind, String pathEnd, boolean once) {}

    private @Nullable DiskFault faultIfAsked(Operation operation, String verb, String path) {
        for (int i = 0; i < failures.size(); i++) {
            Failure failure = failures.get(i);
            if (failure.operation == operation && path.endsWith(failure.pathEnd)) {
                if (failure.once) {
                    failures.remove(i);
                }
                return new DiskFault(failure.kind, verb, path, "asked for by the test");
            }
        }
        DiskFault.Kind kind = driver == null ? null : driver.faultOf(operation, path);
        return kind == null ? null : new DiskFault(kind, verb, path, "drawn by the simulation");
    }

    /// For a call that does not wait.
    private void failIfAsked(Operation operation, String verb, String path) {
        onCall(operation, path);
        DiskFault fault = faultIfAsked(operation, verb, path);
        if (fault != null) {
            throw new DiskException(fault);
        }
    }

    private static DiskException fault(DiskFault.Kind kind, String verb, String path, String detail) {
        return new DiskException(new DiskFault(kind, verb, path, detail));
    }

    // ------------------------------------------------------------------------------------ parts

    /// One operation in flight.
    private abstract static class Pending {
        final Operation operation;
        final String path;
        final int bytes;

        Pending(Operation operation, String path, int bytes) {
            this.operation = operation;
            this.path = path;
            this.bytes = bytes;
        }

        abstract void run();

        /// The process died: 0 did it, 1 did a part, 2 did nothing.
        abstract void abandon(int outcome);
    }

    private abstract static sealed class Node {}

    private static final class DirectoryNode extends Node {
        final TreeMap<String, Node> entries = new TreeMap<>();
        final TreeMap<String, Node> durable = new TreeMap<>();

        void losePower(PowerLoss extent, SplittableRandom random) {
            entries.clear();
            entries.putAll(durable);
            for (Node node : entries.values()) {
                switch (node) {
                    case DirectoryNode directory -> directory.losePower(extent, random);
                    case FileNode file -> file.losePower(extent, random);
                }
            }
        }

        void collect(String prefix, List<String> paths) {
            for (Map.Entry<String, Node> entry : entries.entrySet()) {
                switch (entry.getValue()) {
                    case DirectoryNode directory -> directory.collect(prefix + entry.getKey() + "/", paths);
                    case FileNode _ -> paths.add(prefix + entry.getKey());
                }
            }
        }

        long usedBytes() {
            long bytes = 0;
            for (Node node : entries.values()) {
                bytes += switch (node) {
                    case DirectoryNode directory -> directory.usedBytes();
                    case FileNode file -> Math.max(file.size, file.allocated);
                };
            }
            return bytes;
        }
    }

    private record Edit(
            DirectoryNode directory, String name, @Nullable Node node) {
        void apply(TreeMap<String, Node> names) {
            if (node == null) {
                names.remove(name);
            } else {
                names.put(name, node);
            }
        }
    }

    /// One atomic change of names: a rename edits two at once.
    private static final class NameChange {
        private final Edit[] edits;

        NameChange(Edit... edits) {
            this.edits = edits;
        }

        boolean touches(DirectoryNode directory) {
            for (Edit edit : edits) {
                if (edit.directory == directory) {
                    return true;
                }
            }
            return false;
        }

        void makeDurable() {
            for (Edit edit : edits) {
                edit.apply(edit.directory.durable);
            }
        }
    }

    private static final class FileNode extends Node {
        /// A change of content since the last sync; null bytes cut the file at `position`.
        private static final class Change {
            final int position;
            final byte @Nullable [] bytes;

            Change(int position, byte @Nullable [] bytes) {
                this.position = position;
                this.bytes = bytes;
            }
        }

        byte[] bytes = new byte[0];
        int size;
        int allocated;
        private byte[] durable = new byte[0];
        private int durableSize;
        final List<Change> unsynced = new ArrayList<>();
        /// Sectors that cannot be read.
        final TreeSet<Integer> spoiled = new TreeSet<>();

        boolean isSpoiled(long position, int length) {
            Integer first = spoiled.isEmpty() ? null : spoiled.ceiling((int) (position / SECTOR_BYTES));
            return first != null && (long) first * SECTOR_BYTES < position + length;
        }

        void write(int position, ByteBuffer source, int length) {
            byte[] copy = new byte[length];
            source.get(source.position(), copy);
            put(position, copy, length);
            if (!spoiled.isEmpty() && length > 0) {
                spoiled.subSet(position / SECTOR_BYTES, true, (position + length - 1) / SECTOR_BYTES, true)
                        .clear();
            }
            unsynced.add(new Change(position, copy));
        }

        private void put(int position, byte[] source, int length) {
            bytes = grown(bytes, position + length);
            System.arraycopy(source, 0, bytes, position, length);
            size = Math.max(size, position + length);
        }

        void truncate(int length) {
            if (length < size) {
                Arrays.fill(bytes, length, size, (byte) 0);
            }
            bytes = grown(bytes, length);
            size = length;
            allocated = Math.min(allocated, length);
            unsynced.add(new Change(length, null));
        }

        void edit(int position, byte value) {
            bytes[position] = value;
            if (position < durableSize) {
                durable[position] = value;
            }
        }

        /// Syncs the oldest changes.
        void makeDurable(int changesCount) {
            for (int i = 0; i < changesCount; i++) {
                applyDurably(unsynced.get(i));
            }
            unsynced.subList(0, changesCount).clear();
        }

        private void applyDurably(Change change) {
            if (change.bytes == null) {
                if (change.position < durableSize) {
                    Arrays.fill(durable, change.position, durableSize, (byte) 0);
                }
                durable = grown(durable, change.position);
                durableSize = change.position;
                return;
            }
            putDurably(change.position, change.bytes, 0, change.bytes.length);
        }

        private void putDurably(int position, byte[] source, int from, int to) {
            durable = grown(durable, position + to);
            System.arraycopy(source, from, durable, position + from, to - from);
            durableSize = Math.max(durableSize, position + to);
        }

        void losePower(PowerLoss extent, SplittableRandom random) {
            switch (extent) {
                case CLEAN -> {}
                case TORN -> tear(random);
                case SCATTERED -> scatter(random);
            }
            unsynced.clear();
            bytes = durable.clone();
            size = durableSize;
            allocated = 0;
        }

        private void tear(SplittableRandom random) {
            int whole = random.nextInt(unsynced.size() + 1);
            Change torn = whole < unsynced.size() ? unsynced.get(whole) : null;
            makeDurable(whole);
            if (torn != null && torn.bytes != null) {
                putDurably(torn.position, torn.bytes, 0, random.nextInt(torn.bytes.length + 1));
            }
        }

        private void scatter(SplittableRandom random) {
            for (Change change : unsynced) {
                byte[] written = change.bytes;
                if (written == null) {
                    applyDurably(change);
                    continue;
                }
                int from = 0;
                while (from < written.length) {
                    int to = Math.min(written.length, from + SECTOR_BYTES - (change.position + from) % SECTOR_BYTES);
                    if (random.nextBoolean()) {
                        putDurably(change.position, written, from, to);
                    }
                    from = to;
                }
            }
        }

        private static byte[] grown(byte[] bytes, int length) {
            return length <= bytes.length ? bytes : Arrays.copyOf(bytes, Math.max(length, bytes.length * 2));
        }
    }

    /// One open file.
    private final class Handle implements DiskFile {
        private final String path;
        private final FileNode file;
        private final int bornIn = epoch;
        private int inFlight;
        private boolean closed;

        Handle(String path, FileNode file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public String path() {
            return path;
        }

        @Override
        public long size() {
            checkUsable();
            return file.size;
        }

        @Override
        public void read(long position, ByteBuffer target, Completion done) {
            begin(new Pending(Operation.READ, path, target.remaining()) {
                @Override
                void run() {
                    DiskFault fault = faultOfRead(position, target.remaining());
                    complete(done, fault == null ? readContent(position, target) : 0, fault);
                }

                @Override
                void abandon(int outcome) {}
            });
        }

        @Override
        public void write(long position, ByteBuffer source, Completion done) {
            write(position, new ByteBuffer[] {source}, 1, done);
        }

        @Override
        public void write(long position, ByteBuffer[] sources, int count, Completion done) {
            ByteBuffer[] own = Arrays.copyOf(sources, count);
            long checksum = checksum(own);
            begin(new Pending(Operation.WRITE, path, length(own)) {
                @Override
                void run() {
                    Invariant.check(
                            checksum == checksum(own), "a buffer does not change while it is being written to " + path);
                    DiskFault fault = faultIfAsked(Operation.WRITE, "write", path);
                    int length = length(own);
                    if (fault != null) {
                        writeContent(position, own, random.nextInt(length + 1));
                        complete(done, 0, fault);
                        return;
                    }
                    int room = room(position, length);
                    writeSomewhere(position, own, room);
                    complete(done, room == length ? length : 0, room == length ? null : noSpace("write"));
                }

                @Override
                void abandon(int outcome) {
                    int length = Math.min(length(own), room(position, length(own)));
                    switch (outcome) {
                        case 0 -> writeContent(position, own, length);
                        case 1 -> writeContent(position, own, random.nextInt(length + 1));
                        default -> {}
                    }
                }
            });
        }

        @Override
        public void sync(Completion done) {
            // What is written from now on is not covered, also when it completes before the sync does.
            int covered = file.unsynced.size();
            begin(new Pending(Operation.SYNC, path, 0) {
                @Override
                void run() {
                    DiskFault fault = faultIfAsked(Operation.SYNC, "sync", path);
                    int count = Math.min(covered, file.unsynced.size());
                    if (fault == null) {
                        file.makeDurable(count);
                    } else {
                        file.unsynced.clear();
                    }
                    complete(done, 0, fault);
                }

                @Override
                void abandon(int outcome) {
                    if (outcome == 0) {
                        file.makeDurable(Math.min(covered, file.unsynced.size()));
                    }
                }
            });
        }

        @Override
        public int readNow(long position, ByteBuffer target) {
            checkUsable();
            onCall(Operation.READ, path);
            DiskFault fault = faultOfRead(position, target.remaining());
            if (fault != null) {
                throw new DiskException(fault);
            }
            return readContent(position, target);
        }

        @Override
        public void writeNow(long position, ByteBuffer source) {
            checkUsable();
            onCall(Operation.WRITE, path);
            DiskFault fault = faultIfAsked(Operation.WRITE, "write", path);
            int length = source.remaining();
            int room = fault == null ? room(position, length) : random.nextInt(length + 1);
            if (fault == null) {
                writeSomewhere(position, new ByteBuffer[] {source}, room);
            } else {
                writeContent(position, new ByteBuffer[] {source}, room);
            }
            if (fault == null && room < length) {
                fault = noSpace("write");
            }
            if (fault != null) {
                throw new DiskException(fault);
            }
        }

        @Override
        public void syncNow() {
            checkUsable();
            onCall(Operation.SYNC, path);
            DiskFault fault = faultIfAsked(Operation.SYNC, "sync", path);
            if (fault != null) {
                file.unsynced.clear();
                throw new DiskException(fault);
            }
            file.makeDurable(file.unsynced.size());
        }

        @Override
        public void truncate(long size) {
            checkUsable();
            failIfAsked(Operation.TRUNCATE, "truncate", path);
            file.truncate((int) size);
        }

        @Override
        public boolean preallocate(long size) {
            checkUsable();
            long more = size - Math.max(file.size, file.allocated);
            if (!reserves) {
                return false;
            }
            if (capacityBytes != Long.MAX_VALUE && more > capacityBytes - usedBytes()) {
                return false;
            }
            file.allocated = (int) Math.max(file.allocated, size);
            return true;
        }

        @Override
        public void close() {
            if (bornIn != epoch) {
                return;
            }
            Invariant.check(!closed, "a file is closed once");
            closed = true;
            giveBackIfDone();
        }

        private void begin(Pending operation) {
            checkUsable();
            inFlight++;
            submit(operation);
        }

        private void complete(Completion done, int bytes, @Nullable DiskFault fault) {
            inFlight--;
            giveBackIfDone();
            done.onComplete(bytes, fault);
        }

        private void giveBackIfDone() {
            if (closed && inFlight == 0) {
                handles--;
                openPaths.remove(path);
            }
        }

        private void checkUsable() {
            Invariant.check(!closed, "a file is not used after it was closed: " + path);
            Invariant.check(bornIn == epoch, "a file is not used by another process: " + path);
        }

        private @Nullable DiskFault faultOfRead(long position, int length) {
            return file.isSpoiled(position, length)
                    ? new DiskFault(DiskFault.Kind.IO, "read", path, "a sector cannot be read")
                    : faultIfAsked(Operation.READ, "read", path);
        }

        private void writeSomewhere(long position, ByteBuffer[] sources, int length) {
            Driver deciding = driver;
            long place = deciding == null ? position : deciding.placeOfWrite(path, position, length, file.size);
            if (place >= 0) {
                writeContent(place, sources, length);
            }
        }

        private int readContent(long position, ByteBuffer target) {
            int length = (int) Math.max(0, Math.min(target.remaining(), file.size - position));
            if (length > 0) {
                target.put(target.position(), file.bytes, (int) position, length);
            }
            return length;
        }

        private void writeContent(long position, ByteBuffer[] sources, int length) {
            int left = length;
            int at = (int) position;
            for (ByteBuffer source : sources) {
                int part = Math.min(left, source.remaining());
                if (part > 0) {
                    file.write(at, source, part);
                }
                at += part;
                left -= part;
            }
        }

        /// How many of `length` bytes at `position` the disk has room for.
        private int room(long position, int length) {
            if (capacityBytes == Long.MAX_VALUE) {
                return length;
            }
            long occupied = Math.max(file.size, file.allocated);
            long more = Math.max(0, position + length - occupied);
            long lacking = Math.max(0, more - Math.max(0, capacityBytes - usedBytes()));
            return (int) (length - Math.min(length, lacking));
        }

        private DiskFault noSpace(String verb) {
            return new DiskFault(DiskFault.Kind.NO_SPACE, verb, path, "no space left on device");
        }
    }

    private static int length(ByteBuffer[] buffers) {
        int length = 0;
        for (ByteBuffer buffer : buffers) {
            length += buffer.remaining();
        }
        return length;
    }

    private static long checksum(ByteBuffer[] buffers) {
        CRC32C checksum = new CRC32C();
        for (ByteBuffer buffer : buffers) {
            checksum.update(buffer.duplicate());
        }
        return checksum.getValue();
    }
}
