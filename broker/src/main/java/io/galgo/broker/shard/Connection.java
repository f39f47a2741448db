package io.galgo.broker.shard;

import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;

/// One client connection of a shard: the requests that arrived and are not answered yet, in order.
///
/// Made by [Shard#connect]. Confined to the shard's thread.
public abstract class Connection {
    protected Connection() {}

    /// A whole frame is there: header and body in `buffer` from byte 0, `length` bytes, `256 <= length <= maximum
    /// frame size`, and `length` equals the header's `size` field. Takes over one reference of the buffer.
    public abstract void onFrame(PooledBuffer buffer, int length);

    /// A frame could not be received for want of memory: only its header was kept, the body was skipped. The
    /// request is answered with the transient code 58.
    ///
    /// @param header the 256 bytes, valid during the call
    public abstract void onFrameWithoutMemory(ByteBuffer header);

    /// The bytes of a reply handed to [Link#send] are with the kernel and the link has released it.
    ///
    /// Called once for each reply of a living link. A connection whose replies are not read starts no further
    /// requests, so a link that forgets this call stalls its client.
    ///
    /// @param bytes the reply's length
    public abstract void onSent(long bytes);

    /// The transport is gone: the session ends as by logout. Nothing may be sent any more.
    public abstract void onClosed();
}
