package io.galgo.simulator.world;

import io.galgo.broker.shard.Connection;
import io.galgo.broker.shard.Link;
import io.galgo.broker.shard.Reply;
import io.galgo.broker.shard.Shard;
import io.galgo.broker.shard.Timers;
import io.galgo.storage.log.BatchSlice;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The server's end of a connection: what the real transport does between a socket and the core's [Connection].
///
/// It reads no more from a client that does not read, closes one that stops inside a frame or leaves replies unread
/// for too long, and lets a frame wait for memory for a while.
final class ServerEnd implements Link, FrameCutter.Sink {
    private static final int UNSENT_BYTES_HIGH = 64 << 10;
    private static final int UNSENT_BYTES_LOW = 32 << 10;
    private static final long STALL_NANOS = 30_000_000_000L;
    private static final long CLOSE_GRACE_NANOS = 3_000_000_000L;
    private static final long MEMORY_WAIT_NANOS = 5_000_000_000L;
    private static final long MEMORY_RETRY_NANOS = 10_000_000L;
    private static final int FRAGMENTS_MAX = 12;
    private static final int TCP = 1;

    private final Wire wire;
    private final SimulatedProcess process;
    private final Shard shard;
    private final FrameCutter cutter;
    private final ArrayDeque<Reply> unsent = new ArrayDeque<>();
    private @Nullable Connection connection;
    private Timers.@Nullable Timer closeTimer;
    private long unsentBytes;
    private int firstSent;
    private long inFlightBytes;
    private boolean isPausedByCore;
    private boolean isUnwritable;
    private boolean isClosing;
    private boolean isOutputEnded;
    private boolean isInputEnded;
    private boolean isGone;
    private long movedNanos;
    private long starvedNanos;

    ServerEnd(Wire wire, SimulatedProcess process, int shard) {
        this.wire = wire;
        this.process = process;
        this.shard = process.shard(shard);
        this.cutter = new FrameCutter(
                process.pool(shard),
                wire.network().universe().swarm().settings().frameBytesMax(),
                this);
        this.movedNanos = now();
    }

    boolean isOf(SimulatedProcess other) {
        return process.equals(other);
    }

    boolean isGone() {
        return isGone;
    }

    void accept() {
        connection = shard.connect(this);
    }

    private long now() {
        return wire.network().universe().nowNanos();
    }

    private Connection core() {
        Connection core = connection;
        if (core == null) {
            throw new IllegalStateException("bytes before the connection");
        }
        return core;
    }

    // ---- the network's side

    void onBytes(byte[] bytes) {
        if (isGone) {
            wire.carryDownReset();
            return;
        }
        if (isClosing) {
            return;
        }
        movedNanos = now();
        shard.onParcels();
        cutter.onBytes(bytes);
    }

    void onInputEnd() {
        if (isGone) {
            return;
        }
        isInputEnded = true;
        if (!isClosing) {
            endInputOnceHandedOver();
        } else if (isOutputEnded) {
            closeNow();
        }
    }

    void onReset() {
        gone();
    }

    /// The client has read so much.
    void onAcknowledged(int bytes) {
        inFlightBytes -= bytes;
        movedNanos = now();
        pump();
    }

    void sweep() {
        boolean owes = cutter.isInsideFrame() && !isPausedByCore && !isUnwritable && !cutter.isStarved();
        if (!isGone && (owes || unsentBytes > 0)) {
            if (now() - movedNanos > STALL_NANOS && !isClosing) {
                wire.network().universe().marks().hit(Universe.CLOSED_UNMOVING);
                wire.carryDownReset();
                closeNow();
            }
        } else {
            movedNanos = now();
        }
    }

    /// The process exits.
    void drop() {
        if (!isGone) {
            closeNow();
        }
    }

    private void gone() {
        if (isGone) {
            return;
        }
        isGone = true;
        if (closeTimer != null) {
            closeTimer.cancel();
        }
        cutter.discard();
        while (!unsent.isEmpty()) {
            unsent.remove().release();
        }
        unsentBytes = 0;
        if (connection != null) {
            connection.onClosed();
        }
        wire.onServerGone();
    }

    private void closeNow() {
        isClosing = true;
        if (!isOutputEnded && !isGone) {
            isOutputEnded = true;
            wire.carryDownEnd();
        }
        gone();
    }

    private void endInputOnceHandedOver() {
        if (isInputEnded && !isGone && !isClosing && cutter.hasHandedOverFrames()) {
            cutter.discard();
            core().onInputEnded();
        }
    }

    // ---- what the bytes turned out to be

    @Override
    public void onFrame(PooledBuffer frame, int length) {
        core().onFrame(frame, length);
    }

    @Override
    public void onMemoryShort(int bytes) {
        wire.network().universe().marks().hit(Universe.WAITED_FOR_MEMORY);
        starvedNanos = now();
        shard.makeRoom(bytes);
        retryMemoryLater();
    }

    private void retryMemoryLater() {
        process.post(MEMORY_RETRY_NANOS, () -> {
            if (isGone || isClosing || !cutter.isStarved()) {
                return;
            }
            cutter.retry();
            if (cutter.isStarved() && now() - starvedNanos > MEMORY_WAIT_NANOS) {
                wire.network().universe().marks().hit(Universe.REFUSED_WITHOUT_MEMORY);
                cutter.giveUp();
            }
            endInputOnceHandedOver();
            if (cutter.isStarved()) {
                shard.makeRoom(cutter.bytesWanted());
                retryMemoryLater();
            }
        });
    }

    @Override
    public void onFrameWithoutMemory(ByteBuffer header) {
        core().onFrameWithoutMemory(header);
    }

    @Override
    public void onInvalid(String reason) {
        wire.network().universe().marks().hit(Universe.CLOSED_INVALID);
        wire.network().universe().say("connection " + wire.number() + " sent " + reason);
        wire.carryDownReset();
        isOutputEnded = true;
        closeNow();
    }

    // ---- the core's side

    @Override
    public void send(Reply reply) {
        if (isGone || isClosing) {
            reply.release();
            return;
        }
        if (unsent.isEmpty()) {
            movedNanos = now();
        }
        unsent.add(reply);
        unsentBytes += reply.length();
        pump();
        judgeWritability();
    }

    /// Gives the kernel as much as it takes.
    private void pump() {
        if (isGone) {
            return;
        }
        int window = wire.network().settings().windowBytes();
        while (!unsent.isEmpty() && inFlightBytes < window) {
            Reply first = unsent.element();
            long left = first.length() - firstSent;
            int most = (int) Math.max(wire.network().settings().fragmentBytesMax(), left / FRAGMENTS_MAX + 1);
            byte[] fragment = new byte[(int) Math.min(Math.min(most, left), window - inFlightBytes)];
            copy(first, fragment);
            firstSent += fragment.length;
            unsentBytes -= fragment.length;
            inFlightBytes += fragment.length;
            wire.carryDown(fragment);
            if (firstSent == first.length()) {
                onOut();
            }
        }
        judgeWritability();
        if (isClosing && unsent.isEmpty()) {
            endOutput();
        }
    }

    private void copy(Reply reply, byte[] fragment) {
        int skip = firstSent;
        int filled = 0;
        for (BatchSlice piece : reply.pieces()) {
            if (skip >= piece.length()) {
                skip -= piece.length();
                continue;
            }
            int length = Math.min(piece.length() - skip, fragment.length - filled);
            piece.buffer().bytes().get(piece.position() + skip, fragment, filled, length);
            filled += length;
            skip = 0;
            if (filled == fragment.length) {
                return;
            }
        }
    }

    private void onOut() {
        Reply out = unsent.remove();
        long length = out.length();
        firstSent = 0;
        out.release();
        process.post(0, () -> {
            if (!isGone) {
                core().onSent(length);
            }
        });
    }

    private void judgeWritability() {
        boolean was = isUnwritable;
        isUnwritable = isUnwritable ? unsentBytes > UNSENT_BYTES_LOW : unsentBytes > UNSENT_BYTES_HIGH;
        if (was != isUnwritable) {
            applyReading();
        }
    }

    @Override
    public void pauseReading() {
        isPausedByCore = true;
        applyReading();
    }

    @Override
    public void resumeReading() {
        if (isPausedByCore) {
            isPausedByCore = false;
            applyReading();
        }
    }

    private void applyReading() {
        if (isGone || isClosing) {
            return;
        }
        boolean blocked = isPausedByCore || isUnwritable;
        cutter.block(blocked);
        if (!blocked) {
            process.post(0, () -> {
                if (!isGone && !isClosing && !cutter.isStarved()) {
                    cutter.retry();
                    endInputOnceHandedOver();
                }
            });
        }
    }

    @Override
    public void close() {
        if (isGone || isClosing) {
            return;
        }
        isClosing = true;
        cutter.discard();
        closeTimer = process.after(CLOSE_GRACE_NANOS, this::closeNow);
        if (unsent.isEmpty()) {
            endOutput();
        }
    }

    private void endOutput() {
        if (!isOutputEnded) {
            isOutputEnded = true;
            wire.carryDownEnd();
            if (isInputEnded) {
                process.post(0, this::closeNow);
            }
        }
    }

    @Override
    public String remoteAddress() {
        return "10.0.0.1:" + wire.number();
    }

    @Override
    public String localIp() {
        return "10.0.0.2";
    }

    @Override
    public int transportCode() {
        return TCP;
    }
}
