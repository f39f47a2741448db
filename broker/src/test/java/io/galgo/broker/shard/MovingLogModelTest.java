package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.PollMessages;
import io.galgo.storage.disk.MemoryDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// Polls of every strategy and stored offsets against a model, while segments of one batch are sealed and deleted
/// under them, offsets jump, and the beginning of the log goes away.
///
/// `-Dgalgo.moving.seeds=500` for a long search, `-Dgalgo.moving.seed=7` to repeat one.
class MovingLogModelTest {
    private static final int SEEDS = Integer.getInteger("galgo.moving.seeds", 25);
    private static final int STEPS = Integer.getInteger("galgo.moving.steps", 300);
    private static final long SECOND = 1_000_000_000L;
    private static final long NONE = -1;

    @Test
    void aPollFindsWhatTheModelFindsWhileTheLogMoves() {
        long only = Long.getLong("galgo.moving.seed", 0);
        for (long tried = only > 0 ? only : 1; tried <= (only > 0 ? only : SEEDS); tried++) {
            new Run(tried).run();
        }
    }

    /// One seed.
    private static final class Run {
        private final long seed;
        private final SplittableRandom random;
        private final TestNode node;
        private TestClient client;
        private int step;

        /// Everything confirmed and not known to be lost, by offset; what is deleted is below `first` only.
        private final NavigableMap<Long, Batches.Message> messages = new TreeMap<>();

        private long current = NONE;
        private final Map<Integer, Long> stored = new TreeMap<>();
        private final boolean isPersisted;
        private int made;
        private long confirmedEnd;

        // The first offset that was kept when it was last looked.
        private long first;

        Run(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            isPersisted = random.nextBoolean();
            BrokerSettings settings =
                    Settings.with(TestNode.SETTINGS, "segmentBytesMax", random.nextBoolean() ? 1L : 2_000L);
            settings = Settings.with(settings, "cleanerIntervalNanos", SECOND);
            settings = Settings.with(settings, "offsetReservationLease", 1 + random.nextInt(40));
            settings = Settings.with(settings, "tailBytesMax", random.nextInt(3) == 0 ? 4L << 20 : 0L);
            settings = Settings.with(settings, "openFilesMax", 1 + random.nextInt(3));
            node = new TestNode(1 + random.nextInt(2), settings, seed);
            client = node.root(0);
        }

        private void run() {
            List<Options.Entry> options = new ArrayList<>();
            options.add(new Options.Entry("messages_required_to_save", TypedValue.uint32(1)));
            options.add(new Options.Entry("durability", TypedValue.string(isPersisted ? "persisted" : "replicated")));
            if (random.nextBoolean()) {
                options.add(new Options.Entry("message_expiry", TypedValue.uint64(3_000_000)));
            }
            client.createTopic(1, options.toArray(new Options.Entry[0]));
            for (step = 0; step < STEPS; step++) {
                step();
            }
            node.assertNoMemoryIsHeld();
        }

        private String when() {
            return "seed " + seed + ", step " + step;
        }

        private void step() {
            switch (random.nextInt(40)) {
                case 0, 1 -> {
                    node.clock.advance(SECOND / 4 * (1 + random.nextInt(8)));
                    // The cleaner has begun; what it does happens beside what comes next.
                }
                case 2, 3 ->
                    client.post(new DeleteSegments(Identifier.of("s"), Identifier.of("t"), 0, random.nextInt(4)));
                case 4, 5, 6 -> store();
                case 7 -> deleteOffset();
                case 8 -> restart();
                case 9 -> losePower();
                case 10, 11, 12, 13, 14, 15, 16, 17, 18 -> send();
                default -> poll();
            }
            if (random.nextBoolean()) {
                node.run();
                dropAnswers();
            }
        }

        /// Answers of deletions are of no interest here.
        private void dropAnswers() {
            while (!client.hasNothing()) {
                assertThat(client.next().outcome()).as(when()).isEqualTo("ok");
            }
        }

        private void settle() {
            node.run();
            dropAnswers();
        }

        private void send() {
            String[] payloads = new String[1 + random.nextInt(4)];
            for (int i = 0; i < payloads.length; i++) {
                payloads[i] = seed + "-" + made++ + "x".repeat(random.nextInt(200));
            }
            settle();
            node.clock.advance(1_000_000L * random.nextInt(20));
            settle();
            long timestamp = node.clock.wallMicros();
            long base = client.sendOk(0, payloads);
            assertThat(base).as("no offset is issued twice, %s", when()).isGreaterThanOrEqualTo(confirmedEnd);
            for (int i = 0; i < payloads.length; i++) {
                messages.put(base + i, new Batches.Message(base + i, timestamp, payloads[i]));
            }
            current = base + payloads.length - 1;
            confirmedEnd = current + 1;
        }

        private static ConsumerRef consumer(int key) {
            return ConsumerRef.consumer(Identifier.of(key));
        }

        private void store() {
            settle();
            firstKept();
            int key = random.nextInt(3);
            long offset = random.nextLong(Math.max(1, current + 3));
            Answer answer = client.ask(TestClient.store(consumer(key), 0, offset));
            if (current == NONE || offset > current) {
                assertThat(answer.outcome())
                        .as("storing %s of %s, %s", offset, current, when())
                        .isEqualTo("deny 4100");
            } else {
                assertThat(answer.outcome())
                        .as("storing %s of %s, %s", offset, current, when())
                        .isEqualTo("ok");
                stored.put(key, offset);
            }
            assertThat(client.stored(consumer(key), 0)).as(when()).isEqualTo(stored.getOrDefault(key, NONE));
        }

        private void deleteOffset() {
            settle();
            int key = random.nextInt(3);
            String outcome = client.ask(TestClient.delete(consumer(key), 0)).outcome();
            assertThat(outcome).as(when()).isEqualTo(stored.containsKey(key) ? "ok" : "deny 3021");
            stored.remove(key);
        }

        private void restart() {
            settle();
            if (random.nextBoolean()) {
                node.killAndRestart();
            } else {
                node.stopAndRestart();
            }
            client = node.root(random.nextInt(node.shardsCount()));
            assertThat(client.topic().partitions().getFirst().currentOffset())
                    .as("current offset after a restart, %s", when())
                    .isEqualTo(Math.max(0, current));
        }

        /// What was not synced may be gone; what is there then is the truth, and offsets go on behind a jump.
        private void losePower() {
            settle();
            // What was not synced is lost from some point on. That a middle may be lost too is another test's.
            boolean isTorn = isPersisted && random.nextBoolean();
            node.losePowerAndRestart(isTorn ? MemoryDisk.PowerLoss.SCATTERED : MemoryDisk.PowerLoss.CLEAN);
            client = node.root(0);
            long found = client.topic().partitions().getFirst().currentOffset();
            if (isPersisted) {
                assertThat(found)
                        .as("current offset after a power loss, %s", when())
                        .isEqualTo(Math.max(0, current));
            }
            assertThat(found)
                    .as("current offset after a power loss, %s", when())
                    .isLessThanOrEqualTo(Math.max(0, current));
            // Offset 0 is told of an empty log, too. Whether it can be stored tells one from the other.
            boolean isWritten =
                    client.ask(TestClient.store(consumer(9), 0, 0)).outcome().equals("ok");
            if (isWritten) {
                client.ask(TestClient.delete(consumer(9), 0));
            }
            current = isWritten ? found : NONE;
            messages.tailMap(current, false).clear();
            // Where consumers stood may be lost, and what they had read by then may be gone all the same.
            stored.clear();
            firstKept();
            for (int key = 0; key < 3; key++) {
                long offset = client.stored(consumer(key), 0);
                assertThat(offset).as("an offset beyond the end, %s", when()).isLessThanOrEqualTo(Math.max(0, current));
                if (offset != NONE) {
                    stored.put(key, offset);
                }
            }
        }

        private void poll() {
            settle();
            int key = random.nextInt(3);
            boolean autoCommit = random.nextInt(3) == 0;
            long count = 1L + random.nextInt(random.nextInt(5) == 0 ? 1_000 : 8);
            PollingStrategy strategy = strategy();
            // Whatever is deleted goes before the poll, beside it or behind it.
            if (random.nextBoolean()) {
                node.clock.advance(SECOND);
            }
            long firstBefore = firstKept();
            client.post(new PollMessages(
                    consumer(key),
                    Identifier.of("s"),
                    Identifier.of("t"),
                    OptionalPartition.of(0),
                    strategy,
                    count,
                    autoCommit));
            if (random.nextInt(3) == 0) {
                client.post(new DeleteSegments(Identifier.of("s"), Identifier.of("t"), 0, 1 + random.nextInt(3)));
            }
            if (random.nextBoolean()) {
                while (node.step(random)) {}
            } else {
                node.run();
            }
            Answer answer = client.next();
            assertThat(answer.outcome()).as("poll %s, %s", strategy, when()).isEqualTo("ok");
            assertThat(PollHeader.currentOffset(answer.body(), 0))
                    .as("current offset, %s", when())
                    .isEqualTo(Math.max(0, current));
            List<Batches.Message> found = TestClient.messages(answer);
            dropAnswers();
            long stood = stored.getOrDefault(key, NONE);
            if (autoCommit && !found.isEmpty()) {
                stored.merge(key, found.getLast().offset(), Math::max);
            }
            checkPoll(strategy, stood, count, found, firstBefore, firstKept());
            assertThat(client.stored(consumer(key), 0)).as(when()).isEqualTo(stored.getOrDefault(key, NONE));
        }

        /// The first offset that a poll finds now.
        private long firstKept() {
            node.run();
            dropDeletions();
            List<Batches.Message> kept = client.pollOk(0, PollingStrategy.FIRST, 1);
            long now = kept.isEmpty() ? current + 1 : kept.getFirst().offset();
            checkUnread(now);
            return now;
        }

        /// Nothing went that a consumer which stood there had not read.
        private void checkUnread(long now) {
            for (Map.Entry<Integer, Long> consumer : stored.entrySet()) {
                Long unread = messages.higherKey(consumer.getValue());
                Long kept = messages.ceilingKey(first);
                long highest = Math.max(kept == null ? current + 1 : kept, unread == null ? current + 1 : unread);
                assertThat(now)
                        .as(
                                "first offset while consumer %s stands at %s, %s",
                                consumer.getKey(), consumer.getValue(), when())
                        .isLessThanOrEqualTo(highest);
            }
            first = now;
        }

        private void dropDeletions() {
            while (!client.hasNothing()) {
                client.next();
            }
        }

        private PollingStrategy strategy() {
            long any = random.nextLong(Math.max(1, current + 5));
            return switch (random.nextInt(6)) {
                case 0 -> PollingStrategy.FIRST;
                case 1 -> PollingStrategy.LAST;
                case 2 -> PollingStrategy.NEXT;
                case 3 -> {
                    Map.Entry<Long, Batches.Message> near = messages.floorEntry(any);
                    long at = near == null ? 0 : near.getValue().timestamp() + random.nextInt(3) - 1;
                    yield PollingStrategy.timestamp(at);
                }
                default -> PollingStrategy.offset(any);
            };
        }

        /// @param stood where the consumer stood before the poll
        /// @param firstBefore the first offset that was kept when the poll was sent
        /// @param firstAfter the same when it was answered
        private void checkPoll(
                PollingStrategy strategy,
                long stood,
                long count,
                List<Batches.Message> found,
                long firstBefore,
                long firstAfter) {
            List<List<Batches.Message>> possible = new ArrayList<>();
            // Between the two the beginning may have been anywhere, and a poll that had begun goes on with what is
            // left.
            for (long candidate : candidates(firstBefore, firstAfter)) {
                possible.add(expected(strategy, stood, count, candidate));
            }
            for (int i = 0; i < found.size(); i++) {
                Batches.Message message = found.get(i);
                assertThat(message)
                        .as("a message as it was sent, %s", when())
                        .isEqualTo(messages.get(message.offset()));
            }
            if (firstBefore == firstAfter) {
                assertThat(found)
                        .as("poll %s of %s, %s", strategy, count, when())
                        .isEqualTo(possible.getFirst());
                return;
            }
            // What lies behind the beginning as it is now is there without a hole.
            List<Long> offsets = TestClient.offsets(found);
            assertThat(offsets).as("poll %s, %s", strategy, when()).isSorted().doesNotHaveDuplicates();
            assertThat(found.size()).as("poll %s, %s", strategy, when()).isLessThanOrEqualTo((int)
                    Math.min(count, 1_000));
            Long previous = null;
            for (long offset : offsets) {
                if (previous != null && previous >= firstAfter) {
                    assertThat(messages.higherKey(previous))
                            .as("no hole, poll %s, %s", strategy, when())
                            .isEqualTo(offset);
                }
                previous = offset;
            }
            boolean mustFind = possible.stream().noneMatch(List::isEmpty);
            if (mustFind) {
                assertThat(found).as("poll %s, %s", strategy, when()).isNotEmpty();
            }
        }

        private List<Long> candidates(long firstBefore, long firstAfter) {
            List<Long> candidates =
                    new ArrayList<>(messages.subMap(firstBefore, true, Math.max(firstBefore, firstAfter), true)
                            .keySet());
            candidates.add(firstBefore);
            candidates.add(firstAfter);
            return candidates.stream().distinct().sorted().toList();
        }

        private List<Batches.Message> expected(PollingStrategy strategy, long stood, long count, long first) {
            NavigableMap<Long, Batches.Message> kept = messages.tailMap(first, true);
            long from = switch (strategy.kind()) {
                case PollingStrategy.KIND_OFFSET -> strategy.value();
                case PollingStrategy.KIND_TIMESTAMP -> {
                    long at = Long.MAX_VALUE;
                    for (Batches.Message message : kept.values()) {
                        if (message.timestamp() >= strategy.value()) {
                            at = message.offset();
                            break;
                        }
                    }
                    yield at;
                }
                case PollingStrategy.KIND_LAST -> Math.max(0, current - (count - 1));
                case PollingStrategy.KIND_NEXT -> stood == NONE ? 0 : stood + 1;
                default -> 0;
            };
            return messages.tailMap(Math.max(from, first), true).values().stream()
                    .limit(count)
                    .toList();
        }
    }
}
