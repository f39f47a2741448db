package io.galgo.storage.disk;

import java.util.List;

/// Files as the core sees them. The real disks are in the server, the fake one is [MemoryDisk].
///
/// Paths are relative to the data directory, with `/` between their parts. One instance belongs to one shard and is
/// confined to its thread. Operations on names answer at once and throw [DiskException]; they are short. Operations
/// on content are on [DiskFile] and complete later.
public interface Disk {
    /// Opens a file for reading and writing.
    ///
    /// @param create makes the file when it is missing; otherwise a missing file is a fault of kind `NOT_FOUND`
    DiskFile open(String path, boolean create);

    boolean exists(String path);

    /// The names in a directory, sorted; empty when the directory is missing.
    List<String> list(String directory);

    /// Makes a directory and those above it; nothing happens when it is there.
    void createDirectories(String directory);

    /// Renames a file or a directory; an existing file at `target` is replaced atomically.
    void rename(String source, String target);

    /// Removes a file or a whole directory some time later, away from the shard. A missing path is fine.
    ///
    /// Rename first what must be out of sight at once.
    void removeLater(String path);

    /// Makes the names in a directory (creations, renames, removals) survive a power loss.
    void syncDirectory(String directory, Completion done);

    /// The same, waiting. For start-up and rare changes of shape only.
    void syncDirectoryNow(String directory);
}
