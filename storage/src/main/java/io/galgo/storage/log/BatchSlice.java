package io.galgo.storage.log;

import io.galgo.storage.memory.PooledBuffer;

/// Bytes of batches that a reader may send as they are, pinned until released.
///
/// @param buffer holds the bytes; the slice owns one reference
/// @param position where the bytes begin in the buffer
/// @param length how many
public record BatchSlice(PooledBuffer buffer, int position, int length) {
    public void release() {
        buffer.release();
    }
}
