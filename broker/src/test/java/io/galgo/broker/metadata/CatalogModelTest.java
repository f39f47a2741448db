package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Random commands of random clients against [NaiveMetadata], with restarts in between.
///
/// To repeat a failure alone, put its seed into [#SEED_FIRST] and 1 into [#SEEDS_COUNT].
class CatalogModelTest {
    private static final int SEED_FIRST = 0;
    private static final int SEEDS_COUNT = 60;
    private static final int STEPS = 600;

    private static final int CLIENTS = 6;
    private static final int[] NOTHING = {};

    private final Map<Operation, Integer> successes = new EnumMap<>(Operation.class);
    private final Map<ErrorCode, Integer> refusals = new EnumMap<>(ErrorCode.class);

    @Test
    void theCatalogDoesWhatTheSpecificationTells() {
        for (int seed = SEED_FIRST; seed < SEED_FIRST + SEEDS_COUNT; seed++) {
            new Run(seed).run();
        }
        // A model that never gets anywhere proves nothing.
        for (Operation operation : Operation.values()) {
            if (operation.isMetadata()) {
                assertThat(successes.getOrDefault(operation, 0))
                        .as("successes of %s", operation)
                        .isGreaterThan(20);
            }
        }
        assertThat(refusals.keySet())
                .contains(
                        ErrorCode.STREAM_ID_NOT_FOUND,
                        ErrorCode.TOPIC_ID_NOT_FOUND,
                        ErrorCode.UNAUTHORIZED,
                        ErrorCode.STREAM_NAME_ALREADY_EXISTS,
                        ErrorCode.TOPIC_NAME_ALREADY_EXISTS,
                        ErrorCode.INVALID_TOPIC_SIZE,
                        ErrorCode.TOO_MANY_PARTITIONS,
                        ErrorCode.INVALID_PARTITIONS_COUNT,
                        ErrorCode.PARTITION_NOT_FOUND,
                        ErrorCode.UNSUPPORTED_OPTION_KEY,
                        ErrorCode.INVALID_OPTION_VALUE,
                        ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND,
                        ErrorCode.CONSUMER_GROUP_NAME_ALREADY_EXISTS,
                        ErrorCode.CONSUMER_GROUP_MEMBER_NOT_FOUND,
                        ErrorCode.RESOURCE_NOT_FOUND,
                        ErrorCode.INVALID_USERNAME,
                        ErrorCode.USER_ALREADY_EXISTS,
                        ErrorCode.CANNOT_DELETE_USER,
                        ErrorCode.CANNOT_CHANGE_PERMISSIONS,
                        ErrorCode.INVALID_CREDENTIALS,
                        ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS,
                        ErrorCode.INVALID_PERSONAL_ACCESS_TOKEN_EXPIRY);
    }

    private final class Run {
        final int seed;
        final Random random;
        final Metadata metadata = new Metadata();
        final NaiveMetadata model = new NaiveMetadata();
        final Catalog twin = new Catalog();
        final TreeMap<Integer, Metadata.Login> logins = new TreeMap<>();
        OptionCase options = OptionCase.CASES.getFirst();
        int step;

        Run(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            metadata.clientsMax = 2 * CLIENTS;
        }

        void run() {
            for (step = 0; step < STEPS; step++) {
                int dice = random.nextInt(100);
                if (dice < 10 || logins.isEmpty()) {
                    login();
                } else if (dice < 13) {
                    logout();
                } else if (dice < 15) {
                    metadata.restart();
                } else if (dice < 18) {
                    completeAMove();
                } else {
                    command();
                }
                feedTwin();
                if (step % 20 == 0) {
                    compare();
                }
            }
            compare();
        }

        String when() {
            return "seed " + seed + ", step " + step;
        }

        void login() {
            int client = random.nextInt(CLIENTS);
            List<Integer> userIds = List.copyOf(model.users.keySet());
            int userId = random.nextInt(3) == 0 ? userIds.get(random.nextInt(userIds.size())) : User.ROOT_ID;
            Outcome outcome = metadata.register(id(client), userId);
            Integer owner = model.sessions.get(client);
            if (!Objects.requireNonNull(model.users.get(userId)).active) {
                assertThat(outcome)
                        .as("%s: a user who was deactivated since", when())
                        .isEqualTo(new Outcome.Evicted(EvictionReason.INVALID_CREDENTIALS));
                return;
            }
            if (owner != null && owner != userId) {
                assertThat(outcome).as("%s: another user's client", when()).isInstanceOf(Outcome.Evicted.class);
                return;
            }
            assertThat(outcome).as(when()).isInstanceOf(Outcome.Decided.class);
            Metadata.Login before = logins.get(client);
            Metadata.Login login = metadata.new Login(id(client), userId, metadata.op);
            login.request = before == null ? 0 : before.request;
            logins.put(client, login);
            model.login(client, userId);
        }

        void logout() {
            int client = someClient();
            Metadata.Login login = Objects.requireNonNull(logins.remove(client));
            Outcome outcome = metadata.apply(MetadataOperation.logout(
                    login.client, login.session, ++login.request, 0, login.userId, metadata.now));
            assertThat(outcome).as(when()).isInstanceOf(Outcome.Decided.class);
            model.logout(client);
        }

        void completeAMove() {
            List<long[]> moves = new ArrayList<>();
            forEachGroup(group -> group.forEachPending((partition, sinceOp, _) ->
                    moves.add(new long[] {group.streamId(), group.topicId(), group.id(), partition, sinceOp})));
            if (!moves.isEmpty()) {
                long[] move = moves.get(random.nextInt(moves.size()));
                metadata.apply(MetadataOperation.completeRevocation(
                        (int) move[0], (int) move[1], (int) move[2], (int) move[3], move[4], metadata.now));
            }
        }

        void command() {
            int client = someClient();
            Metadata.Login login = Objects.requireNonNull(logins.get(client));
            Request request = someRequest();
            Operation operation = request.command().operation();
            ErrorCode expected = model.execute(client, request, options, metadata.op + 1, metadata.now);
            ErrorCode denial = metadata.catalog.check(request);
            ErrorCode actual = denial;
            if (denial == null) {
                long number = login.request + 1 + random.nextInt(3);
                Outcome.Decided decided = decide(login, request, number);
                actual = decided.reply().error();
                login.request = number;
                if (model.sessions.containsKey(client) && random.nextInt(4) == 0) {
                    repeat(login, request, number, decided);
                }
            }
            assertThat(actual).as("%s: %s by %s", when(), request, client).isEqualTo(expected);
            if (actual == null) {
                successes.merge(operation, 1, Integer::sum);
            } else {
                refusals.merge(actual, 1, Integer::sum);
            }
            logins.keySet().retainAll(model.sessions.keySet());
        }

        Outcome.Decided decide(Metadata.Login login, Request request, long number) {
            if (request instanceof JoinConsumerGroup join) {
                int[] inFlight =
                        random.nextBoolean() ? NOTHING : random.ints(3, 0, 5).toArray();
                Outcome outcome = metadata.apply(login.encode(
                        Operation.JOIN_CONSUMER_GROUP, CompletedBody.joinGroup(join, inFlight), number, 7));
                return (Outcome.Decided) outcome;
            }
            return login.commit(request, number, 7);
        }

        /// A repeated command answers the same and does nothing.
        void repeat(Metadata.Login login, Request request, long number, Outcome.Decided decided) {
            long before = metadata.catalog.digest();
            Outcome.Decided again = login.commit(request, number, 7);
            if (request instanceof CreatePersonalAccessToken && decided.reply().error() == null) {
                assertThat(again.reply().error()).as(when()).isEqualTo(ErrorCode.PERSONAL_ACCESS_TOKEN_ALREADY_EXISTS);
            } else {
                assertThat(again.reply()).as(when()).isEqualTo(decided.reply());
            }
            assertThat(again.changes()).as(when()).isEmpty();
            Catalog copy = Catalog.restore(metadata.catalog.snapshot());
            assertThat(copy.digest())
                    .as(when())
                    .isEqualTo(metadata.catalog.digest())
                    .isNotEqualTo(before);
        }

        /// Another catalog that only hears the journal.
        void feedTwin() {
            while (twin.appliedOp() < metadata.op) {
                twin.apply(twin.appliedOp() + 1, metadata.journal.get((int) twin.appliedOp()));
            }
            if (step % 10 == 0) {
                assertThat(twin.digest()).as("%s: a second catalog", when()).isEqualTo(metadata.catalog.digest());
            }
        }

        private int someClient() {
            List<Integer> clients = List.copyOf(logins.keySet());
            return clients.get(random.nextInt(clients.size()));
        }

        private Identifier some(String prefix) {
            return random.nextInt(3) == 0
                    ? Identifier.of(name(prefix))
                    : Identifier.of(random.nextInt(4) == 0 ? random.nextInt(6) : 0);
        }

        private String name(String prefix) {
            return prefix + random.nextInt(4);
        }

        private Identifier stream() {
            return some("stream");
        }

        private Identifier topic() {
            return some("topic");
        }

        private Identifier group() {
            return random.nextInt(3) == 0 ? some("group") : Identifier.of("group" + random.nextInt(2));
        }

        private Identifier user() {
            return random.nextInt(4) == 0 ? Identifier.of(name("user")) : Identifier.of(random.nextInt(4));
        }

        private int partitions() {
            return switch (random.nextInt(8)) {
                case 0 -> 0;
                case 1 -> 1_001;
                default -> 1 + random.nextInt(4);
            };
        }

        private @Nullable Permissions permissions() {
            if (random.nextInt(3) == 0) {
                return null;
            }
            List<Permissions.OnTopic> topics = List.of(new Permissions.OnTopic(random.nextInt(2), random.nextInt(16)));
            return new Permissions(
                    random.nextBoolean() ? 0 : random.nextInt(1_024),
                    List.of(
                            new Permissions.OnStream(random.nextInt(2), random.nextInt(64), topics),
                            new Permissions.OnStream(random.nextInt(2), 0, List.of())));
        }

        private String password() {
            return random.nextInt(4) == 0 ? "wrong" : "root";
        }

        private Request someRequest() {
            options = OptionCase.CASES.get(random.nextInt(OptionCase.CASES.size()));
            return switch (random.nextInt(36)) {
                case 0, 1, 2 -> new CreateStream(name("stream"), Options.NONE);
                case 3 -> new UpdateStream(stream(), name("stream"), Options.NONE);
                case 4 -> random.nextInt(5) == 0 ? new DeleteStream(stream()) : new PurgeStream(stream());
                case 5, 6, 7, 8 -> new CreateTopic(stream(), partitions(), name("topic"), options.options());
                case 9, 10 -> new UpdateTopic(stream(), topic(), name("topic"), options.options());
                case 11 ->
                    random.nextInt(4) == 0 ? new DeleteTopic(stream(), topic()) : new PurgeTopic(stream(), topic());
                case 12, 13 -> new CreatePartitions(stream(), topic(), partitions());
                case 14, 15 -> new DeletePartitions(stream(), topic(), partitions());
                case 16 -> new DeleteSegments(stream(), topic(), random.nextInt(6) - 1, random.nextInt(3));
                case 17, 18 -> new CreateConsumerGroup(stream(), topic(), name("group"));
                case 19 -> new DeleteConsumerGroup(stream(), topic(), group());
                case 20, 21, 22 -> new JoinConsumerGroup(stream(), topic(), group());
                case 23 -> new LeaveConsumerGroup(stream(), topic(), group());
                case 24, 25 ->
                    new CreateUser(
                            random.nextInt(8) == 0 ? "ab" : name("user"),
                            password(),
                            random.nextInt(4),
                            permissions(),
                            Options.NONE);
                case 26 ->
                    new UpdateUser(
                            user(),
                            random.nextBoolean() ? null : random.nextInt(8) == 0 ? "ab" : name("user"),
                            random.nextInt(4),
                            Options.NONE);
                case 27 -> new DeleteUser(user());
                case 28, 29 -> new UpdatePermissions(user(), permissions());
                case 30 -> new ChangePassword(user(), password(), password());
                case 31, 32 ->
                    new CreatePersonalAccessToken(name("token"), random.nextInt(6) == 0 ? -2 : random.nextInt(3) - 1);
                case 33, 34 -> new LeaveConsumerGroup(stream(), topic(), group());
                default -> new DeletePersonalAccessToken(name("token"));
            };
        }

        private void forEachGroup(Consumer<ConsumerGroup> visitor) {
            for (int s = 0; s < metadata.catalog.streamIdsEnd(); s++) {
                Stream stream = metadata.catalog.stream(s);
                for (int t = 0; stream != null && t < stream.topicIdsEnd(); t++) {
                    Topic topic = stream.topic(t);
                    if (topic != null) {
                        topic.groups().forEach(visitor);
                    }
                }
            }
        }

        void compare() {
            assertThat(told(metadata.catalog)).as(when()).isEqualTo(told(model));
            forEachGroup(this::checkGroup);
        }

        /// Every partition of a group with members has one owner, and the members are those of the model.
        private void checkGroup(ConsumerGroup group) {
            Topic topic = Objects.requireNonNull(metadata.catalog.topic(group.streamId(), group.topicId()));
            List<Integer> dealt = new ArrayList<>();
            for (int member = 0; member < group.memberIdsEnd(); member++) {
                dealt.addAll(group.partitions(member));
            }
            assertThat(dealt)
                    .as("%s: %s", when(), group)
                    .doesNotHaveDuplicates()
                    .hasSize(group.membersCount() == 0 ? 0 : topic.partitionsCount());
            for (ClientId client : group.clients()) {
                assertThat(metadata.catalog.groups(client))
                        .as("%s: %s", when(), client)
                        .contains(group);
            }
        }

        private String told(NaiveMetadata naive) {
            StringBuilder text = new StringBuilder();
            naive.streams.forEach((streamId, stream) -> {
                text.append("stream ")
                        .append(streamId + " " + stream.name + " " + stream.createdAt)
                        .append('\n');
                stream.topics.forEach((topicId, topic) -> {
                    text.append("  topic ").append(topicId + " " + topic.name + " " + topic.createdAt + " ");
                    text.append(topic.segmentBytes + " " + topic.explicit).append('\n');
                    text.append("    partitions " + topic.partitionsCreated + " " + topic.purged)
                            .append('\n');
                    topic.groups.forEach((groupId, group) -> text.append(
                                    "    group " + groupId + " " + group.name + " " + group.clients)
                            .append('\n'));
                });
            });
            naive.users.forEach((userId, user) -> {
                text.append("user " + userId + " " + user.name + " " + Metadata.phc(user.password) + " " + user.active);
                text.append(" " + user.permissions + " " + user.tokens).append('\n');
            });
            naive.sessions.forEach((client, userId) ->
                    text.append("client " + client + " user " + userId).append('\n'));
            return text.toString();
        }

        private String told(Catalog catalog) {
            StringBuilder text = new StringBuilder();
            for (int s = 0; s < catalog.streamIdsEnd(); s++) {
                Stream stream = catalog.stream(s);
                if (stream == null) {
                    continue;
                }
                text.append("stream ")
                        .append(s + " " + stream.name() + " " + stream.createdAtMicros())
                        .append('\n');
                for (int t = 0; t < stream.topicIdsEnd(); t++) {
                    Topic topic = stream.topic(t);
                    if (topic != null) {
                        tell(t, topic, text);
                    }
                }
            }
            for (int u = 0; u < catalog.userIdsEnd(); u++) {
                User user = catalog.user(u);
                if (user != null) {
                    TreeMap<String, Long> tokens = new TreeMap<>();
                    catalog.tokens(u).forEach(token -> tokens.put(token.name(), token.expiryAtMicros()));
                    text.append("user " + u + " " + user.name() + " " + user.passwordPhc() + " " + user.isActive());
                    text.append(" " + user.permissions() + " " + tokens).append('\n');
                }
            }
            TreeMap<Long, Integer> sessions = new TreeMap<>();
            catalog.clients().forEach((client, _, userId) -> sessions.put(client.low(), userId));
            sessions.forEach((client, userId) ->
                    text.append("client " + client + " user " + userId).append('\n'));
            return text.toString();
        }

        private void tell(int topicId, Topic topic, StringBuilder text) {
            TreeMap<String, Object> explicit = new TreeMap<>();
            topic.options().explicit().entries().forEach(entry -> explicit.put(entry.key(), entry.value()));
            List<Long> created = new ArrayList<>();
            List<Long> purged = new ArrayList<>();
            for (int p = 0; p < topic.partitionsCount(); p++) {
                created.add(topic.created(p));
                purged.add(topic.purgeGeneration(p));
            }
            text.append("  topic ").append(topicId + " " + topic.name() + " " + topic.createdAtMicros() + " ");
            text.append(topic.settings().segmentBytesMax() + " " + explicit).append('\n');
            text.append("    partitions " + created + " " + purged).append('\n');
            for (ConsumerGroup group : topic.groups()) {
                TreeSet<Long> clients = new TreeSet<>();
                group.clients().forEach(client -> clients.add(client.low()));
                text.append("    group " + group.id() + " " + group.name() + " " + clients)
                        .append('\n');
            }
        }
    }

    private static ClientId id(int client) {
        return new ClientId(7, client);
    }

    /// The journal is all that a second node needs.
    @Test
    void aSnapshotInTheMiddleAndTheRestOfTheJournalMakeTheSameCatalog() {
        for (int seed = 0; seed < 20; seed++) {
            Run run = new Run(1_000 + seed);
            run.run();
            List<ByteBuffer> journal = run.metadata.journal;
            int middle = new Random(seed).nextInt(journal.size());
            Catalog first = new Catalog();
            for (int i = 0; i < middle; i++) {
                first.apply(i + 1, journal.get(i));
            }
            Catalog second = Catalog.restore(first.snapshot());
            for (int i = middle; i < journal.size(); i++) {
                assertThat(second.apply(i + 1, journal.get(i)))
                        .as("seed %d, op %d", seed, i + 1)
                        .isEqualTo(first.apply(i + 1, journal.get(i)));
            }
            assertThat(second.digest()).as("seed %d", seed).isEqualTo(first.digest());
            assertThat(second.digest()).as("seed %d", seed).isEqualTo(run.metadata.catalog.digest());
        }
    }
}
