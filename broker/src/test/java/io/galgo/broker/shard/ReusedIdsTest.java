package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.TypedValue;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Topics and streams that are deleted and made anew under the same ids and names, while clients send, poll, store
/// offsets, delete segments and ask for numbers: nothing of an earlier one is ever found in a later one.
///
/// `-Dgalgo.reuse.seeds=500` for a long search, `-Dgalgo.reuse.seed=7` to repeat one.
class ReusedIdsTest {
    private static final int SEEDS = Integer.getInteger("galgo.reuse.seeds", 25);
    private static final int STEPS = Integer.getInteger("galgo.reuse.steps", 600);
    private static final int PARTITIONS = 2;
    private static final Identifier S = Identifier.of("s");
    private static final Identifier T = Identifier.of("t");

    @Test
    void nothingOfAnEarlierTopicIsFoundInALaterOne() {
        long only = Long.getLong("galgo.reuse.seed", 0);
        for (long tried = only > 0 ? only : 1; tried <= (only > 0 ? only : SEEDS); tried++) {
            new Run(tried).run();
        }
    }

    /// One seed.
    private static final class Run {
        /// A request whose answer has not come, and which topic there was for certain when it was sent.
        private record Posted(Request request, int incarnation, String payload) {}

        private final long seed;
        private final SplittableRandom random;
        private final TestNode node;
        private final TestClient admin;
        private final List<TestClient> clients = new ArrayList<>();
        private final Map<TestClient, ArrayDeque<Posted>> inFlight = new HashMap<>();

        /// Which one of the topics under the name there is, or is being made.
        private int incarnation;

        private int made;

        /// Messages that were confirmed since the newest topic was asked for, and those that went with an earlier one.
        private final Set<String> confirmed = new HashSet<>();

        private final Set<String> gone = new HashSet<>();

        Run(long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            BrokerSettings settings = Settings.with(TestNode.SETTINGS, "segmentBytesMax", 600L);
            settings = Settings.with(settings, "cleanerIntervalNanos", 1_000_000_000L);
            node = new TestNode(1 + random.nextInt(3), settings, seed);
            admin = node.root(0);
        }

        private void run() {
            admin.createTopic(PARTITIONS, options());
            for (int i = 0; i < 3; i++) {
                TestClient client = node.root(random.nextInt(node.shardsCount()));
                clients.add(client);
                inFlight.put(client, new ArrayDeque<>());
            }
            for (int step = 0; step < STEPS; step++) {
                switch (random.nextInt(40)) {
                    case 0 -> makeAnew();
                    case 1 -> node.clock.advance(250_000_000L);
                    case 2, 3, 4, 5, 6, 7, 8, 9 -> post();
                    default -> node.step(random);
                }
                takeAnswers();
            }
            node.run();
            takeAnswers();
            checkNewest();
            node.assertNoMemoryIsHeld();
        }

        private Options.Entry[] options() {
            return random.nextBoolean()
                    ? new Options.Entry[0]
                    : new Options.Entry[] {new Options.Entry("durability", TypedValue.string("persisted"))};
        }

        private String when() {
            return "seed " + seed + ", topic " + incarnation;
        }

        /// Deletes the topic, or its stream, and makes it anew, while the others go on.
        private void makeAnew() {
            boolean isStream = random.nextInt(3) == 0;
            // What is confirmed by now is in the topic that goes. What is on its way may find either.
            incarnation++;
            gone.addAll(confirmed);
            confirmed.clear();
            long onTheirWay = inFlight.values().stream()
                    .flatMap(ArrayDeque::stream)
                    .filter(posted -> posted.request() instanceof SendMessages)
                    .count();
            decide(isStream ? new DeleteStream(S) : new DeleteTopic(S, T));
            if (isStream) {
                decide(new CreateStream("s", Options.NONE));
            }
            decide(new CreateTopic(S, PARTITIONS, "t", new Options(List.of(options()))));
            // At once and everywhere: nothing of the old one is told of the new one.
            TestClient asking = node.root(random.nextInt(node.shardsCount()));
            asking.post(new GetTopic(S, T));
            while (asking.hasNothing()) {
                assertThat(node.step(random)).as("something to do").isTrue();
                takeAnswers();
            }
            TopicDetails details =
                    Objects.requireNonNull(TopicDetails.decode(asking.next().body()));
            assertThat(details.topic().messagesCount())
                    .as("messages of a topic that was made just now, %s", when())
                    .isBetween(0L, onTheirWay);
            incarnation++;
            asking.link.cut();
            node.clients.remove(asking);
        }

        private void decide(Request request) {
            admin.post(request);
            while (admin.hasNothing()) {
                assertThat(node.step(random)).as("something to do").isTrue();
                takeAnswers();
            }
            assertThat(admin.next().outcome()).as("%s, %s", request, when()).isEqualTo("ok");
        }

        private void post() {
            TestClient client = clients.get(random.nextInt(clients.size()));
            if (client.link.isPaused()) {
                return;
            }
            int partition = random.nextInt(PARTITIONS);
            String payload = "";
            Request request = switch (random.nextInt(8)) {
                case 0 -> new DeleteSegments(S, T, partition, random.nextInt(3));
                case 1 -> TestClient.store(TestClient.CONSUMER, partition, random.nextInt(5));
                case 2, 3 ->
                    TestClient.poll(
                            partition,
                            random.nextBoolean() ? PollingStrategy.FIRST : PollingStrategy.NEXT,
                            1L + random.nextInt(20),
                            random.nextBoolean());
                case 4 -> random.nextBoolean() ? new GetTopic(S, T) : new GetStream(S);
                default -> {
                    made++;
                    payload = incarnation + ":" + made + "x".repeat(random.nextInt(300));
                    yield TestClient.send("s", "t", Partitioning.partition(partition), Batches.of(payload));
                }
            };
            Objects.requireNonNull(inFlight.get(client)).add(new Posted(request, incarnation, payload));
            client.post(request);
        }

        private void takeAnswers() {
            for (TestClient client : clients) {
                while (!client.hasNothing()) {
                    onAnswer(Objects.requireNonNull(inFlight.get(client)).remove(), client.next());
                }
            }
        }

        private void onAnswer(Posted posted, Answer answer) {
            if (!answer.outcome().equals("ok")) {
                assertThat(answer.outcome())
                        .as("%s, %s", posted.request(), when())
                        .isIn(
                                "deny 20",
                                "deny 58",
                                "deny 57",
                                "deny 1009",
                                "deny 2010",
                                "deny 3007",
                                "deny 4100",
                                "reject 57",
                                "reject 58",
                                "reject 1009",
                                "reject 2010",
                                "reject 3007");
                return;
            }
            switch (posted.request()) {
                case SendMessages _ -> {
                    confirmed.add(posted.payload());
                }
                case PollMessages _ -> {
                    for (Batches.Message message : TestClient.messages(answer)) {
                        assertThat(posted.incarnation() == incarnation && gone.contains(message.payload()))
                                .as("%s of an earlier topic was polled, %s", message.payload(), when())
                                .isFalse();
                    }
                }
                case GetStream _ -> {
                    if (answer.body().hasRemaining()) {
                        StreamDetails details = Objects.requireNonNull(StreamDetails.decode(answer.body()));
                        assertThat(details.stream().messagesCount())
                                .as("messages of the stream, %s", when())
                                .isBetween(0L, (long) made);
                    }
                }
                default -> {}
            }
        }

        /// At rest the newest topic holds what was sent to it, and what was sent just before it was there.
        private void checkNewest() {
            TestClient reader = node.root(0);
            List<String> found = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                found.addAll(TestClient.payloads(reader.pollOk(partition, PollingStrategy.FIRST, 10_000)));
            }
            assertThat(reader.topic().topic().messagesCount())
                    .as("messages, %s", when())
                    .isEqualTo(found.size());
            assertThat(found).as("messages of earlier topics, %s", when()).noneMatch(gone::contains);
        }
    }
}
