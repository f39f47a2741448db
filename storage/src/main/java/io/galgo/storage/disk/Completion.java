package io.galgo.storage.disk;

import org.jspecify.annotations.Nullable;

/// Hears how one operation on a [DiskFile] ended.
///
/// Called exactly once, on the thread of the shard that asked, and never from inside the call that asked.
@FunctionalInterface
public interface Completion {
    /// @param bytes how many bytes were read or written; 0 for a sync and for a fault
    /// @param fault what went wrong, or null when the operation worked
    void onComplete(int bytes, @Nullable DiskFault fault);
}
