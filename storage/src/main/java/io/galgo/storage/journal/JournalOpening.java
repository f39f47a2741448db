package io.galgo.storage.journal;

import io.galgo.storage.Incident;
import io.galgo.storage.Incidents;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Finds out at start which files of a journal count, replays them, and leaves them so that appends can go on.
final class JournalOpening {
    private static final int PIECE_BYTES = 1024 * 1024;

    private final Disk disk;
    private final String directory;
    private final MetadataJournal.Replay replay;
    private final Consumer<String> events;
    private final Incidents incidents;

    JournalOpening(
            Disk disk, String directory, MetadataJournal.Replay replay, Consumer<String> events, Incidents incidents) {
        this.disk = disk;
        this.directory = directory;
        this.replay = replay;
        this.events = events;
        this.incidents = incidents;
    }

    /// Where a journal stands after its start.
    ///
    /// @param superblock the newest
    /// @param file takes further records, open
    /// @param firstOp the first op that the file is for
    /// @param end where its next record goes
    /// @param lastOp the last operation of all, 0 for none
    /// @param isMarked whether the last record is a mark
    record Opened(JournalSuperblock superblock, DiskFile file, long firstOp, long end, long lastOp, boolean isMarked) {}

    Opened open() {
        disk.createDirectories(directory);
        List<String> names = disk.list(directory);
        JournalSuperblock superblock = newestSuperblock(names);
        if (superblock == null) {
            superblock = begin(names);
            names = disk.list(directory);
        }
        if (superblock.snapshotOp() > 0) {
            ByteBuffer state = Snapshot.read(disk, directory, superblock);
            replay.onSnapshot(superblock.snapshotOp(), state);
        }
        // A crash may have come between a rename and its sync. What the new names replace is removed only later.
        disk.syncDirectoryNow(directory);
        return replayFiles(superblock, JournalLeftovers.opsOf(names, JournalFile.SUFFIX));
    }

    // ------------------------------------------------------------------------------------ superblock

    private @Nullable JournalSuperblock newestSuperblock(List<String> names) {
        JournalSuperblock newest = null;
        List<String> damaged = new ArrayList<>(2);
        for (String name : List.of(JournalSuperblock.NAME_A, JournalSuperblock.NAME_B)) {
            if (!names.contains(name)) {
                continue;
            }
            JournalSuperblock copy = JournalSuperblock.decode(directory + "/" + name, readSmall(name));
            if (copy == null || !copy.name().equals(name)) {
                damaged.add(directory + "/" + name);
            } else if (newest == null || copy.sequence() > newest.sequence()) {
                newest = copy;
            }
        }
        if (newest == null && !damaged.isEmpty()) {
            throw Findings.damaged("no copy of the metadata superblock is whole, " + String.join(" and ", damaged)
                    + " are damaged at position 0");
        }
        if (newest != null && !damaged.isEmpty()) {
            incidents.count(Incident.METADATA_SUPERBLOCK_DAMAGED);
            events.accept("the metadata superblock " + damaged.getFirst() + " is damaged; " + newest.name()
                    + " is used, and whether it fits is checked");
        }
        return newest;
    }

    private ByteBuffer readSmall(String name) {
        DiskFile file = disk.open(directory + "/" + name, false);
        try {
            ByteBuffer bytes = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
            return bytes.limit(file.readNow(0, bytes));
        } finally {
            file.close();
        }
    }

    /// Makes the files of an empty journal. The superblock comes last, so that files without one and with
    /// operations are never what a crash left here.
    private JournalSuperblock begin(List<String> names) {
        for (String name : names) {
            boolean isLeftover = name.equals(JournalFile.name(1)) && isWithoutOperations(name);
            if (JournalLeftovers.isOurs(name) && !isLeftover) {
                throw Findings.damaged("the metadata superblocks " + directory + "/" + JournalSuperblock.NAME_A
                        + " and " + JournalSuperblock.NAME_B + " are missing, but " + name + " is there");
            }
        }
        FileReplacement.now(disk, directory, JournalFile.TEMPORARY, JournalFile.name(1), JournalFile.header(1));
        JournalSuperblock second = new JournalSuperblock(2, 0, 0, 1);
        for (JournalSuperblock copy : List.of(new JournalSuperblock(1, 0, 0, 1), second)) {
            FileReplacement.now(disk, directory, JournalSuperblock.TEMPORARY, copy.name(), copy.encode());
        }
        for (String above = directory; !above.isEmpty(); ) {
            above = above.substring(0, Math.max(0, above.lastIndexOf('/')));
            disk.syncDirectoryNow(above);
        }
        return second;
    }

    private boolean isWithoutOperations(String name) {
        DiskFile file = disk.open(directory + "/" + name, false);
        try {
            return file.size() <= JournalFile.HEADER_BYTES;
        } finally {
            file.close();
        }
    }

    // ------------------------------------------------------------------------------------ journal files

    private Opened replayFiles(JournalSuperblock superblock, NavigableMap<Long, String> files) {
        long snapshotOp = superblock.snapshotOp();
        if (!files.containsKey(superblock.journalFirst())) {
            throw missing(superblock.journalFirst());
        }
        Long first = files.floorKey(snapshotOp + 1);
        if (first == null) {
            throw missing(snapshotOp + 1);
        }
        DiskFile last = null;
        JournalScan scan = null;
        long lastFirst = 0;
        long lastOp = first - 1;
        try {
            for (long firstOp : files.tailMap(first).keySet()) {
                String path = directory + "/" + files.get(firstOp);
                checkConnection(path, firstOp, lastOp);
                if (last != null && scan != null) {
                    closeEarlier(last, scan);
                }
                last = disk.open(path, false);
                scan = new JournalScan(last, firstOp);
                scan.run(snapshotOp + 1, replay);
                lastFirst = firstOp;
                lastOp = scan.lastOp();
            }
            if (last == null || scan == null) {
                throw missing(snapshotOp + 1);
            }
            if (lastOp < snapshotOp) {
                throw Findings.damaged("the metadata journal " + last.path() + " ends with op " + lastOp
                        + " at position " + scan.end() + ", before the snapshot of op " + snapshotOp);
            }
            long end = settle(last, scan);
            boolean isMarked = scan.isMarked();
            Opened opened = new Opened(superblock, last, lastFirst, end, lastOp, isMarked);
            last = null;
            return opened;
        } finally {
            if (last != null) {
                last.close();
            }
        }
    }

    private static void checkConnection(String path, long firstOp, long lastOp) {
        if (firstOp > lastOp + 1) {
            throw Findings.damaged("the metadata operations from op " + (lastOp + 1) + " to " + (firstOp - 1)
                    + " are missing before position 0 of " + path);
        }
        if (firstOp <= lastOp) {
            throw Findings.damaged("the metadata journal " + path + " begins at position 0 with op " + firstOp
                    + ", which an earlier file holds too");
        }
    }

    private void closeEarlier(DiskFile file, JournalScan scan) {
        if (scan.tornBytes() > 0) {
            events.accept("the metadata journal " + file.path() + " is damaged at position " + scan.end()
                    + " behind op " + scan.lastOp() + ", its last one; no operation is missing");
        }
        file.close();
    }

    private Unreadable missing(long op) {
        return Findings.damaged("the metadata journal " + directory + "/" + JournalFile.name(op) + " is missing");
    }

    /// Cuts a torn end off and makes what was replayed durable.
    ///
    /// The last write may not have been synced, or its sync failed and the system forgot about it. Written once
    /// more, it is synced for certain: nothing is told to anybody that a power loss could still take.
    private long settle(DiskFile file, JournalScan scan) {
        if (scan.tornBytes() > 0) {
            incidents.count(Incident.JOURNAL_END_CUT);
            events.accept("the end of the metadata journal " + file.path() + " was torn by a crash: "
                    + scan.tornBytes() + " bytes behind op " + scan.lastOp()
                    + " that were never acknowledged are cut off");
            file.truncate(scan.end());
        }
        ByteBuffer piece = ByteBuffer.allocateDirect((int) Math.min(PIECE_BYTES, scan.end() - scan.lastBatch()));
        for (long position = scan.lastBatch(); position < scan.end(); position += piece.limit()) {
            piece.clear();
            piece.limit((int) Math.min(piece.capacity(), scan.end() - position));
            file.readNow(position, piece);
            file.writeNow(position, piece);
        }
        file.syncNow();
        return scan.end();
    }
}
