package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.broker.plane.MetadataRequester;

/// Has expired tokens removed, again and again (spec semantics 17). One a node, on the shard of the metadata plane.
///
/// A pass removes a bounded number of them, by one operation in the log; the next pass goes on. So does the pass
/// after one that was refused.
final class TokenCleaner implements MetadataRequester {
    private final Shard shard;
    private final Catalog catalog;
    private final Timers timers;
    private final long intervalNanos;
    private boolean isRunning;

    TokenCleaner(Shard shard, Catalog catalog, Timers timers, long intervalNanos) {
        this.shard = shard;
        this.catalog = catalog;
        this.timers = timers;
        this.intervalNanos = intervalNanos;
    }

    void start() {
        timers.after(intervalNanos, this::pass);
    }

    private void pass() {
        if (shard.isStopping()) {
            return;
        }
        if (!isRunning && catalog.hasExpiredTokens(shard.wallMicros())) {
            isRunning = true;
            // On this shard the plane takes every request, to answer it now or later.
            shard.propose(MetadataRequest.removeExpiredTokens(this, shard.index()));
        }
        start();
    }

    /// The plane has decided about a pass.
    void onDecided() {
        isRunning = false;
    }
}
