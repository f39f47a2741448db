package io.galgo.storage.log;

import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The file of a partition's [Superblock]: reads it at start, and writes it durably, one state after the other.
///
/// Confined to the shard's thread.
final class SuperblockFile {
    private record Request(Superblock state, Completion done) {}

    private final LogStorage storage;
    private final String directory;
    private final String path;
    private final ArrayDeque<Request> requests = new ArrayDeque<>(2);

    private long sequence;
    private boolean isWriting;
    private @Nullable Superblock knownDurable;
    private boolean wasEverWritten;

    // Whether the newest copy may be in the system's memory only. The next one goes over the copy before it, so the
    // newest must be durable first.
    private boolean isNewestUnsure;
    private boolean isAbandoned;

    // Whether the names on the way to the file may vanish in a power loss.
    private boolean isNameUnsure = true;

    // How often names in the directory changed in a way that must be durable before the next state is, and how many
    // of these changes are.
    private long shapeChanges;
    private long shapeChangesSynced;

    SuperblockFile(LogStorage storage, String directory) {
        this.storage = storage;
        this.directory = directory;
        this.path = directory + "/" + Superblock.NAME;
    }

    /// What the file says, or null when no copy of it is whole. For start-up.
    ///
    /// @throws Unreadable when its format is of a later program
    @Nullable Superblock read() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(2 * Superblock.COPY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        DiskFile file = storage.disk().open(path, false);
        try {
            file.readNow(0, bytes);
        } finally {
            file.close();
        }
        int newest = -1;
        int older = -1;
        for (int at = 0; at < bytes.capacity(); at += Superblock.COPY_BYTES) {
            if (!Superblock.isWhole(bytes, at)) {
                continue;
            }
            if (newest == -1 || Superblock.sequence(bytes, at) > Superblock.sequence(bytes, newest)) {
                older = newest;
                newest = at;
            } else {
                older = at;
            }
        }
        if (newest == -1) {
            // The first state ever goes to the second place. A second one has followed if the first place is not
            // empty.
            for (int at = 0; at < Superblock.COPY_BYTES; at += 8) {
                wasEverWritten |= bytes.getLong(at) != 0;
            }
            return null;
        }
        wasEverWritten = true;
        if (Superblock.version(bytes, newest) != Superblock.VERSION) {
            throw new Unreadable(path + " has format version " + Superblock.version(bytes, newest)
                    + ", this program knows version " + Superblock.VERSION
                    + ": start the program that wrote it, or a later one");
        }
        sequence = Superblock.sequence(bytes, newest);
        isNewestUnsure = true;
        if (older != -1 && Superblock.sequence(bytes, older) == sequence - 1) {
            knownDurable = Superblock.decode(bytes, older);
            isNameUnsure = false;
        }
        return Superblock.decode(bytes, newest);
    }

    /// Whether the file shows that a state was ever completed, be it damaged now.
    boolean wasEverWritten() {
        return wasEverWritten;
    }

    /// The state that a power loss leaves for certain, null when there is none: the newest copy may be in the
    /// system's memory only, but the one before it was durable, and so was its name, before the newest was begun.
    @Nullable Superblock knownDurable() {
        return knownDurable;
    }

    /// Names in the directory were changed; the next state must not be durable before that is.
    void onShapeChanged() {
        shapeChanges++;
    }

    /// The file was removed: what it said does not count.
    void onForgotten() {
        isNameUnsure = true;
        knownDurable = null;
        isNewestUnsure = false;
        sequence = 0;
    }

    /// The directory is gone. No name is used from now on, for another partition may use the same one at once; states
    /// that were asked for complete and are nowhere.
    void abandon() {
        isAbandoned = true;
    }

    /// Makes `state` durable, and the way to the file with it. States asked for together are written in order.
    void write(Superblock state, Completion done) {
        requests.add(new Request(state, done));
        if (!isWriting) {
            isWriting = true;
            next();
        }
    }

    /// The same, waiting. For start-up, when the directory is there.
    void writeNow(Superblock state) {
        ByteBuffer block = storage.takeControlBlock();
        DiskFile file = storage.disk().open(path, true);
        try {
            if (isNewestUnsure) {
                file.syncNow();
                isNewestUnsure = false;
            }
            state.encode(block, sequence + 1);
            file.writeNow(position(sequence + 1), block);
            file.syncNow();
            sequence++;
        } finally {
            file.close();
            storage.giveControlBlock(block);
        }
        syncNamesNow();
    }

    /// Makes what the file says durable as it is, waiting. For start-up.
    void syncNow() {
        DiskFile file = storage.disk().open(path, false);
        try {
            file.syncNow();
            isNewestUnsure = false;
        } finally {
            file.close();
        }
        syncNamesNow();
    }

    private void syncNamesNow() {
        if (isNameUnsure) {
            Directories.syncUpwardsNow(storage.disk(), directory);
            isNameUnsure = false;
        }
    }

    private void next() {
        if (isAbandoned) {
            storage.later(() -> complete(null));
            return;
        }
        try {
            storage.disk().createDirectories(directory);
            if (shapeChangesSynced < shapeChanges) {
                long covered = shapeChanges;
                storage.disk().syncDirectory(directory, (_, fault) -> onShapeSynced(covered, fault));
            } else {
                writeCopy();
            }
        } catch (DiskException e) {
            storage.later(() -> complete(e.fault()));
        }
    }

    private void onShapeSynced(long covered, @Nullable DiskFault fault) {
        if (isAbandoned || fault != null) {
            complete(fault);
            return;
        }
        shapeChangesSynced = covered;
        try {
            writeCopy();
        } catch (DiskException e) {
            complete(e.fault());
        }
    }

    private void writeCopy() {
        DiskFile file = storage.disk().open(path, true);
        if (!isNewestUnsure) {
            writeCopy(file);
            return;
        }
        file.sync((_, fault) -> {
            if (fault == null) {
                isNewestUnsure = false;
                writeCopy(file);
            } else {
                file.close();
                complete(fault);
            }
        });
    }

    private void writeCopy(DiskFile file) {
        ByteBuffer block = storage.takeControlBlock();
        requests.getFirst().state().encode(block, sequence + 1);
        file.write(position(sequence + 1), block, (_, fault) -> {
            if (fault == null) {
                file.sync((_, syncFault) -> onCopySynced(file, block, syncFault));
            } else {
                onCopySynced(file, block, fault);
            }
        });
    }

    private void onCopySynced(DiskFile file, ByteBuffer block, @Nullable DiskFault fault) {
        if (fault != null) {
            takeBack(file, block, sequence + 1);
        }
        file.close();
        storage.giveControlBlock(block);
        if (fault != null) {
            complete(fault);
            return;
        }
        sequence++;
        if (isNameUnsure && !isAbandoned) {
            Directories.syncUpwards(storage.disk(), directory, (_, namesFault) -> onNamesSynced(namesFault));
        } else {
            complete(null);
        }
    }

    private void onNamesSynced(@Nullable DiskFault fault) {
        isNameUnsure = fault != null;
        if (fault != null && !isAbandoned) {
            ByteBuffer block = storage.takeControlBlock();
            try {
                DiskFile file = storage.disk().open(path, false);
                takeBack(file, block, sequence);
                file.close();
            } catch (DiskException e) {
                // Then the next process cannot open it either.
            }
            storage.giveControlBlock(block);
            sequence--;
        }
        complete(fault);
    }

    /// A copy that is not known to be durable may be whole in the system's memory. The next process must not take
    /// it for durable, so it is spoiled; the other copy stands.
    private static void takeBack(DiskFile file, ByteBuffer block, long sequence) {
        for (int i = 0; i < Superblock.COPY_BYTES; i += 8) {
            block.putLong(i, 0);
        }
        try {
            file.writeNow(position(sequence), block);
        } catch (DiskException e) {
            // The disk takes nothing any more, so the copy is not there either.
        }
    }

    private void complete(@Nullable DiskFault fault) {
        Request request = requests.removeFirst();
        isWriting = !requests.isEmpty();
        if (isWriting) {
            next();
        }
        request.done().onComplete(0, fault);
    }

    private static long position(long sequence) {
        return sequence % 2 * Superblock.COPY_BYTES;
    }
}
