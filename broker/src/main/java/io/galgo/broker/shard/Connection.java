package io.galgo.broker.shard;

import io.galgo.broker.partition.PollRequest;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.RequestHeader;
import io.galgo.storage.Incident;
import io.galgo.storage.Invariant;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One client connection of a shard: the requests that arrived and are not answered yet, in order.
///
/// Made by [Shard#connect]. Confined to the shard's thread.
///
/// Requests are taken up in the order of arrival, and replies leave in that order. Writes to partitions may
/// overlap; every other request runs alone, after all before it and before all behind it. When
/// `message_bus.client_queue_capacity` requests wait or run, the link is paused; of the frames that had been
/// decoded by then as many again are kept, and those behind them are answered with 58. No request is taken up while
/// too many replies have not left: a client that does not read is not served further.
public final class Connection {
    /// Bytes of replies that may be on their way out when a further request is taken up.
    static final long UNSENT_BYTES_MAX = 4 << 20;

    /// So many times the capacity may be waiting before a link that does not pause is given up.
    private static final int REQUESTS_FACTOR_MAX = 64;

    private final Shard shard;
    private final Link link;
    private final int number;
    private final int capacity;

    // A ring over all requests that are not answered: [head, started) run or have run, [started, tail) wait.
    private Exchange[] ring = new Exchange[8];
    private long head;
    private long started;
    private long tail;
    private int runningCount;
    private boolean isAloneRunning;
    private boolean isPumping;

    private boolean isPaused;
    private boolean isClosed;
    private boolean isClosing;
    private boolean isInputEnded;
    private long unsentBytes;
    private int unsentCount;
    private long heardNanos;
    private boolean hasSent;
    private @Nullable Session session;
    private boolean hasLostSession;
    private @Nullable Attachment attachment;
    private @Nullable PollRequest awaited;

    Connection(Shard shard, Link link, int number, int capacity) {
        this.shard = shard;
        this.link = link;
        this.number = number;
        this.capacity = capacity;
    }

    /// A whole frame is there: header and body in `buffer` from byte 0, `length` bytes, `256 <= length <= maximum
    /// frame size`, and `length` equals the header's `size` field. Takes over one reference of the buffer.
    public void onFrame(PooledBuffer buffer, int length) {
        if (!isHeard(buffer.bytes())) {
            buffer.release();
        } else if (pendingCount() < 2 * capacity) {
            admit(new Exchange(this, buffer.bytes(), buffer, length));
        } else {
            admit(new Exchange(this, buffer.bytes(), null, length));
            buffer.release();
        }
    }

    /// A frame could not be received for want of memory: only its header was kept, the body was skipped. The
    /// request is answered with the transient code 58.
    ///
    /// @param header the 256 bytes from byte 0, little-endian, valid during the call
    public void onFrameWithoutMemory(ByteBuffer header) {
        shard.count(Incident.MEMORY_SHORT);
        if (isHeard(header)) {
            admit(new Exchange(this, header, null, FrameHeader.BYTES));
        }
    }

    /// The bytes of a reply handed to [Link#send] are with the kernel and the link has released it.
    ///
    /// Called once for each reply of a living link. A connection whose replies are not read starts no further
    /// requests, so a link that forgets this call stalls its client.
    ///
    /// @param bytes the reply's length
    public void onSent(long bytes) {
        unsentBytes -= bytes;
        unsentCount--;
        Invariant.check(unsentBytes >= 0, "no more was sent than there was to send", unsentBytes, bytes);
        pump();
    }

    /// The client will send nothing more, but may still read. It gets what it asked for, then the transport is
    /// closed.
    ///
    /// For transports that can tell this from [#onClosed]. No frame may follow.
    public void onInputEnded() {
        isInputEnded = true;
        // Most that end their input are gone: no message may be taken for them.
        endWait();
        closeIfServed();
    }

    /// A poll that waits for messages does so no longer: what it waited in the name of is gone.
    void endWait() {
        PollRequest poll = awaited;
        if (poll != null && poll.isPatient()) {
            shard.cancel(this, poll);
        }
    }

    /// Nobody is there to read the answer of a poll, so nothing keeps it any longer.
    void endPoll() {
        PollRequest poll = awaited;
        if (poll != null) {
            shard.cancel(this, poll);
        }
    }

    /// Whether the client will send nothing more, so that it may well be gone.
    boolean isInputEnded() {
        return isInputEnded;
    }

    /// Whether a request is being carried out. One that only waits for replies to leave is not.
    boolean isServing() {
        return runningCount > 0;
    }

    /// The transport is gone: the session ends as by logout. Nothing may be sent any more.
    public void onClosed() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        shard.onDisconnected(this);
        // What runs is answered later, into the void; what waits is dropped.
        dropWaiting();
    }

    /// Counted from 1 since the node's start.
    int number() {
        return number;
    }

    Link link() {
        return link;
    }

    @Nullable Session session() {
        return session;
    }

    void bind(Session bound) {
        session = bound;
        hasLostSession = false;
        attachment = null;
    }

    void unbind() {
        session = null;
        attachment = null;
    }

    /// The session under whose consumer group identity this connection acts, if it took one on.
    @Nullable Attachment attachment() {
        return attachment;
    }

    void attach(Attachment taken) {
        attachment = taken;
    }

    /// The session that was just unbound was ended by others, which the client does not know yet.
    void loseSession() {
        hasLostSession = true;
    }

    /// Whether the client has to be told that others ended its session; no after this, for now it is told.
    boolean takeLostSession() {
        boolean had = hasLostSession;
        hasLostSession = false;
        return had;
    }

    boolean isClosed() {
        return isClosed;
    }

    /// Whether a frame ever arrived.
    boolean hasSent() {
        return hasSent;
    }

    /// When the client was last heard, on the monotonic clock.
    long heardNanos() {
        return heardNanos;
    }

    /// Requests that are not answered yet.
    int pendingCount() {
        return (int) (tail - head);
    }

    /// The reply of one of this connection's requests. Called once for each that was taken up.
    void answer(Exchange exchange, Reply reply) {
        Invariant.check(!exchange.isAnswered(), "a request is answered once");
        exchange.answer(reply);
        runningCount--;
        isAloneRunning = false;
        flush();
        pump();
    }

    /// A request cannot even be refused: the connection is closed in place of an answer.
    void giveUp(Exchange exchange, String reason) {
        close(reason);
        answer(exchange, new Reply(List.of()));
    }

    /// The poll that is not answered yet, or null. It runs alone, so there is one at most.
    @Nullable PollRequest awaited() {
        return awaited;
    }

    void awaits(@Nullable PollRequest poll) {
        awaited = poll;
    }

    /// Sends a frame that answers no request, behind what was answered so far.
    void push(Reply reply) {
        if (isClosed || isClosing) {
            reply.release();
        } else {
            send(reply);
        }
    }

    private void send(Reply reply) {
        unsentBytes += reply.length();
        unsentCount++;
        link.send(reply);
    }

    /// Says why and closes the transport: after what was answered, nothing more is said.
    void close(String reason) {
        if (isClosed || isClosing) {
            return;
        }
        isClosing = true;
        shard.log().warn("connection " + number + " from " + link.remoteAddress() + " is closed: " + reason);
        dropWaiting();
        link.close();
    }

    /// Finishes what runs, takes nothing up any more and closes the transport without a word.
    void stop() {
        if (isClosed || isClosing) {
            return;
        }
        dropWaiting();
        if (runningCount == 0) {
            isClosing = true;
            link.close();
            shard.onConnectionAtRest();
        }
    }

    /// Notes that the client lives. Decides whether a frame is a request.
    private boolean isHeard(ByteBuffer header) {
        if (isClosed || isClosing || shard.isStopping()) {
            return false;
        }
        shard.onFrame();
        heardNanos = shard.monotonicNanos();
        hasSent = true;
        if (FrameHeader.command(header, 0) > FrameHeader.COMMAND_MAX) {
            close("command byte " + FrameHeader.command(header, 0) + " is no frame");
            return false;
        }
        return RequestHeader.isRequest(header, 0);
    }

    private void admit(Exchange exchange) {
        if (pendingCount() >= REQUESTS_FACTOR_MAX * capacity) {
            exchange.releaseFrame();
            close(pendingCount() + " requests wait although reading is paused");
            return;
        }
        if (tail - head == ring.length) {
            grow();
        }
        ring[(int) tail & (ring.length - 1)] = exchange;
        tail++;
        if (tail - head >= capacity && !isPaused) {
            isPaused = true;
            link.pauseReading();
        }
        pump();
    }

    private void pump() {
        if (isPumping) {
            return;
        }
        isPumping = true;
        while (started < tail && mayStart(at(started))) {
            Exchange next = at(started);
            started++;
            runningCount++;
            isAloneRunning = !next.isPartitionWrite();
            shard.start(next);
        }
        isPumping = false;
        if (isPaused && !isClosed && tail - head <= capacity / 2) {
            isPaused = false;
            link.resumeReading();
        }
        if (shard.isStopping()) {
            stop();
        }
        closeIfServed();
    }

    private void closeIfServed() {
        if (isInputEnded && !isClosed && !isClosing && pendingCount() == 0 && unsentCount == 0) {
            isClosing = true;
            link.close();
        }
    }

    private boolean mayStart(Exchange next) {
        if (isClosed || isClosing || unsentBytes >= UNSENT_BYTES_MAX || unsentCount >= capacity) {
            return false;
        }
        return runningCount == 0 || (!isAloneRunning && next.isPartitionWrite());
    }

    /// Sends the replies that have their turn.
    private void flush() {
        while (head < started && at(head).isAnswered()) {
            Reply reply = at(head).takeReply();
            forgetHead();
            if (isClosed || isClosing) {
                reply.release();
            } else {
                send(reply);
            }
        }
    }

    private void dropWaiting() {
        while (tail > started) {
            tail--;
            at(tail).releaseFrame();
            forget(tail);
        }
    }

    private void forgetHead() {
        forget(head);
        head++;
    }

    private Exchange at(long index) {
        return ring[(int) index & (ring.length - 1)];
    }

    @SuppressWarnings("NullAway") // outside [head, tail) the ring holds nothing
    private void forget(long index) {
        ring[(int) index & (ring.length - 1)] = null;
    }

    private void grow() {
        Exchange[] wider = new Exchange[ring.length * 2];
        for (long i = head; i < tail; i++) {
            wider[(int) i & (wider.length - 1)] = at(i);
        }
        ring = wider;
    }
}
