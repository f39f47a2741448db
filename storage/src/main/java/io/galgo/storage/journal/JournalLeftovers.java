package io.galgo.storage.journal;

import io.galgo.storage.disk.Disk;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/// The files that a durable snapshot has made useless.
final class JournalLeftovers {
    // Removal happens some time later, so a name that may be given again must not be removed: names are ops, and
    // only those below the snapshot's op cannot come back.

    private JournalLeftovers() {}

    static boolean isOurs(String name) {
        return name.endsWith(Snapshot.SUFFIX) || name.endsWith(JournalFile.SUFFIX);
    }

    /// Removes older snapshots, and journal files whose operations the snapshot covers.
    static void remove(Disk disk, String directory, long snapshotOp) {
        List<String> names = disk.list(directory);
        for (long op : opsOf(names, Snapshot.SUFFIX).headMap(snapshotOp).keySet()) {
            disk.removeLater(directory + "/" + Snapshot.name(op));
        }
        NavigableMap<Long, String> journals = opsOf(names, JournalFile.SUFFIX);
        Long needed = journals.floorKey(snapshotOp + 1);
        if (needed != null) {
            for (String name : journals.headMap(needed).values()) {
                disk.removeLater(directory + "/" + name);
            }
        }
    }

    /// The ops that files with this end are named by, and their names.
    static NavigableMap<Long, String> opsOf(List<String> names, String suffix) {
        NavigableMap<Long, String> ops = new TreeMap<>();
        for (String name : names) {
            if (name.endsWith(suffix)) {
                String digits = name.substring(0, name.length() - suffix.length());
                if (digits.matches("0[0-9]{19}")) {
                    ops.put(Long.parseLong(digits), name);
                }
            }
        }
        return ops;
    }
}
