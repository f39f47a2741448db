package io.galgo.storage.disk;

import org.jspecify.annotations.Nullable;

/// Counts what was abandoned while the disk was still at it: purged logs, files of deleted partitions. Their
/// operations end unheard, and hold buffers and handles until then.
///
/// Confined to the shard's thread.
public final class Abandoned {
    private int count;
    private @Nullable Runnable over;

    /// Nothing is abandoned yet.
    public Abandoned() {}

    /// One more, whose operations are in flight.
    public void onLeft() {
        count++;
    }

    /// The last operation of one of them has ended.
    public void onEnded() {
        count--;
        callIfOver();
    }

    /// Calls `done` once when nothing abandoned is in flight any more, perhaps from inside this call.
    public void whenOver(Runnable done) {
        over = done;
        callIfOver();
    }

    private void callIfOver() {
        Runnable done = over;
        if (count == 0 && done != null) {
            over = null;
            done.run();
        }
    }
}
