package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.storage.Incidents;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.disk.MemoryDisk.Operation;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.form.SectionCipher;
import io.galgo.storage.form.StoredForms;
import io.galgo.storage.memory.BufferPool;
import io.galgo.storage.memory.MemoryBudget;
import io.galgo.storage.memory.PooledBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random appends, reads, evictions, purges, deletions, faults and crashes on one log, against a list of what was
/// acknowledged. `-Dgalgo.seed=N` repeats one run, `-Dgalgo.seeds=N` makes N of them.
class PartitionLogModelTest {
    private static final int SEEDS = 250;
    private static final int STEPS = 400;

    @Test
    void theLogKeepsWhatItAcknowledgedWhateverHappens() {
        Long only = Long.getLong("galgo.seed");
        long first = only == null ? 0 : only;
        long end = only == null ? Integer.getInteger("galgo.seeds", SEEDS) : only + 1;
        for (long seed = first; seed < end; seed++) {
            Run run = new Run(seed);
            try {
                run.run();
            } catch (RuntimeException | Error e) {
                throw new AssertionError(
                        "seed " + seed + " step " + run.step + ": " + e + "\n  " + String.join("\n  ", run.trace), e);
            }
        }
    }

    private record Batch(long baseOffset, long timestamp, List<String> payloads) {
        long endOffset() {
            return baseOffset + payloads.size();
        }

        long length() {
            long length = BatchHeader.BYTES;
            for (String payload : payloads) {
                length += MessageFrame.HEADER_BYTES + payload.length();
            }
            return length;
        }
    }

    /// A read that was asked for, and what must come of it.
    private static final class Read {
        final long offset;
        final long since;
        final int messagesMax;
        final int bytesMax;
        final long committedAtStart;
        final NavigableMap<Long, Batch> batches;
        boolean isDisturbed;
        boolean mayMeetFault;
        boolean isDone;

        Read(
                long offset,
                long since,
                int messagesMax,
                int bytesMax,
                long committedAtStart,
                NavigableMap<Long, Batch> batches) {
            this.offset = offset;
            this.since = since;
            this.messagesMax = messagesMax;
            this.bytesMax = bytesMax;
            this.committedAtStart = committedAtStart;
            this.batches = batches;
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final MemoryDisk disk;
        private final LogSettings settings;
        private final int openFilesMax;
        private final boolean encrypts;

        // Of four batches, so many are to be deflated.
        private final int deflatedShare;
        private int step;

        // What happened, for the failure text; the settings first.
        private final List<String> trace = new ArrayList<>();

        // What the metadata and the node state remember.
        private long created = 1;
        private long generation;
        private boolean memoryWasLost;

        private BufferPool buffers;
        private LogStorage storage;
        private PartitionLog log;

        // Batches that readers may see, by base offset, and those that were acknowledged and not committed yet.
        private TreeMap<Long, Batch> readable = new TreeMap<>();

        // All that readers could ever see since the last purge.
        private TreeMap<Long, Batch> history = new TreeMap<>();
        private final TreeMap<Long, Batch> acked = new TreeMap<>();
        private final TreeMap<Long, Batch> submitted = new TreeMap<>();

        // What may still be found after a crash although it failed, or was not acknowledged.
        private final List<Batch> attempted = new ArrayList<>();

        // Offsets that cannot be read, from (inclusive) to (exclusive).
        private final TreeMap<Long, Long> damages = new TreeMap<>();

        // What a power loss must leave.
        private final TreeMap<Long, Batch> durable = new TreeMap<>();
        private long highestIssued = -1;

        // Whatever a crash overtakes of the deletions asked for, it leaves all of what lies below or nothing.
        private long mayBeGoneTo;
        private long committed;
        private long timestamp = 1000;
        private int nextPayload;
        private boolean mayJump;

        // Whether the sync of a sealed segment may have failed. Then a power loss may take what replicated topics
        // hold.
        private boolean hasUnsyncedPast;
        private final List<Read> reads = new ArrayList<>();
        private final List<Runnable> heldSlices = new ArrayList<>();

        Run(long seed) {
            random = new SplittableRandom(seed);
            disk = new MemoryDisk(seed);
            settings = new LogSettings(
                    600 + random.nextInt(4000),
                    random.nextBoolean(),
                    random.nextInt(4) == 0,
                    true,
                    1 + random.nextInt(60),
                    1 + random.nextInt(1200),
                    random.nextInt(3) == 0 ? 0 : random.nextInt(200_000));
            openFilesMax = 1 + random.nextInt(4);
            encrypts = random.nextInt(3) == 0;
            deflatedShare = random.nextInt(5);
            trace.add(settings + ", encrypts " + encrypts + ", deflates " + deflatedShare + " of 4");
            start();
        }

        private void start() {
            buffers = BufferPool.withOrigins(new MemoryBudget(64L * 1024 * 1024));
            Encryption encryption = encrypts ? Encryption.with(new byte[32], true) : Encryption.NONE;
            storage = new LogStorage(
                    disk,
                    buffers,
                    openFilesMax,
                    100_000,
                    4000,
                    new StoredForms(encryption, random::nextBytes),
                    new Incidents());
            log = PartitionLog.open(
                    storage, LogFixture.DIRECTORY, settings, created, generation, memoryWasLost, this::trace);
            memoryWasLost = false;
        }

        private void trace(String what) {
            if (trace.size() > Integer.getInteger("galgo.trace", 60)) {
                trace.remove(1);
            }
            trace.add(step + " " + what);
        }

        void run() {
            for (step = 0; step < STEPS; step++) {
                step();
                checkSums();
            }
            disk.heal();
            disk.capacity(Long.MAX_VALUE);
            closeAndReopen();
            scan();
            checkAll();
            close();
            buffers.abandon();
        }

        private void step() {
            switch (random.nextInt(32)) {
                case 0, 1, 2, 3, 4, 5, 6 -> append();
                case 7, 8, 9, 10, 11 -> disk.runNext();
                case 12, 13 -> disk.runAny();
                case 14 -> disk.runCompletions();
                case 15, 16, 17, 18 -> read();
                case 19 -> commitSome();
                case 20 -> log.evictTail(random.nextInt(100_000));
                case 21 -> releaseHeld();
                case 22 -> log.probe();
                default -> rare();
            }
        }

        private void rare() {
            switch (random.nextInt(120)) {
                case 0, 1, 2 -> kill();
                case 3, 4 -> powerLoss();
                case 5, 6 -> closeAndReopen();
                case 7 -> purge();
                case 8, 9, 10 -> deleteOldest();
                case 11, 12 -> failSomething();
                case 13 -> disk.capacity(disk.usedBytes() + random.nextInt(3000));
                case 14, 15, 16 -> disk.capacity(Long.MAX_VALUE);
                case 17 -> deleteAndCreate();
                case 18 -> storage.evictTails(random.nextInt(100_000));
                case 19 -> {
                    disk.runCompletions();
                    if (disk.faultsAsked() == 0) {
                        checkAll();
                    }
                }
                default -> {}
            }
        }

        // -------------------------------------------------------------------------------- appends

        private void append() {
            if (!log.isWritable()) {
                DiskFault fault = log.fault();
                if (fault != null && fault.kind() != DiskFault.Kind.NO_SPACE && random.nextInt(6) == 0) {
                    kill();
                }
                return;
            }
            long baseOffset = log.appendOffset();
            assertThat(baseOffset)
                    .as("an offset that was confirmed or readable is not issued again")
                    .isGreaterThan(highestIssued);
            timestamp = Math.max(timestamp + random.nextInt(3), log.lastTimestamp());
            List<String> payloads = new ArrayList<>();
            int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 40 : 4);
            for (int i = 0; i < count; i++) {
                int length = random.nextInt(random.nextInt(30) == 0 ? 20_000 : 60);
                payloads.add(nextPayload++ + ":" + "p".repeat(length));
            }
            Batch batch = new Batch(baseOffset, timestamp, payloads);
            int position = random.nextInt(200);
            PooledBuffer buffer =
                    Batches.pooled(buffers, position, baseOffset, timestamp, payloads.toArray(new String[0]));
            trace("append " + baseOffset + " to " + (batch.endOffset() - 1));
            submitted.put(baseOffset, batch);
            attempted.add(batch);
            PooledBuffer stored =
                    Objects.requireNonNull(log.toStored(buffer, position, random.nextInt(4) < deflatedShare));
            int storedPosition = stored == buffer ? position : 0;
            int length = (int) BatchHeader.length(stored.bytes(), storedPosition);
            log.append(stored, storedPosition, length, (bytes, fault) -> onAppended(batch, length, bytes, fault));
            stored.release();
            buffer.release();
        }

        private void onAppended(Batch batch, int length, int bytes, @Nullable DiskFault fault) {
            assertThat(submitted.firstKey()).as("completions come in order").isEqualTo(batch.baseOffset());
            submitted.remove(batch.baseOffset());
            trace("outcome of " + batch.baseOffset() + ": " + bytes + " " + fault);
            if (fault != null) {
                mayJump = true;
                assertThat(log.fault()).as("a failed append fences the log").isNotNull();
                return;
            }
            if (bytes == 0) {
                // A purge overtook it.
                return;
            }
            assertThat(bytes).isEqualTo(length);
            acked.put(batch.baseOffset(), batch);
            highestIssued = Math.max(highestIssued, batch.endOffset() - 1);
            mayJump = false;
            if (settings.persisted()) {
                durable.put(batch.baseOffset(), batch);
            }
            if (random.nextInt(8) != 0) {
                commitAll();
            }
        }

        private void commitSome() {
            if (!acked.isEmpty()) {
                commit(
                        random.nextBoolean()
                                ? acked.firstEntry().getValue()
                                : acked.lastEntry().getValue());
            }
        }

        private void commitAll() {
            if (!acked.isEmpty()) {
                commit(acked.lastEntry().getValue());
            }
        }

        private void commit(Batch last) {
            trace("commit " + last.endOffset());
            log.commit(last.endOffset());
            committed = last.endOffset();
            while (!acked.isEmpty() && acked.firstKey() <= last.baseOffset()) {
                Map.Entry<Long, Batch> oldest = acked.pollFirstEntry();
                readable.put(oldest.getKey(), oldest.getValue());
                history.put(oldest.getKey(), oldest.getValue());
            }
        }

        // -------------------------------------------------------------------------------- reads

        private void read() {
            long span = Math.max(1, log.nextOffset() + 3);
            int messagesMax = random.nextInt(10) == 0 ? 1000 : 1 + random.nextInt(12);
            int bytesMax = random.nextInt(4) == 0 ? 1 + random.nextInt(900) : 1 << 20;
            boolean isSince = random.nextInt(4) == 0;
            Read read = new Read(
                    isSince ? 0 : random.nextLong(span),
                    isSince ? timestamp - random.nextInt(60) : -1,
                    messagesMax,
                    bytesMax,
                    committed,
                    history);
            read.mayMeetFault = disk.faultsAsked() > 0;
            reads.add(read);
            if (isSince) {
                log.readSince(read.since, messagesMax, bytesMax, outcome -> onRead(read, outcome));
            } else {
                log.read(read.offset, messagesMax, bytesMax, outcome -> onRead(read, outcome));
            }
        }

        private void onRead(Read read, LogRead outcome) {
            assertThat(read.isDone).as("a read ends once").isFalse();
            read.isDone = true;
            reads.remove(read);
            switch (outcome) {
                case LogRead.Faulted faulted ->
                    assertThat(faulted.fault().detail())
                            .as("reads fail only when they are made to")
                            .contains("asked for by the test");
                case LogRead.TooLarge _, LogRead.NoMemory _ -> throw new AssertionError("there is memory enough");
                case LogRead.Undecryptable undecryptable ->
                    throw new AssertionError("there is one key only: " + undecryptable);
                case LogRead.Damaged damaged -> {
                    if (!read.isDisturbed) {
                        checkDamaged(read, damaged);
                    }
                }
                case LogRead.Messages messages -> {
                    // Some consumers take their time: what they hold must stay as it is.
                    boolean isHeld = random.nextInt(5) == 0;
                    if (isHeld) {
                        messages.slices().forEach(slice -> slice.buffer().retain());
                    }
                    List<Batches.Message> found = Batches.messages(messages);
                    check(read, found);
                    if (isHeld) {
                        heldSlices.add(
                                () -> assertThat(Batches.messages(messages).equals(found))
                                        .as("slices stay as they are until they are released")
                                        .isTrue());
                    }
                }
            }
        }

        private void releaseHeld() {
            heldSlices.forEach(Runnable::run);
            heldSlices.clear();
        }

        private void check(Read read, List<Batches.Message> found) {
            // Every message is one that was acknowledged, with the content it had then.
            for (Batches.Message message : found) {
                Map.Entry<Long, Batch> entry = read.batches.floorEntry(message.offset());
                assertThat(entry)
                        .as("offset %s was acknowledged", message.offset())
                        .isNotNull();
                Batch batch = entry.getValue();
                assertThat(message.offset()).isLessThan(batch.endOffset());
                assertThat(message.payload()
                                .equals(batch.payloads().get((int) (message.offset() - batch.baseOffset()))))
                        .as(
                                "content of offset %s: %s where %s was acknowledged",
                                message.offset(),
                                id(message.payload()),
                                batch.payloads().stream().map(Run::id).toList())
                        .isTrue();
                assertThat(message.timestamp()).isEqualTo(batch.timestamp());
            }
            if (read.isDisturbed) {
                return;
            }
            List<Long> expected = expectedOffsets(read, committed);
            List<Long> offsets = new ArrayList<>();
            for (Batches.Message message : found) {
                offsets.add(message.offset());
            }
            assertThat(offsets.size()).isLessThanOrEqualTo(read.messagesMax);
            assertThat(expected.subList(0, Math.min(expected.size(), offsets.size())))
                    .as("messages from %s, since %s", read.offset, read.since)
                    .isEqualTo(offsets);
            List<Long> atLeast = expectedOffsets(read, read.committedAtStart);
            if (read.mayMeetFault) {
                return;
            }
            if (read.bytesMax == 1 << 20) {
                assertThat(offsets.size())
                        .as("messages of a read from %s, since %s, of %s", read.offset, read.since, atLeast)
                        .isGreaterThanOrEqualTo(atLeast.size());
            } else if (!atLeast.isEmpty()) {
                assertThat(offsets)
                        .as("at least one message from %s, since %s, of %s", read.offset, read.since, atLeast)
                        .isNotEmpty();
            }
        }

        /// The number that makes a payload unlike all others.
        private static String id(String payload) {
            return payload.substring(0, payload.indexOf(':'));
        }

        private void checkDamaged(Read read, LogRead.Damaged damaged) {
            assertThat(expectedOffsets(read, read.committedAtStart))
                    .as("damage only where nothing good comes first, from %s", read.offset)
                    .isEmpty();
            if (read.since < 0) {
                Map.Entry<Long, Long> entry = damages.floorEntry(damaged.offset());
                assertThat(entry != null && damaged.offset() < entry.getValue())
                        .as(
                                "offset %s is known to be damaged: %s; read from %s: %s",
                                damaged.offset(), damages, read.offset, damaged.detail())
                        .isTrue();
            }
        }

        /// Offsets from the read's start up to the first damage or a limit, as far as they are committed.
        private List<Long> expectedOffsets(Read read, long end) {
            List<Long> offsets = new ArrayList<>();
            long previousEnd = -1;
            for (Batch batch : readable.values()) {
                if (batch.endOffset() > end || offsets.size() >= read.messagesMax) {
                    break;
                }
                boolean isWanted = read.since >= 0 ? batch.timestamp() >= read.since : batch.endOffset() > read.offset;
                if (!isWanted) {
                    previousEnd = batch.endOffset();
                    continue;
                }
                long from = Math.max(previousEnd, read.since >= 0 ? 0 : read.offset);
                if (isDamagedBetween(from, batch.baseOffset())) {
                    break;
                }
                for (long offset = Math.max(batch.baseOffset(), read.since >= 0 ? 0 : read.offset);
                        offset < batch.endOffset() && offsets.size() < read.messagesMax;
                        offset++) {
                    offsets.add(offset);
                }
                previousEnd = batch.endOffset();
            }
            return offsets;
        }

        private boolean isDamagedBetween(long from, long to) {
            Map.Entry<Long, Long> before = damages.lowerEntry(to);
            return before != null && before.getValue() > from;
        }

        // -------------------------------------------------------------------------------- disturbances

        private void disturbReads() {
            reads.forEach(read -> read.isDisturbed = true);
        }

        private void failSomething() {
            reads.forEach(read -> read.mayMeetFault = true);
            DiskFault.Kind kind = random.nextInt(3) == 0 ? DiskFault.Kind.IO : DiskFault.Kind.NO_SPACE;
            switch (random.nextInt(8)) {
                case 0, 1 -> disk.failNext(Operation.WRITE, kind);
                case 2, 3 -> {
                    disk.failNext(Operation.SYNC, kind);
                    hasUnsyncedPast = true;
                }
                case 4 -> disk.failNext(Operation.OPEN, kind);
                case 5 -> disk.failNext(Operation.SYNC_DIRECTORY, kind);
                case 6 -> disk.failNext(Operation.READ, DiskFault.Kind.IO);
                default -> disk.failNext(Operation.RENAME, kind);
            }
        }

        /// Nothing is expected of what was in the log so far.
        private void beginAnew() {
            attempted.clear();
            durable.clear();
            damages.clear();
            readable = new TreeMap<>();
            history = new TreeMap<>();
            acked.clear();
            highestIssued = -1;
            mayBeGoneTo = 0;
            committed = 0;
            mayJump = false;
            hasUnsyncedPast = false;
        }

        private void purge() {
            trace("purge");
            disturbReads();
            generation++;
            beginAnew();
            log.purge(generation);
            assertThat(submitted).as("appends in flight end with the purge").isEmpty();
            assertThat(log.appendOffset()).isZero();
        }

        private void deleteAndCreate() {
            trace("delete and create");
            disturbReads();
            created++;
            generation = random.nextBoolean() ? 0 : created;
            beginAnew();
            log.delete();
            assertThat(submitted).as("appends in flight end with the deletion").isEmpty();
            switch (random.nextInt(3)) {
                case 0 -> {
                    disk.runCompletions();
                    releaseHeld();
                    assertThat(buffers.inUse())
                            .as("buffers in use: %s", buffers.leaks())
                            .isZero();
                    assertThat(disk.openFiles()).as("open files").isZero();
                }
                case 1 -> {
                    disk.kill();
                    forgetProcess();
                }
                default -> {
                    // The next partition takes the path while operations of this one are in flight.
                    disk.heal();
                    log = PartitionLog.open(
                            storage, LogFixture.DIRECTORY, settings, created, generation, false, this::trace);
                    assertThat(log.appendOffset()).isZero();
                    return;
                }
            }
            reopen();
            assertThat(log.appendOffset()).isZero();
        }

        private void deleteOldest() {
            disturbReads();
            int wanted = random.nextInt(4);
            int count = Math.min(log.sealedSegmentsCount(), wanted);
            if (count > 0) {
                mayBeGoneTo = Math.max(mayBeGoneTo, log.sealedEndOffset(count - 1));
            }
            trace("delete " + count + " segments");
            PartitionLog target = log;
            long begun = generation;
            log.deleteOldest(wanted, (deleted, _) -> {
                assertThat(deleted).isLessThanOrEqualTo(count);
                if (target == log && begun == generation) {
                    disturbReads();
                    forgetBelow(log.firstOffset());
                }
            });
        }

        /// Deleted segments took these with them.
        private void forgetBelow(long first) {
            while (!readable.isEmpty() && readable.firstEntry().getValue().endOffset() <= first) {
                readable.pollFirstEntry();
            }
            while (!durable.isEmpty() && durable.firstEntry().getValue().endOffset() <= first) {
                durable.pollFirstEntry();
            }
            while (!damages.isEmpty() && damages.firstEntry().getValue() <= first) {
                damages.pollFirstEntry();
            }
        }

        private void close() {
            trace("close");
            disturbReads();
            List<@Nullable DiskFault> ends = new ArrayList<>();
            log.close((_, fault) -> ends.add(fault));
            disk.runCompletions();
            assertThat(ends).as("a close ends once").hasSize(1);
            assertThat(reads).as("reads that never ended").isEmpty();
            releaseHeld();
            assertThat(buffers.inUse())
                    .as("buffers in use: %s", buffers.leaks())
                    .isZero();
            assertThat(disk.openFiles()).as("open files").isZero();
            if (ends.getFirst() == null) {
                assertThat(submitted).as("a clean close ends all appends").isEmpty();
                if (!hasUnsyncedPast) {
                    acked.forEach(durable::put);
                    readable.forEach(durable::put);
                }
            }
        }

        private void closeAndReopen() {
            boolean wasGood = log.fault() == null;
            long appendOffset = log.appendOffset();
            close();
            boolean isClean = wasGood && log.fault() == null;
            forgetProcess();
            reopen();
            if (isClean) {
                assertThat(log.appendOffset()).as("a clean stop leaves no jump").isEqualTo(appendOffset);
            }
        }

        private void kill() {
            trace("kill");
            settleAfterFault();
            disk.kill();
            boolean mayHaveJumped = mayJump;
            forgetProcess();
            reopen();
            if (!mayHaveJumped) {
                assertThat(log.appendOffset())
                        .as("no jump when only the process died")
                        .isEqualTo(log.nextOffset());
            }
        }

        private void powerLoss() {
            trace("power loss");
            settleAfterFault();
            disk.powerLoss();
            memoryWasLost = true;
            hasUnsyncedPast = false;
            forgetProcess();
            if (!settings.persisted()) {
                // What was not synced may be gone.
                readable = new TreeMap<>(durable);
                acked.clear();
            }
            mayJump = true;
            reopen();
        }

        /// After a failed sync the log cuts off what is not durable, once the write in flight has ended. If the
        /// process dies before that, the next one finds bytes that look as durable as all others and are not:
        /// nobody can tell.
        private void settleAfterFault() {
            if (log.fault() != null) {
                disk.runCompletions();
            }
        }

        private void forgetProcess() {
            disturbReads();
            reads.clear();
            heldSlices.clear();
            submitted.clear();
            buffers.abandon();
        }

        private void reopen() {
            // No sync fails during the start: what a killed process left unsynced is in the system's memory, and a
            // failed sync makes the system forget that it has to be written. No program could tell afterwards.
            disk.heal();
            if (random.nextInt(10) == 0) {
                disk.failNext(random.nextBoolean() ? Operation.OPEN : Operation.TRUNCATE, DiskFault.Kind.IO);
            }
            while (true) {
                try {
                    start();
                    break;
                } catch (DiskException e) {
                    buffers.abandon();
                    disk.heal();
                    disk.capacity(Long.MAX_VALUE);
                    disk.kill();
                }
            }
            // Nor does the truncation fail that takes back what a failed sync left.
            disk.heal();
            acked.forEach(readable::put);
            acked.clear();
            forgetBelow(Math.min(mayBeGoneTo, log.firstOffset()));
            TreeMap<Long, Batch> before = readable;
            scan();
            for (Batch batch : before.values()) {
                assertThat(batch.equals(readable.get(batch.baseOffset())))
                        .as(
                                "the acknowledged batch at %s is there after the restart; found %s",
                                batch.baseOffset(), readable.keySet())
                        .isTrue();
            }
        }

        /// Reads all that is there and takes it for the truth, after checking that it may be.
        private void scan() {
            damages.clear();
            readable = new TreeMap<>();
            committed = log.nextOffset();
            long offset = log.firstOffset();
            while (offset < log.nextOffset()) {
                List<LogRead> outcomes = new ArrayList<>();
                log.read(offset, 1_000_000, 1 << 24, outcomes::add);
                disk.runCompletions();
                switch (outcomes.getFirst()) {
                    case LogRead.Messages messages -> {
                        List<Batches.Message> found = Batches.messages(messages);
                        if (found.isEmpty()) {
                            return;
                        }
                        takeOver(found);
                        offset = found.getLast().offset() + 1;
                    }
                    case LogRead.Damaged damaged -> {
                        assertThat(damaged.offset()).isGreaterThanOrEqualTo(offset);
                        long from = damaged.offset();
                        offset = from + 1;
                        while (offset < log.nextOffset() && isDamagedAt(offset)) {
                            offset++;
                        }
                        damages.put(from, offset);
                    }
                    case LogRead.Faulted _ -> disk.heal();
                    case LogRead.TooLarge _, LogRead.NoMemory _ -> throw new AssertionError("there is memory enough");
                    case LogRead.Undecryptable undecryptable ->
                        throw new AssertionError("there is one key only: " + undecryptable);
                }
            }
        }

        private boolean isDamagedAt(long offset) {
            List<LogRead> outcomes = new ArrayList<>();
            log.read(offset, 1, 1 << 24, outcomes::add);
            disk.runCompletions();
            return switch (outcomes.getFirst()) {
                case LogRead.Damaged damaged -> damaged.offset() == offset;
                case LogRead.Messages messages -> {
                    messages.slices().forEach(BatchSlice::release);
                    yield false;
                }
                default -> throw new AssertionError(outcomes);
            };
        }

        private void takeOver(List<Batches.Message> found) {
            int i = 0;
            while (i < found.size()) {
                Batches.Message first = found.get(i);
                Batch batch = attempted(first);
                assertThat(batch)
                        .as("the message at %s was handed in", first.offset())
                        .isNotNull();
                for (int j = 0; j < batch.payloads().size(); j++) {
                    assertThat(found.get(i + j)
                                    .payload()
                                    .equals(batch.payloads().get(j)))
                            .as("content of offset %s", first.offset() + j)
                            .isTrue();
                }
                readable.put(batch.baseOffset(), batch);
                history.put(batch.baseOffset(), batch);
                highestIssued = Math.max(highestIssued, batch.endOffset() - 1);
                if (settings.persisted()) {
                    durable.put(batch.baseOffset(), batch);
                }
                i += batch.payloads().size();
            }
        }

        private @Nullable Batch attempted(Batches.Message first) {
            for (Batch batch : attempted) {
                if (batch.baseOffset() == first.offset()
                        && batch.payloads().getFirst().equals(first.payload())) {
                    return batch;
                }
            }
            return null;
        }

        // -------------------------------------------------------------------------------- sums

        private void checkSums() {
            long bytes = 0;
            long messages = 0;
            for (Batch batch : readable.values()) {
                bytes += batch.length();
                bytes += encrypts
                        ? (long) SectionCipher.OVERHEAD_BYTES * batch.payloads().size()
                        : 0;
                messages += batch.payloads().size();
            }
            assertThat(log.sizeBytes()).as("bytes").isEqualTo(bytes);
            assertThat(log.messagesCount()).as("messages").isEqualTo(messages);
            if (damages.isEmpty()) {
                assertThat(log.firstOffset())
                        .as("first offset")
                        .isEqualTo(readable.isEmpty() ? log.nextOffset() : readable.firstKey());
            }
            if (!readable.isEmpty()) {
                assertThat(log.currentOffset())
                        .as("current offset")
                        .isGreaterThanOrEqualTo(readable.lastEntry().getValue().endOffset() - 1);
            }
            assertThat(log.nextOffset()).as("next offset").isEqualTo(committed);
            assertThat(log.segmentsCount()).isGreaterThanOrEqualTo(1);
            assertThat(storage.openFiles()).as("open files").isLessThanOrEqualTo(openFilesMax + 4 + reads.size());
        }

        private void checkAll() {
            Read all = new Read(log.firstOffset(), -1, 1_000_000, 1 << 20, committed, readable);
            List<Long> expected = expectedOffsets(all, committed);
            List<LogRead> outcomes = new ArrayList<>();
            log.read(0, 1_000_000, 1 << 28, outcomes::add);
            disk.runCompletions();
            if (outcomes.getFirst() instanceof LogRead.Messages messages) {
                List<Long> offsets = new ArrayList<>();
                for (Batches.Message message : Batches.messages(messages)) {
                    offsets.add(message.offset());
                }
                assertThat(offsets).as("all messages").isEqualTo(expected);
            }
        }
    }
}
