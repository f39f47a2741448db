package io.galgo.storage.disk;

import java.nio.ByteBuffer;

/// One open file of a [Disk].
///
/// Several operations may be in flight; their order of completion is not promised. A buffer belongs to the
/// operation until it completes. Reads and writes are whole: a short write is continued by the disk, a short read
/// happens at the end of the file only.
public interface DiskFile {
    String path();

    /// Bytes in the file now.
    long size();

    /// Reads from `position` into `target` from its position to its limit. The buffer's position does not move.
    void read(long position, ByteBuffer target, Completion done);

    /// Writes `source` from its position to its limit at `position`. The buffer's position does not move.
    void write(long position, ByteBuffer source, Completion done);

    /// Writes `sources[0..count)` one behind the other at `position`, in one operation where the disk can.
    ///
    /// The array may be used again when the call returns, the buffers when the operation completes.
    void write(long position, ByteBuffer[] sources, int count, Completion done);

    /// Makes all writes that have completed survive a power loss.
    void sync(Completion done);

    /// Reads as [#read] does, waiting. For start-up only.
    ///
    /// @return bytes read, less than asked at the end of the file only
    int readNow(long position, ByteBuffer target);

    /// Writes as [#write] does, waiting. For start-up and rare changes of shape only.
    void writeNow(long position, ByteBuffer source);

    /// Syncs, waiting. For start-up and rare changes of shape only.
    void syncNow();

    /// Cuts the file to `size` bytes.
    void truncate(long size);

    /// Reserves room up to `size` bytes without changing the file's size; does nothing where the file system
    /// cannot.
    ///
    /// @return whether the room was reserved
    boolean preallocate(long size);

    /// Gives the handle back once what is in flight has completed.
    void close();
}
