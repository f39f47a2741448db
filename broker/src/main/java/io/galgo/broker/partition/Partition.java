package io.galgo.broker.partition;

import io.galgo.broker.metadata.TopicSettings;
import io.galgo.consensus.Replica;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.batch.BatchCheck;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.BatchStamp;
import io.galgo.protocol.reply.CompressionAlgorithm;
import io.galgo.storage.Incident;
import io.galgo.storage.Invariant;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.log.Backlog;
import io.galgo.storage.log.LogRead;
import io.galgo.storage.log.PartitionLog;
import io.galgo.storage.memory.PooledBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One partition: takes batches in order, answers polls, keeps consumer offsets.
///
/// Its files are made with its first message. Owned by one shard and confined to its thread.
public final class Partition {
    // A send is checked when it arrives and stamped when its turn to be written comes: at most `queueDepth` are
    // being written, at most twice as many writes wait, and more are refused. Writes complete in order; each
    // commits its op, which makes the batch readable and sends the answer.
    //
    // An offset write must see the sends that came before it, for a client may pipeline "send, then store the
    // offset of what I sent". So it waits until as many sends are finished as had arrived before it. Sends do not
    // wait for offset writes.

    // How long a disk that failed is left alone before it is tried again.
    private static final long RETRY_NANOS = 1_000_000_000L;

    // What a read that finds no memory asks the caches for; it can go on with less than it wants to deliver.
    private static final int ROOM_BYTES = 4 << 20;

    // A confirmation without a place, as duplicate detection remembers it.
    private static final long PLACELESS = Long.MIN_VALUE;

    private final PartitionHost host;
    private final PartitionSettings settings;
    private final BatchChecksum checksum;
    private final ReadSlots reads;
    private final PendingJoins joins;
    private final LateOpenings openings;
    private final int streamId;
    private final int topicId;
    private final int id;
    private final long created;
    private TopicSettings topic;
    private long purgeGeneration;

    // Sealed segments that end at or before this offset may go: a client gave them up.
    private long truncatedBelow;

    private final Replica replica = Replica.restore(0, 1, 0, 0, this::commit);
    private final WriteOutage outage;
    private final WriteOutage offsetOutage;
    private final DuplicateWindow duplicates;
    private final ServedOffsets served = new ServedOffsets();
    private final WaitSlots waits;
    private final WaitingPolls waitingPolls;
    private final ArrayDeque<SendRequest> running = new ArrayDeque<>();
    private final ArrayDeque<SendRequest> waiting = new ArrayDeque<>();
    private final ArrayDeque<OffsetWriteRequest> blockedOffsets = new ArrayDeque<>();
    private final ArrayDeque<OffsetWriteRequest> runningOffsets = new ArrayDeque<>();
    private long sendsArrived;
    private long sendsFinished;
    private long timestampMicros;

    private @Nullable PartitionLog log;
    private @Nullable ConsumerOffsets offsets;
    private boolean isPurging;
    private boolean isRefused;
    private boolean isDeleting;
    private boolean isClosed;
    private boolean isDeleted;
    private long triedLastNanos;
    private long damagedOffset = -1;

    Partition(
            PartitionHost host,
            PartitionSettings settings,
            BatchChecksum checksum,
            ReadSlots reads,
            PendingJoins joins,
            WaitSlots waits,
            LateOpenings openings,
            int streamId,
            int topicId,
            int id,
            long created,
            long purgeGeneration,
            long truncatedBelow,
            TopicSettings topic) {
        this.host = host;
        this.settings = settings;
        this.checksum = checksum;
        this.reads = reads;
        this.joins = joins;
        this.waits = waits;
        this.openings = openings;
        this.waitingPolls = new WaitingPolls(host, waits, this::answerNothing);
        this.streamId = streamId;
        this.topicId = topicId;
        this.id = id;
        this.created = created;
        this.purgeGeneration = purgeGeneration;
        this.truncatedBelow = truncatedBelow;
        this.topic = topic;
        this.duplicates = new DuplicateWindow(settings.dedupClientsMax());
        this.outage = new WriteOutage(host, this::name, "sends", Incident.LOG_FENCED, Incident.LOG_RECOVERED);
        this.offsetOutage = new WriteOutage(
                host, this::name, "changes of consumer offsets", Incident.OFFSETS_FENCED, Incident.OFFSETS_RECOVERED);
    }

    long created() {
        return created;
    }

    int streamId() {
        return streamId;
    }

    int topicId() {
        return topicId;
    }

    int id() {
        return id;
    }

    /// Opens what an earlier run left. After a fault the partition is closed until somebody asks for it again;
    /// files that must not be used as they are keep it closed until a restart.
    ///
    /// Waits for the disk. Before the shard serves that is what it is there for. Later it happens to a partition
    /// that the disk failed at start only, while somebody asks for it, once in [#RETRY_NANOS] and as seldom as
    /// [LateOpenings] says. It holds the shard up for as long as its segments take to be read: that is the price of
    /// not keeping a second way to recover a log for a case in which the disk is broken anyway.
    void open() {
        triedLastNanos = host.monotonicNanos();
        PartitionLog opened = null;
        try {
            opened = PartitionLog.open(
                    host.logs(),
                    directory(),
                    settings.logSettings(topic),
                    created,
                    purgeGeneration,
                    settings.memoryWasLost(),
                    line -> host.info("partition " + name() + ": " + line));
            offsets = new ConsumerOffsets(
                    host,
                    name(),
                    directory() + "/offsets",
                    created,
                    purgeGeneration,
                    settings.consumerOffsetsMax(),
                    opened.isEverWritten() ? opened.currentOffset() : ConsumerOffsets.NONE,
                    groupId -> host.hasGroup(streamId, topicId, groupId));
            log = opened;
        } catch (DiskException e) {
            host.logs().incidents().count(Incident.PARTITION_UNOPENED);
            host.error("partition " + name() + " could not be opened and is not served until it can: " + e.fault());
        } catch (Unreadable e) {
            isRefused = true;
            host.logs().incidents().count(Incident.PARTITION_REFUSED);
            host.error("partition " + name() + " is not served: " + e.getMessage());
        }
        if (log == null && opened != null) {
            opened.leave();
        }
    }

    /// Whether what an earlier run left was opened.
    boolean isOpen() {
        return log != null;
    }

    /// Takes a request and answers it, now or later.
    void execute(PartitionRequest request) {
        switch (request) {
            case SendRequest send -> send(send);
            case PollRequest poll -> poll(poll);
            case OffsetWriteRequest write -> writeOffset(write);
            case OffsetReadRequest read -> readOffset(read);
            case SegmentEndRequest end -> tellSegmentEnd(end);
        }
    }

    // Sends

    private void send(SendRequest request) {
        PartitionLog target = servingLog();
        if (target == null || !isWritable(target)) {
            outage.onRefused();
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        ErrorCode wrong = BatchCheck.refusal(
                request.frame().bytes(), request.batchPosition, request.batchLength, request.messagesCount, checksum);
        if (wrong != null) {
            refuse(request, wrong);
            return;
        }
        request.content = BatchHeader.checksum(request.frame().bytes(), request.batchPosition);
        long known = duplicates.find(request.writer, request.number, request.content);
        if (known != DuplicateWindow.UNKNOWN) {
            confirmAgain(request, known);
        } else if (isRunning(request)) {
            refuse(request, ErrorCode.TRANSIENT_NOT_COMMITTED);
        } else if (running.size() < settings.queueDepth() && waiting.isEmpty()) {
            if (stamp(target, request)) {
                sendsArrived++;
                start(target, request);
            } else {
                refuse(request, unstorable(target, request));
            }
        } else if (hasRoomToWait()) {
            sendsArrived++;
            waiting.add(request);
        } else {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
    }

    /// A log that ran out of space is asked now and then whether there is room again.
    private boolean isWritable(PartitionLog target) {
        if (!target.isWritable() && host.monotonicNanos() - triedLastNanos >= RETRY_NANOS) {
            triedLastNanos = host.monotonicNanos();
            target.probe();
        }
        return target.isWritable();
    }

    /// Gives a batch its place, and the form in which it is stored.
    ///
    /// @return false when there is no memory for that
    private boolean stamp(PartitionLog target, SendRequest request) {
        timestampMicros = Math.max(Math.max(timestampMicros, target.lastTimestamp()), host.wallMicros());
        request.baseOffset = target.appendOffset();
        BatchStamp.apply(
                request.frame().bytes(), request.batchPosition, id, request.baseOffset, timestampMicros, checksum);
        PooledBuffer stored = target.toStored(request.frame(), request.batchPosition, deflates());
        if (stored == null) {
            return false;
        }
        request.store(stored);
        return true;
    }

    private boolean deflates() {
        return topic.compression() == CompressionAlgorithm.GZIP;
    }

    /// Why a batch found no memory for its stored form.
    private ErrorCode unstorable(PartitionLog target, SendRequest request) {
        return target.isTooLarge(request.frame(), request.batchPosition, deflates())
                ? ErrorCode.TOO_BIG_MESSAGE_PAYLOAD
                : ErrorCode.TRANSIENT_NOT_ACCEPTED;
    }

    private void start(PartitionLog target, SendRequest request) {
        request.op = replica.prepare();
        request.appendTo(this);
        running.add(request);
        target.append(request.frame(), request.batchPosition, request.batchLength, request);
        request.release();
    }

    /// The log has written a batch, or never will.
    void onAppended(SendRequest request, int bytes, @Nullable DiskFault fault) {
        if (request.isAnswered()) {
            return;
        }
        if (fault != null) {
            onAppendFault(request, fault);
            return;
        }
        request.isPurged = bytes == 0;
        replica.onJournaled(request.op);
        if (!isPurging) {
            startWaiting();
        }
    }

    private void commit(long op) {
        SendRequest request = running.remove();
        Invariant.check(request.op == op, "the oldest running send has the committed op", request.op, op);
        PartitionLog target = openLog();
        if (!request.isPurged) {
            target.commit(request.baseOffset + Integer.toUnsignedLong(request.messagesCount));
        }
        outage.end();
        duplicates.remember(
                request.writer, request.number, request.content, request.isPurged ? PLACELESS : request.baseOffset);
        sendsFinished++;
        answer(request, null);
        wakeDue();
    }

    private void confirmAgain(SendRequest request, long known) {
        request.isPurged = known == PLACELESS;
        request.baseOffset = known;
        request.release();
        answer(request, null);
    }

    /// The log accepts nothing more until it is known to be good again, and what it had accepted is lost.
    private void onAppendFault(SendRequest first, DiskFault fault) {
        outage.onFault(fault);
        replica.onJournalFault(first.op);
        while (!running.isEmpty()) {
            sendsFinished++;
            outage.onRefused();
            refuse(running.remove(), ErrorCode.CANNOT_APPEND_MESSAGE);
        }
        while (!waiting.isEmpty()) {
            sendsFinished++;
            outage.onRefused();
            refuse(waiting.remove(), ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        unblockOffsets();
    }

    private void startWaiting() {
        PartitionLog target = openLog();
        while (!waiting.isEmpty() && running.size() < settings.queueDepth()) {
            SendRequest next = waiting.remove();
            if (!target.isWritable()) {
                sendsFinished++;
                refuse(next, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            } else if (stamp(target, next)) {
                start(target, next);
            } else {
                sendsFinished++;
                refuse(next, unstorable(target, next));
            }
        }
        unblockOffsets();
    }

    private boolean isRunning(SendRequest request) {
        for (SendRequest other : running) {
            if (request.isRepeatOf(other)) {
                return true;
            }
        }
        for (SendRequest other : waiting) {
            if (request.isRepeatOf(other)) {
                return true;
            }
        }
        return false;
    }

    private boolean hasRoomToWait() {
        return waiting.size() + blockedOffsets.size() < 2 * settings.queueDepth();
    }

    // Consumer offsets

    private void writeOffset(OffsetWriteRequest request) {
        if (servingLog() == null) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        if (duplicates.find(request.writer, request.number, request.content) != DuplicateWindow.UNKNOWN) {
            answer(request, null);
        } else if (isRunning(request)) {
            refuse(request, ErrorCode.TRANSIENT_NOT_COMMITTED);
        } else if (hasRoomToWait()) {
            request.turn = sendsArrived;
            blockedOffsets.add(request);
            unblockOffsets();
        } else {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
    }

    private void startOffset(OffsetWriteRequest request) {
        ErrorCode wrong = isDisowned(request)
                ? ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED
                : request.isDelete ? deleteRefusal(request) : storeRefusal(request);
        if (wrong != null) {
            refuse(request, wrong);
            return;
        }
        request.generation = purgeGeneration;
        request.writeTo(this);
        runningOffsets.add(request);
        openOffsets().write(request, topic.offsetsPersisted());
    }

    /// Whether the partition went to another member of the group since the request was routed. What that member
    /// stored must not be overwritten.
    private boolean isDisowned(OffsetWriteRequest request) {
        return request.claim != null && !host.isAssigned(request.target(), request.claim);
    }

    private @Nullable ErrorCode deleteRefusal(OffsetWriteRequest request) {
        return openOffsets().isStoredOrBeing(request.group, request.consumerKey)
                ? null
                : ErrorCode.CONSUMER_OFFSET_NOT_FOUND;
    }

    private @Nullable ErrorCode storeRefusal(OffsetWriteRequest request) {
        PartitionLog target = openLog();
        if (!target.isEverWritten() || Long.compareUnsigned(request.offset, target.currentOffset()) > 0) {
            return ErrorCode.INVALID_OFFSET;
        }
        return openOffsets().hasRoomFor(request.group, request.consumerKey)
                ? null
                : ErrorCode.TOO_MANY_CONSUMER_OFFSETS;
    }

    /// The disk is done with an offset write.
    void onOffsetWritten(OffsetWriteRequest request, @Nullable DiskFault fault) {
        if (request.isAnswered()) {
            return;
        }
        runningOffsets.remove(request);
        boolean isDisowned = isDisowned(request);
        if (request.generation == purgeGeneration) {
            openOffsets().onWritten(request, fault == null && !isDisowned);
        } else {
            openOffsets().onWrittenBeforePurge();
        }
        if (isDisowned) {
            refuse(request, ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED);
        } else if (fault == null) {
            offsetOutage.end();
            duplicates.remember(request.writer, request.number, request.content, 0);
            answer(request, null);
            if (request.group) {
                host.onGroupOffset(request.target(), request.consumerKey);
            }
            onOffsetChanged(request.group, request.consumerKey);
        } else {
            offsetOutage.onFault(fault);
            offsetOutage.onRefused();
            refuse(request, ErrorCode.CANNOT_APPEND_MESSAGE);
        }
        unblockOffsets();
    }

    private void unblockOffsets() {
        while (!blockedOffsets.isEmpty()
                && blockedOffsets.element().turn <= sendsFinished
                && runningOffsets.size() < settings.queueDepth()) {
            startOffset(blockedOffsets.remove());
        }
    }

    private boolean isRunning(OffsetWriteRequest request) {
        for (OffsetWriteRequest other : runningOffsets) {
            if (request.isRepeatOf(other)) {
                return true;
            }
        }
        for (OffsetWriteRequest other : blockedOffsets) {
            if (request.isRepeatOf(other)) {
                return true;
            }
        }
        return false;
    }

    private void readOffset(OffsetReadRequest request) {
        if (servingLog() == null) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        long stored = openOffsets().stored(request.group, request.consumerKey);
        request.fill(stored != ConsumerOffsets.NONE, stored, currentOffset());
        answer(request, null);
    }

    // Polls

    private void poll(PollRequest request) {
        if (isForfeited(request)) {
            return;
        }
        if (request.claim != null && !isAdmitted(request, request.claim)) {
            return;
        }
        PartitionLog source = servingLog();
        if (source == null) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        if (request.messagesMax == 0) {
            answerNothing(request);
            return;
        }
        if (!source.isEverWritten()) {
            answerEmpty(request);
            return;
        }
        request.generation = purgeGeneration;
        request.isSecondTry = false;
        request.readFrom(this);
        read(source, request);
    }

    /// Whether a poll may not be served any more, because nobody receives the answer or what it waited in the name
    /// of is gone. It is answered then.
    ///
    /// Asked before each read and behind it, because a poll may wait in between for anything.
    private boolean isForfeited(PollRequest request) {
        if (request.isWaitOver) {
            answerNothing(request);
            return true;
        }
        PollWait wait = request.pollWait();
        if (wait != null && !host.mayPoll(request.target(), wait)) {
            refuse(request, ErrorCode.UNAUTHORIZED);
            return true;
        }
        return false;
    }

    /// Whether a member of a group may be served now. Otherwise the poll is refused, or waits until that is known.
    ///
    /// Asked twice, because the partition may move while a poll waits for the disk.
    private boolean isAdmitted(PollRequest request, GroupClaim claim) {
        if (!host.isPollable(request.target(), claim)) {
            refuse(request, ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED);
            return false;
        }
        if (request.autoCommit || !joins.isPending(request) || isInFlight(claim.groupId())) {
            return true;
        }
        if (!joins.hold(request)) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        return false;
    }

    /// A user may do other things now: those of its polls that wait here and may not poll any more are refused.
    void onRightsChanged(int userId) {
        for (PollRequest poll : waitingPolls.all()) {
            PollWait wait = poll.pollWait();
            if (wait != null
                    && wait.userId() == userId
                    && !host.mayPoll(poll.target(), wait)
                    && waitingPolls.remove(poll)) {
                refuse(poll, ErrorCode.UNAUTHORIZED);
            }
        }
    }

    /// The members of a group or their partitions are others now. What the group was served is forgotten, unless
    /// that was to the member that owns this partition, and so are waiting polls of those who may not poll it any
    /// more.
    void onGroupChanged(int groupId) {
        GroupClaim last = served.last(groupId);
        if (last != null && !host.isAssigned(new Target(streamId, topicId, id, created, 0), last)) {
            served.remove(groupId);
        }
        for (PollRequest poll : waitingPolls.of(true, groupId)) {
            GroupClaim claim = poll.claim;
            if (claim != null && !host.isPollable(poll.target(), claim) && waitingPolls.remove(poll)) {
                refuse(poll, ErrorCode.CONSUMER_GROUP_PARTITION_NOT_OWNED);
            }
        }
    }

    /// There are new messages.
    private void wakeDue() {
        PartitionLog source = log;
        if (source == null) {
            return;
        }
        List<PollRequest> due = waitingPolls.due(source.nextOffset(), source.lastTimestamp());
        for (int i = 0; i < due.size(); i++) {
            wake(due.get(i));
        }
    }

    /// A consumer or group stands elsewhere, perhaps further back.
    private void onOffsetChanged(boolean group, int consumerKey) {
        List<PollRequest> polls = waitingPolls.of(group, consumerKey);
        for (int i = 0; i < polls.size(); i++) {
            if (polls.get(i).start == PollRequest.Start.NEXT) {
                wake(polls.get(i));
            }
        }
    }

    /// Looks again whether there is something for a poll that waits.
    private void wake(PollRequest poll) {
        if (!waitingPolls.remove(poll)) {
            return;
        }
        PartitionLog source = log;
        if (source == null || isWorthARead(source, poll)) {
            poll(poll);
        } else {
            answerEmpty(poll);
        }
    }

    private boolean isWorthARead(PartitionLog source, PollRequest poll) {
        if (poll.start == PollRequest.Start.TIMESTAMP) {
            return true;
        }
        long from = firstWanted(source, poll);
        return from >= 0 && from < source.nextOffset();
    }

    /// Nobody waits for the answer of a poll any more. One that is being read is answered when the read ends.
    ///
    /// @param wasHeld whether it was taken out of where polls lie before they get here
    void cancel(PollRequest poll, boolean wasHeld) {
        poll.isWaitOver = true;
        if (waitingPolls.remove(poll) || wasHeld) {
            answerNothing(poll);
        }
    }

    /// The shard stops: no poll waits any longer.
    void endWaits() {
        for (PollRequest poll : waitingPolls.all()) {
            cancel(poll, false);
        }
    }

    /// Whether the member of a group that owns this partition was served messages that it has not stored the offset
    /// of.
    boolean isInFlight(int groupId) {
        GroupClaim unstored = offsets == null ? null : served.servedBeyond(groupId, offsets.stored(true, groupId));
        return unstored != null && host.isAssigned(new Target(streamId, topicId, id, created, 0), unstored);
    }

    private void read(PartitionLog source, PollRequest request) {
        int messagesMax = (int) Math.min(request.messagesMax, Integer.MAX_VALUE);
        if (request.start == PollRequest.Start.TIMESTAMP) {
            if (isSlotFree(request)) {
                source.readSince(timeWanted(request), messagesMax, request.bytesMax, request);
            }
            return;
        }
        long from = firstWanted(source, request);
        if (from < 0 || from > source.currentOffset()) {
            giveSlotBack(request);
            answerEmpty(request);
        } else if (source.isInTail(from) || isSlotFree(request)) {
            source.read(from, messagesMax, request.bytesMax, request);
        }
    }

    /// Takes a slot for a read. When none is free, a poll that waits for messages waits for that too, and any other
    /// one is refused.
    private boolean isSlotFree(PollRequest request) {
        if (request.hasReadSlot || reads.take(request)) {
            request.hasReadSlot = true;
            return true;
        }
        if (waitingPolls.mayWait(request) && waitingPolls.addForSlot(request, reads)) {
            return false;
        }
        if (request.going != null) {
            answerNothing(request);
        } else {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        return false;
    }

    /// It is the turn of a poll that waited for a slot. Much may have changed since.
    void onReadSlot(PollRequest request) {
        if (waitingPolls.remove(request)) {
            poll(request);
        }
    }

    private void giveSlotBack(PollRequest request) {
        if (request.hasReadSlot) {
            request.hasReadSlot = false;
            reads.giveBack();
        }
    }

    private long firstWanted(PartitionLog source, PollRequest request) {
        return switch (request.start) {
            case OFFSET -> request.value;
            case FIRST, TIMESTAMP -> source.firstOffset();
            case LAST -> Math.max(source.firstOffset(), source.currentOffset() - (request.messagesMax - 1));
            case NEXT -> {
                long stored = openOffsets().stored(request.group, request.consumerKey);
                yield stored == ConsumerOffsets.NONE ? source.firstOffset() : stored + 1;
            }
        };
    }

    /// The log has read what a poll wants.
    void onRead(PollRequest request, LogRead read) {
        if (read instanceof LogRead.NoMemory && mayTryAgain(request)) {
            // With the slot that it has.
            request.isSecondTry = true;
            read(openLog(), request);
            return;
        }
        giveSlotBack(request);
        if (isClosed) {
            releaseSlices(read);
            refuse(request, isDeleted ? request.missing() : ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        if (isForfeited(request)) {
            releaseSlices(read);
            return;
        }
        switch (read) {
            case LogRead.Messages messages -> deliver(request, messages);
            case LogRead.Damaged damaged -> {
                host.logs().incidents().count(Incident.DAMAGE_READ);
                if (isNewTrouble(damaged.offset())) {
                    host.error("partition " + name() + " is damaged at offset " + damaged.offset() + ": "
                            + damaged.detail() + ". Polls from there are refused with code "
                            + ErrorCode.INVALID_BATCH_CHECKSUM.code() + "; consumers may go on at a later offset, or"
                            + " the file be restored from a copy while the server is stopped");
                }
                refuse(request, ErrorCode.INVALID_BATCH_CHECKSUM);
            }
            case LogRead.Undecryptable undecryptable -> {
                if (isNewTrouble(undecryptable.offset())) {
                    host.error("partition " + name() + " holds messages at offset " + undecryptable.offset()
                            + " that encryption.key does not decrypt. Polls from there are refused with code "
                            + ErrorCode.CANNOT_DECRYPT_DATA.code() + "; start with the key that they were stored with");
                }
                refuse(request, ErrorCode.CANNOT_DECRYPT_DATA);
            }
            case LogRead.Faulted faulted -> {
                host.logs().incidents().count(Incident.READ_FAILED);
                host.warn("partition " + name() + " could not be read: " + faulted.fault());
                refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            }
            case LogRead.TooLarge large -> {
                if (isNewTrouble(large.offset())) {
                    host.warn("partition " + name() + " holds a batch at offset " + large.offset() + " that takes "
                            + large.bytes() + " bytes of memory to read, and memory_pool.size is less");
                }
                refuse(request, ErrorCode.CANNOT_READ_MESSAGE);
            }
            case LogRead.NoMemory _ -> refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
    }

    /// Whether people have not just been told of an offset: many may poll there.
    private boolean isNewTrouble(long offset) {
        boolean isNew = offset != damagedOffset;
        damagedOffset = offset;
        return isNew;
    }

    private boolean mayTryAgain(PollRequest request) {
        return !isClosed
                && !request.isWaitOver
                && !request.isSecondTry
                && host.makeRoom(Math.min(request.bytesMax, ROOM_BYTES));
    }

    private void deliver(PollRequest request, LogRead.Messages messages) {
        if (request.generation != purgeGeneration && waitingPolls.mayWait(request)) {
            // What was written since was not read.
            releaseSlices(messages);
            poll(request);
            return;
        }
        if (messages.messagesCount() == 0 || request.generation != purgeGeneration) {
            releaseSlices(messages);
            answerEmpty(request);
            return;
        }
        if (request.claim != null && !isAdmitted(request, request.claim)) {
            releaseSlices(messages);
            return;
        }
        if (request.autoCommit) {
            ConsumerOffsets target = openOffsets();
            if (!target.hasRoomFor(request.group, request.consumerKey)) {
                releaseSlices(messages);
                refuse(request, ErrorCode.TOO_MANY_CONSUMER_OFFSETS);
                return;
            }
            target.raise(request.group, request.consumerKey, messages.lastOffset());
        }
        if (request.claim != null) {
            served.raise(request.claim, messages.lastOffset());
        }
        request.fill(messages.slices(), messages.messagesCount(), currentOffset());
        answer(request, null);
    }

    /// There is nothing for a poll: the answer says so, or waits until there is.
    private void answerEmpty(PollRequest request) {
        if (isClosed || !waitingPolls.mayWait(request)) {
            answerNothing(request);
        } else if (!lieDown(openLog(), request)) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
    }

    private boolean lieDown(PartitionLog source, PollRequest request) {
        if (request.start == PollRequest.Start.TIMESTAMP) {
            return waitingPolls.addForTime(request, timeWanted(request));
        }
        long from = firstWanted(source, request);
        return waitingPolls.addForOffset(request, from < 0 ? Long.MAX_VALUE : Math.max(from, source.nextOffset()));
    }

    /// A timestamp beyond 2^63 is one in the far future.
    private static long timeWanted(PollRequest request) {
        return request.value < 0 ? Long.MAX_VALUE : request.value;
    }

    private void answerNothing(PollRequest request) {
        request.fill(List.of(), 0, currentOffset());
        answer(request, null);
    }

    private static void releaseSlices(LogRead read) {
        if (read instanceof LogRead.Messages messages) {
            for (int i = 0; i < messages.slices().size(); i++) {
                messages.slices().get(i).release();
            }
        }
    }

    // Deletion of segments

    /// Tells where the segments end that are to be deleted.
    private void tellSegmentEnd(SegmentEndRequest request) {
        PartitionLog source = servingLog();
        if (source == null) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        int count = (int) Math.min(request.segmentsMax, source.sealedSegmentsCount());
        request.fill(count == 0 ? 0 : source.sealedEndOffset(count - 1), Math.max(created, purgeGeneration));
        answer(request, null);
    }

    /// A client gave the sealed segments up that end at or before an offset.
    void truncate(long offset) {
        truncatedBelow = Math.max(truncatedBelow, offset);
    }

    /// Whether there are segments still that a client gave up, or may be once the partition is open.
    boolean hasTruncated() {
        PartitionLog target = log;
        if (target == null) {
            return truncatedBelow > 0 && !isRefused && !isClosed;
        }
        return !isClosed
                && target.firstOffset() < truncatedBelow
                && target.sealedSegmentsCount() > 0
                && target.sealedEndOffset(0) <= truncatedBelow;
    }

    /// Begins to delete segments that clients gave up and no consumer needs.
    ///
    /// @return how many
    int deleteTruncated(int segmentsMax) {
        PartitionLog target = log;
        if (target == null || isClosed || isDeleting || !hasTruncated()) {
            return 0;
        }
        return delete(target, Retention.endingBy(target, target.sealedSegmentsCount(), truncatedBelow), segmentsMax);
    }

    /// Begins to delete segments that retention lets go and no consumer needs.
    ///
    /// @return how many
    int deleteOld(MessageAges ages, int segmentsMax) {
        PartitionLog target = log;
        if (target == null || isClosed || isDeleting || !Retention.isBounded(topic)) {
            return 0;
        }
        int sealed = target.sealedSegmentsCount();
        // A segment may be a frame larger than its limit, and one that is full must not be too much.
        long bytesMax = Retention.bytesMax(
                topic,
                host.partitionsCount(streamId, topicId),
                settings.segmentBytes(topic) + settings.frameBytesMax());
        int count = Math.max(
                Retention.expired(target, sealed, topic.messageExpiryMicros(), ages),
                Retention.oversized(target, sealed, bytesMax));
        return delete(target, count, segmentsMax);
    }

    private int delete(PartitionLog target, int wanted, int segmentsMax) {
        int count = Math.min(wanted, segmentsMax);
        if (count > 0) {
            // Nothing is taken away from a consumer that has not read it: it stands at the last message it has
            // read.
            long lowest = openOffsets().lowest();
            count = lowest == ConsumerOffsets.NONE ? count : Retention.endingBy(target, count, lowest + 1);
        }
        if (count > 0) {
            isDeleting = true;
            target.deleteOldest(count, (_, fault) -> {
                isDeleting = false;
                if (fault != null) {
                    host.logs().incidents().count(Incident.SEGMENTS_KEPT);
                    host.warn("segments of partition " + name() + " could not be deleted yet: " + fault);
                }
            });
        }
        return count;
    }

    // What the metadata says

    void onTopicUpdated(TopicSettings updated) {
        topic = updated;
    }

    /// Everything in the partition is gone and offsets start at 0 again.
    void purge(long generation) {
        purgeGeneration = generation;
        served.clear();
        truncatedBelow = 0;
        if (offsets != null) {
            offsets.purge(generation);
        }
        if (log != null) {
            // What is being written completes inside the call; what waits belongs to the new beginning.
            isPurging = true;
            log.purge(generation);
            isPurging = false;
            // Whatever they waited for, it is another offset now.
            for (PollRequest poll : waitingPolls.all()) {
                wake(poll);
            }
            startWaiting();
        }
    }

    void removeGroup(int groupId) {
        onGroupChanged(groupId);
        served.remove(groupId);
        if (offsets != null) {
            offsets.removeGroup(groupId);
        }
    }

    /// The partition is gone. What is still running is answered as if it had come later.
    void delete() {
        isClosed = true;
        isDeleted = true;
        answerMissing();
        if (log == null) {
            // It could not be opened; what is there belongs to nobody any more.
            host.discard(directory());
        }
        if (offsets != null) {
            offsets.discard();
            offsets = null;
        }
        if (log != null) {
            log.delete();
            log = null;
        }
    }

    /// Stops for good with everything that was acknowledged on disk. Writes that have not begun are refused.
    void close(Completion done) {
        isClosed = true;
        outage.stop();
        offsetOutage.stop();
        while (!waiting.isEmpty()) {
            sendsFinished++;
            refuse(waiting.remove(), ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        while (!blockedOffsets.isEmpty()) {
            refuse(blockedOffsets.remove(), ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        closeOffsets((_, offsetsFault) ->
                closeLog((_, logFault) -> done.onComplete(0, offsetsFault != null ? offsetsFault : logFault)));
    }

    private void closeOffsets(Completion done) {
        if (offsets == null) {
            done.onComplete(0, null);
        } else {
            offsets.close(done);
        }
    }

    private void closeLog(Completion done) {
        if (log == null) {
            done.onComplete(0, null);
        } else {
            log.close(done);
        }
    }

    private void answerMissing() {
        for (PollRequest poll : waitingPolls.all()) {
            if (waitingPolls.remove(poll)) {
                refuse(poll, poll.missing());
            }
        }
        while (!running.isEmpty()) {
            refuse(running.remove(), ErrorCode.RESOURCE_NOT_FOUND);
        }
        while (!waiting.isEmpty()) {
            refuse(waiting.remove(), ErrorCode.RESOURCE_NOT_FOUND);
        }
        while (!runningOffsets.isEmpty()) {
            refuse(runningOffsets.remove(), ErrorCode.PARTITION_NOT_FOUND);
        }
        while (!blockedOffsets.isEmpty()) {
            refuse(blockedOffsets.remove(), ErrorCode.PARTITION_NOT_FOUND);
        }
    }

    // Numbers

    /// Tells how far a consumer group is behind here.
    void lag(int groupId, PartitionDirectory.LagVisitor visitor) {
        long stored = offsets == null ? ConsumerOffsets.NONE : offsets.stored(true, groupId);
        Backlog backlog = log == null ? Backlog.NONE : log.backlog(stored + 1);
        visitor.visit(groupId, id, stored, currentOffset(), backlog);
    }

    long currentOffset() {
        return log == null ? 0 : log.currentOffset();
    }

    long sizeBytes() {
        return log == null ? 0 : log.sizeBytes();
    }

    long messagesCount() {
        return log == null ? 0 : log.messagesCount();
    }

    int segmentsCount() {
        return log == null ? 1 : log.segmentsCount();
    }

    /// Writes that are not answered yet.
    int pendingCount() {
        return running.size() + waiting.size() + blockedOffsets.size() + runningOffsets.size();
    }

    // Files

    String name() {
        return host.nameOf(streamId, topicId, id);
    }

    String directory() {
        return PartitionDirectory.path(streamId, topicId, id);
    }

    /// The log, or null while it cannot be opened.
    private @Nullable PartitionLog servingLog() {
        if (log == null && !isRefused && !isClosed) {
            openLate();
        }
        return log;
    }

    private void openLate() {
        long begunNanos = host.monotonicNanos();
        if (begunNanos - triedLastNanos >= RETRY_NANOS && openings.mayBegin(begunNanos)) {
            open();
            openings.onEnded(begunNanos, host.monotonicNanos());
            if (log != null) {
                host.logs().incidents().count(Incident.PARTITION_OPENED_LATE);
            }
        }
    }

    private PartitionLog openLog() {
        PartitionLog open = log;
        if (open == null) {
            throw new IllegalStateException("partition " + name() + " has no open log");
        }
        return open;
    }

    private ConsumerOffsets openOffsets() {
        ConsumerOffsets open = offsets;
        if (open == null) {
            throw new IllegalStateException("partition " + name() + " has no open consumer offsets");
        }
        return open;
    }

    // Answers

    private void refuse(PartitionRequest request, ErrorCode code) {
        request.release();
        answer(request, code);
    }

    private void answer(PartitionRequest request, @Nullable ErrorCode code) {
        request.answer(code);
        waits.onAnswered(request);
        host.onAnswered(request);
    }
}
