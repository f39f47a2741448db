package io.galgo.storage.disk;

/// Why a disk operation failed.
///
/// @param kind what the caller may want to tell apart
/// @param operation what was tried, for example `write`
/// @param path the file or directory
/// @param detail the cause in words, as the operating system names it
public record DiskFault(Kind kind, String operation, String path, String detail) {
    /// What the caller may want to tell apart.
    public enum Kind {
        /// The file system or the quota is full. Deleting something helps.
        NO_SPACE,
        /// A file or directory is not there.
        NOT_FOUND,
        /// The process has no handle left for another file.
        TOO_MANY_FILES,
        /// Everything else: the device or the file system failed.
        IO
    }

    @Override
    public String toString() {
        return operation + " " + path + ": " + detail;
    }
}
