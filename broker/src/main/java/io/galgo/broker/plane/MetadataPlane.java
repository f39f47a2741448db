package io.galgo.broker.plane;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.ClientTable.Verdict;
import io.galgo.broker.metadata.MetadataOperation;
import io.galgo.broker.metadata.Outcome;
import io.galgo.consensus.Replica;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.storage.Incident;
import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.journal.MetadataJournal;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Gives metadata commands their order and makes them durable before they take effect.
///
/// At most `queueDepth` operations are being journalled, at most twice as many requests wait, more are refused
/// with 58. Runs on shard 0 and is confined to its thread.
public final class MetadataPlane {
    // The commit of an op applies it on this shard, puts it into the mailbox of every other shard and only then
    // answers. So whoever knows the answer and asks any shard finds the operation applied: it was in that shard's
    // mailbox first. That the put cannot fail is why room is reserved before an op is prepared.

    /// How long a journal that could not go on is left alone before it is asked again.
    private static final long PROBE_NANOS = 1_000_000_000L;

    /// An operation that is being journalled.
    private record Running(long op, ByteBuffer operation, MetadataRequest request) {}

    private final PlaneHost host;
    private final Catalog catalog;
    private final MetadataJournal journal;
    private Replica replica;
    private final int queueDepth;
    private final int journalSlots;
    private final int clientsMax;
    private final ArrayDeque<Running> running = new ArrayDeque<>();
    private final ArrayDeque<MetadataRequest> waiting = new ArrayDeque<>();
    private long timestampMicros;
    private boolean isStopped;
    private long probedNanos;
    private boolean isSnapshotRunning;
    private int snapshotAtCount;
    private long snapshotTriedNanos;
    private @Nullable Completion closing;
    private boolean isClosed;

    /// @param catalog this shard's, with everything applied that the journal holds
    /// @param queueDepth operations being journalled at a time
    /// @param journalSlots operations in the journal at which a snapshot is taken; at twice as many requests are
    ///     refused
    /// @param clientsMax sessions remembered
    public MetadataPlane(
            PlaneHost host,
            Catalog catalog,
            MetadataJournal journal,
            int queueDepth,
            int journalSlots,
            int clientsMax) {
        this.host = host;
        this.catalog = catalog;
        this.journal = journal;
        this.queueDepth = queueDepth;
        this.journalSlots = journalSlots;
        this.clientsMax = clientsMax;
        this.snapshotAtCount = journalSlots;
        this.timestampMicros = catalog.appliedAtMicros();
        this.replica = Replica.restore(0, 1, 0, journal.lastOp(), this::commit);
        Invariant.check(
                catalog.appliedOp() == journal.lastOp(),
                "the catalog has applied all that the journal holds",
                catalog.appliedOp(),
                journal.lastOp());
        snapshotIfDue();
    }

    /// Takes a request and answers it, now or later.
    public void submit(MetadataRequest request) {
        if (closing != null || !isJournalWorking()) {
            turnAway(request, false);
        } else if (running.size() < queueDepth && waiting.isEmpty()) {
            judge(request);
        } else if (waiting.size() < 2 * queueDepth) {
            waiting.add(request);
        } else {
            turnAway(request, true);
        }
    }

    /// Answers a request that cannot be taken in now.
    ///
    /// Code 58 says that it was never taken in, after which clients ask again under another number. So it is not
    /// for a repeat: one whose original is under way or was decided is answered as if there were room.
    private void turnAway(MetadataRequest request, boolean isFull) {
        boolean isNumbered =
                request.kind == MetadataRequest.Kind.COMMAND || request.kind == MetadataRequest.Kind.LOGOUT;
        if (isNumbered && (isRunning(request.client) || isWaiting(request.client))) {
            reject(request, ErrorCode.TRANSIENT_NOT_COMMITTED);
            return;
        }
        Verdict verdict = isNumbered
                ? catalog.clients().judge(request.client, request.session, request.number, request.checksum)
                : null;
        if (verdict == null || verdict instanceof Verdict.Execute) {
            answer(request, new MetadataAnswer.Rejected(ErrorCode.TRANSIENT_NOT_ACCEPTED, isFull));
        } else {
            answerRepeat(request, verdict);
        }
    }

    private void answerRepeat(MetadataRequest request, Verdict verdict) {
        switch (verdict) {
            case Verdict.Execute _ ->
                throw new IllegalArgumentException("a request that is to be executed is no repeat");
            case Verdict.Repeat repeat -> answer(request, new MetadataAnswer.Decided(repeat.reply()));
            case Verdict.Reject reject -> reject(request, reject.error());
            case Verdict.Deny deny -> answer(request, new MetadataAnswer.Denied(deny.error()));
            case Verdict.Evict evict -> answer(request, new MetadataAnswer.Evicted(evict.reason()));
        }
    }

    /// A journal that found no room is asked now and then whether there is some again.
    private boolean isJournalWorking() {
        if (journal.fault() != null) {
            if (host.monotonicNanos() - probedNanos >= PROBE_NANOS) {
                probedNanos = host.monotonicNanos();
                journal.probe();
            }
            return false;
        }
        if (isStopped) {
            // What failed is gone for good, so its ops are free.
            isStopped = false;
            replica = Replica.restore(0, 1, 0, journal.lastOp(), this::commit);
            host.count(Incident.JOURNAL_RECOVERED);
            host.warn("the metadata journal works again");
        }
        return true;
    }

    /// Requests that are not answered yet.
    public int pendingCount() {
        return running.size() + waiting.size();
    }

    /// Stops for good: what is being journalled is finished, what waits is refused.
    public void close(Completion done) {
        closing = done;
        refuseWaiting();
        closeIfIdle();
    }

    private void judge(MetadataRequest request) {
        switch (request.kind) {
            case COMMAND, LOGOUT -> {
                if (isRunning(request.client)) {
                    reject(request, ErrorCode.TRANSIENT_NOT_COMMITTED);
                    return;
                }
                Verdict verdict =
                        catalog.clients().judge(request.client, request.session, request.number, request.checksum);
                if (verdict instanceof Verdict.Execute) {
                    prepare(request);
                } else {
                    answerRepeat(request, verdict);
                }
            }
            case LOGIN -> {
                if (catalog.clients().isFreeFor(request.client, request.userId)) {
                    prepare(request);
                } else {
                    answer(request, new MetadataAnswer.Evicted(EvictionReason.SESSION_ERROR));
                }
            }
            case DISCONNECT, REMOVE_EXPIRED_TOKENS, REVOCATION -> prepare(request);
        }
    }

    private boolean isWaiting(ClientId client) {
        for (MetadataRequest other : waiting) {
            if (other.client.equals(client)) {
                return true;
            }
        }
        return false;
    }

    private boolean isRunning(ClientId client) {
        for (Running other : running) {
            if (other.request.client.equals(client)) {
                return true;
            }
        }
        return false;
    }

    private void prepare(MetadataRequest request) {
        boolean hasRoom = journal.operationsCount() + running.size() < 2 * journalSlots;
        if (!hasRoom) {
            snapshotAgain();
        }
        if (!hasRoom || !host.reserveBroadcast()) {
            reject(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        timestampMicros = Math.max(timestampMicros + 1, host.wallMicros());
        ByteBuffer operation = encoded(request);
        long op = replica.prepare();
        running.add(new Running(op, operation, request));
        journal.append(op, operation, (_, fault) -> onJournalled(op, fault));
    }

    private ByteBuffer encoded(MetadataRequest request) {
        return switch (request.kind) {
            case COMMAND ->
                MetadataOperation.command(
                        request.operation,
                        request.client,
                        request.session,
                        request.number,
                        request.checksum,
                        request.userId,
                        timestampMicros,
                        request.body);
            case LOGIN ->
                MetadataOperation.register(
                        request.client,
                        request.checksum,
                        request.userId,
                        Objects.requireNonNull(request.admission),
                        timestampMicros,
                        clientsMax);
            case LOGOUT ->
                MetadataOperation.logout(
                        request.client,
                        request.session,
                        request.number,
                        request.checksum,
                        request.userId,
                        timestampMicros);
            case REVOCATION -> MetadataOperation.completeRevocation(request.body, timestampMicros);
            case DISCONNECT ->
                MetadataOperation.logout(
                        request.client,
                        request.session,
                        MetadataOperation.DISCONNECT_REQUEST,
                        0,
                        request.userId,
                        timestampMicros);
            case REMOVE_EXPIRED_TOKENS -> MetadataOperation.removeExpiredTokens(timestampMicros);
        };
    }

    private void onJournalled(long op, @Nullable DiskFault fault) {
        if (fault == null) {
            replica.onJournaled(op);
            judgeWaiting();
            snapshotIfDue();
        } else if (!running.isEmpty() && op >= running.element().op) {
            onFault(op, fault);
        }
        closeIfIdle();
    }

    private void commit(long op) {
        Running oldest = running.remove();
        Invariant.check(oldest.op == op, "the oldest running operation has the committed op", oldest.op, op);
        Outcome outcome = host.commit(op, oldest.operation);
        answer(
                oldest.request,
                switch (outcome) {
                    case Outcome.Decided decided -> new MetadataAnswer.Decided(decided.reply());
                    case Outcome.Evicted evicted -> new MetadataAnswer.Evicted(evicted.reason());
                    case Outcome.Unknown _ ->
                        throw new IllegalStateException("op " + op + " was made here and is unknown here");
                });
    }

    /// The journal takes nothing for now. Whether what was on its way will be found there is not known.
    private void onFault(long op, DiskFault fault) {
        host.count(Incident.JOURNAL_FAILED);
        host.error("the metadata journal failed, metadata commands and logins are refused"
                + (fault.kind() == DiskFault.Kind.IO ? " until a restart: " : " until the disk takes them again: ")
                + fault);
        isStopped = true;
        probedNanos = host.monotonicNanos();
        replica.onJournalFault(op);
        while (!running.isEmpty()) {
            host.unreserveBroadcast();
            reject(running.remove().request, ErrorCode.TRANSIENT_NOT_COMMITTED);
        }
        refuseWaiting();
    }

    private void judgeWaiting() {
        while (!waiting.isEmpty() && running.size() < queueDepth) {
            judge(waiting.remove());
        }
    }

    private void refuseWaiting() {
        while (!waiting.isEmpty()) {
            reject(waiting.remove(), ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
    }

    private void snapshotIfDue() {
        if (isSnapshotRunning || closing != null || journal.operationsCount() < snapshotAtCount) {
            return;
        }
        isSnapshotRunning = true;
        snapshotTriedNanos = host.monotonicNanos();
        journal.snapshot(catalog.appliedOp(), catalog.snapshot(), (_, fault) -> onSnapshot(fault));
    }

    /// Tries a snapshot that has failed once more, when the journal is full: no operation will come behind which
    /// that happens otherwise.
    private void snapshotAgain() {
        if (!isSnapshotRunning && host.monotonicNanos() - snapshotTriedNanos >= PROBE_NANOS) {
            snapshotAtCount = journalSlots;
            snapshotIfDue();
        }
    }

    private void onSnapshot(@Nullable DiskFault fault) {
        isSnapshotRunning = false;
        snapshotAtCount = journalSlots;
        if (fault != null) {
            host.count(Incident.SNAPSHOT_FAILED);
            host.warn("a snapshot of the metadata could not be written, the journal grows: " + fault);
            // Not with every operation: a disk that is full stays so for a while.
            snapshotAtCount = journal.operationsCount() + Math.max(1, journalSlots / 8);
        }
        closeIfIdle();
    }

    private void closeIfIdle() {
        Completion done = closing;
        if (done != null && running.isEmpty() && !isSnapshotRunning && !isClosed) {
            isClosed = true;
            journal.close(done);
        }
    }

    private void reject(MetadataRequest request, ErrorCode error) {
        answer(request, new MetadataAnswer.Rejected(error, false));
    }

    private void answer(MetadataRequest request, MetadataAnswer answer) {
        request.answer(answer);
        host.onAnswered(request);
    }
}
