package io.galgo.simulator.world;

import io.galgo.storage.disk.MemoryDisk.Operation;
import java.util.Locale;

/// Moments at which a crash leaves something half done, by what the process asks of its disk there.
///
/// A call that does not wait is either not made any more, or was the last thing that was done. What waits is in
/// flight, or has just completed.
enum CrashPoint {
    JOURNAL_STARTED(Operation.RENAME, "metadata/", "journal.tmp"),
    SNAPSHOT_NAMED(Operation.RENAME, "metadata/", "snapshot.tmp"),
    SNAPSHOT_COUNTED(Operation.RENAME, "metadata/", "superblock.tmp"),
    METADATA_NAMES_SYNCED(Operation.SYNC_DIRECTORY, "metadata", ""),
    OPERATION_WRITTEN(Operation.WRITE, "metadata/", ".journal"),
    OPERATION_SYNCED(Operation.SYNC, "metadata/", ".journal"),
    JOURNAL_CUT(Operation.TRUNCATE, "metadata/", ".journal"),
    SUPERBLOCK_WRITTEN(Operation.WRITE, "streams/", "/superblock"),
    SUPERBLOCK_SYNCED(Operation.SYNC, "streams/", "/superblock"),
    MESSAGES_WRITTEN(Operation.WRITE, "streams/", ".log"),
    MESSAGES_SYNCED(Operation.SYNC, "streams/", ".log"),
    SEGMENT_STARTED_OR_CUT(Operation.TRUNCATE, "streams/", ".log"),
    SEGMENT_REMOVED(Operation.RENAME, "streams/", ".log"),
    INDEX_WRITTEN(Operation.WRITE, "streams/", ".index"),
    PARTITION_NAMES_SYNCED(Operation.SYNC_DIRECTORY, "streams/", ""),
    CONSUMER_OFFSETS_WRITTEN(Operation.WRITE, "streams/", "/offsets"),
    CONSUMER_OFFSETS_SYNCED(Operation.SYNC, "streams/", "/offsets"),
    CONSUMER_OFFSETS_RENEWED(Operation.RENAME, "streams/", "/offsets.tmp"),
    DELETED_DIRECTORY_MOVED(Operation.RENAME, "streams/", "");

    private final Operation operation;
    private final String begin;
    private final String end;

    CrashPoint(Operation operation, String begin, String end) {
        this.operation = operation;
        this.begin = begin;
        this.end = end;
    }

    boolean isAt(Operation asked, String path) {
        if (asked != operation || !path.startsWith(begin) || !path.endsWith(end)) {
            return false;
        }
        // A directory of a stream, topic or partition has no file's name.
        return this != DELETED_DIRECTORY_MOVED || Character.isDigit(path.charAt(path.length() - 1));
    }

    /// The name of the mark that it was hit.
    String mark() {
        return "a process died at: " + name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
