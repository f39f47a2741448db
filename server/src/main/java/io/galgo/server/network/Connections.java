package io.galgo.server.network;

import io.galgo.broker.shard.Connection;
import io.galgo.broker.shard.Shard;
import io.galgo.broker.shard.Timers;
import io.galgo.server.loop.ShardLoop;
import io.galgo.storage.memory.BufferPool;
import io.netty.channel.socket.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/// The client connections of one shard.
///
/// Flushes and notices are collected and done once at the end of a turn of the loop, so that many replies cost one
/// write. Confined to the shard's thread, except for [#count].
public final class Connections {
    private static final long MEMORY_RETRY_NANOS = 2_000_000L;

    /// All shards are asked for room once in so long, however many frames wait and for how long.
    private static final long ROOM_PERIOD_NANOS = 20_000_000L;

    private static final long TICK_NANOS = 100_000_000L;
    private static final int TICKS_A_SWEEP = 10;
    private static final long LOG_PERIOD_NANOS = 1_000_000_000L;

    private final ShardLoop loop;
    private final Shard shard;
    private final BufferPool pool;
    private final ConnectionLimits limits;
    private final LimitedLog invalid;
    private final LimitedLog failed;
    private final LimitedLog stalled;
    private final LimitedLog memory;
    private final AtomicInteger count = new AtomicInteger();

    private List<Connections> peers = List.of();
    private final List<TcpLink> links = new ArrayList<>();
    private List<TcpLink> toFlush = new ArrayList<>();
    private List<TcpLink> flushing = new ArrayList<>();
    private List<TcpLink> toTell = new ArrayList<>();
    private List<TcpLink> telling = new ArrayList<>();
    private List<TcpLink> starved = new ArrayList<>();
    private boolean isTurnEndAsked;
    private boolean isRetryAsked;
    private boolean wasRoomAsked;
    private long roomAskedNanos;
    private int ticks;

    private final Runnable onTurnEnd = this::onTurnEnd;
    private final Runnable onMemoryRetry = this::onMemoryRetry;

    /// @param warnings hears about connections that were closed for what they did
    public Connections(
            ShardLoop loop, Shard shard, BufferPool pool, ConnectionLimits limits, Consumer<String> warnings) {
        this.loop = loop;
        this.shard = shard;
        this.pool = pool;
        this.limits = limits;
        this.failed = new LimitedLog(warnings, System::nanoTime, LOG_PERIOD_NANOS);
        this.invalid = new LimitedLog(warnings, System::nanoTime, LOG_PERIOD_NANOS);
        this.stalled = new LimitedLog(warnings, System::nanoTime, LOG_PERIOD_NANOS);
        this.memory = new LimitedLog(warnings, System::nanoTime, LOG_PERIOD_NANOS);
        loop.every(TICK_NANOS, this::onTick);
    }

    /// Gets to know the connections of all shards, whose caches may have the memory that this one lacks.
    public void meet(List<Connections> all) {
        peers = List.copyOf(all);
    }

    /// A socket was accepted and given to this shard's loop.
    void accept(SocketChannel channel) {
        TcpLink link = new TcpLink(this, channel);
        channel.config().setRecvByteBufAllocator(link.receiver());
        channel.pipeline().addLast(link);
    }

    /// Connections now. Any thread may ask.
    public int count() {
        return count.get();
    }

    /// Drops all connections, at the end of the node.
    public void dropAll() {
        for (TcpLink link : List.copyOf(links)) {
            link.drop();
        }
    }

    void add(TcpLink link) {
        link.listIndex = links.size();
        links.add(link);
        count.incrementAndGet();
    }

    void remove(TcpLink link) {
        if (link.listIndex >= 0) {
            TcpLink last = links.removeLast();
            if (last != link) {
                links.set(link.listIndex, last);
                last.listIndex = link.listIndex;
            }
            link.listIndex = -1;
            count.decrementAndGet();
        }
    }

    Connection connect(TcpLink link) {
        return shard.connect(link);
    }

    void beforeFrames() {
        shard.onParcels();
    }

    // ---- the end of a turn

    void flushSoon(TcpLink link) {
        if (!link.isListedToFlush) {
            link.isListedToFlush = true;
            toFlush.add(link);
            askTurnEnd();
        }
    }

    void tellSoon(TcpLink link) {
        if (!link.isListedToTell) {
            link.isListedToTell = true;
            toTell.add(link);
            askTurnEnd();
        }
    }

    void resumeSoon(TcpLink link) {
        loop.execute(link::resume);
    }

    private void askTurnEnd() {
        if (!isTurnEndAsked) {
            isTurnEndAsked = true;
            loop.eventLoop().execute(onTurnEnd);
        }
    }

    private void onTurnEnd() {
        isTurnEndAsked = false;
        try {
            List<TcpLink> told = toTell;
            toTell = telling;
            telling = told;
            for (int i = 0; i < told.size(); i++) {
                told.get(i).isListedToTell = false;
                told.get(i).tell();
            }
            told.clear();
            List<TcpLink> flushed = toFlush;
            toFlush = flushing;
            flushing = flushed;
            for (int i = 0; i < flushed.size(); i++) {
                flushed.get(i).isListedToFlush = false;
                flushed.get(i).flush();
            }
            flushed.clear();
        } catch (Throwable thrown) {
            bug(thrown);
        }
    }

    // ---- memory and watching

    void waitForMemory(TcpLink link) {
        if (!link.isListedAsStarved) {
            link.isListedAsStarved = true;
            starved.add(link);
        }
        makeRoomIfDue();
        askRetry();
    }

    /// Asks every shard to give cached memory back, as much as the waiting frames want.
    private void makeRoomIfDue() {
        long now = nanos();
        if (wasRoomAsked && now - roomAskedNanos < ROOM_PERIOD_NANOS) {
            return;
        }
        wasRoomAsked = true;
        roomAskedNanos = now;
        long wanted = 0;
        for (TcpLink link : starved) {
            wanted += link.bytesWanted();
        }
        long bytes = wanted;
        shard.makeRoom(bytes);
        for (Connections peer : peers) {
            if (peer != this) {
                peer.loop.execute(() -> {
                    peer.shard.makeRoom(bytes);
                    peer.pool.giveWayIfShort();
                });
            }
        }
    }

    private void askRetry() {
        if (!isRetryAsked) {
            isRetryAsked = true;
            loop.after(MEMORY_RETRY_NANOS, onMemoryRetry);
        }
    }

    private void onMemoryRetry() {
        isRetryAsked = false;
        List<TcpLink> waiting = starved;
        starved = new ArrayList<>();
        for (TcpLink link : waiting) {
            link.isListedAsStarved = false;
            if (link.retryMemory()) {
                waitForMemory(link);
            }
        }
    }

    private void onTick() {
        pool.giveWayIfShort();
        ticks++;
        if (ticks % TICKS_A_SWEEP == 0) {
            long now = nanos();
            for (int i = links.size() - 1; i >= 0; i--) {
                // Closing one may take others out of the list.
                if (i < links.size()) {
                    links.get(i).sweep(now);
                }
            }
        }
    }

    Timers.Timer after(long delayNanos, Runnable task) {
        return loop.after(delayNanos, task);
    }

    // ---- what links need to know

    BufferPool pool() {
        return pool;
    }

    ConnectionLimits limits() {
        return limits;
    }

    long nanos() {
        return loop.monotonicNanos();
    }

    void logInvalid(String line) {
        invalid.line(line);
    }

    void logFailed(String line) {
        failed.line(line);
    }

    void logStalled(String line) {
        stalled.line(line);
    }

    void logMemory(String line) {
        memory.line(line);
    }

    void bug(Throwable thrown) {
        loop.bugs().accept(thrown);
    }
}
