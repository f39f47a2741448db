package io.galgo.torture.history;

import io.galgo.torture.history.Catalog.Change;
import io.galgo.torture.history.Catalog.StreamModel;
import io.galgo.torture.history.Catalog.TopicModel;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.StreamDescription;
import io.galgo.torture.wire.TopicDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Creates, renames, repartitions and deletes streams, topics, groups, users and tokens at random, and knows what
/// the catalog must be.
public final class CatalogActor {
    private static final int STREAMS_MAX = 8;
    private static final int TOPICS_MAX = 4;
    private static final int PARTITIONS_MAX = 6;
    private static final int USERS_MAX = 6;
    private static final int TOKENS_MAX = 6;
    private static final String ROOT = "iggy";

    private final Random random;
    private final boolean hasUsers;
    private Catalog confirmed = Catalog.empty();
    private @Nullable Change underWay;
    private int names;
    private long acknowledged;

    /// @param hasUsers whether users, tokens and groups are changed too
    public CatalogActor(Random random, boolean hasUsers) {
        this.random = random;
        this.hasUsers = hasUsers;
    }

    /// Takes over what was created outside of this actor. It is never touched.
    public void adopt(RawClient client) throws IOException {
        confirmed = read(client);
    }

    public long acknowledgedCount() {
        return acknowledged;
    }

    /// Works until it is over or the connection breaks.
    public void work(RawClient client, String untouched, BooleanSupplier isOver) throws IOException {
        while (!isOver.getAsBoolean()) {
            Change change = choose(untouched);
            underWay = change;
            ReplyFrame reply = client.persist(operation(change), body(change).toBytes());
            if (!reply.isOk()) {
                throw new AssertionError(change + " was answered with " + reply.outcome());
            }
            confirmed = confirmed.with(change);
            underWay = null;
            acknowledged++;
            if (change instanceof Catalog.CreateStream(String stream)) {
                long id = new Fields(reply.payload()).u32();
                StreamModel expected = confirmed.streams().get(stream);
                if (expected == null || expected.id() != id) {
                    throw new AssertionError("stream " + stream + " got id " + id + ", the model says " + expected);
                }
            }
        }
    }

    /// Compares after a restart. Returns what is wrong, null when all is well.
    public @Nullable String check(RawClient client) throws IOException {
        String found = read(client).describe();
        String wanted = confirmed.describe();
        Change open = underWay;
        underWay = null;
        if (open != null && found.equals(confirmed.with(open).describe())) {
            confirmed = confirmed.with(open);
            return null;
        }
        if (found.equals(wanted)) {
            return null;
        }
        return "the catalog is\n" + found + "\nand was confirmed as\n" + wanted + "\nwith " + open + " under way";
    }

    private Catalog read(RawClient client) throws IOException {
        Catalog found = Catalog.empty();
        TreeMap<String, StreamModel> streams = new TreeMap<>();
        for (StreamDescription listed : client.streams()) {
            StreamDescription stream = client.stream(listed.name()).orElseThrow();
            TreeMap<String, TopicModel> topics = new TreeMap<>();
            for (TopicDescription topic : stream.topics()) {
                TopicModel model = new TopicModel(topic.id(), (int) topic.partitionsCount());
                readGroups(client, stream.name(), topic.name(), model);
                topics.put(topic.name(), model);
            }
            streams.put(stream.name(), new StreamModel(stream.id(), topics));
        }
        found.streams().putAll(streams);
        if (hasUsers) {
            readUsers(client, found);
        }
        return found;
    }

    private static void readGroups(RawClient client, String stream, String topic, TopicModel found) throws IOException {
        Fields fields = new Fields(
                client.ask(Code.GROUPS, Body.of().id(stream).id(topic)).body());
        while (fields.hasMore()) {
            long id = fields.u32();
            fields.u32();
            fields.u32();
            found.groups().put(fields.name(), id);
        }
    }

    private static void readUsers(RawClient client, Catalog found) throws IOException {
        Fields users = new Fields(client.ask(Code.USERS, new byte[0]).body());
        while (users.hasMore()) {
            long id = users.u32();
            users.u64();
            users.u8();
            found.users().put(users.name(), id);
            users.raw(users.u32());
        }
        Fields tokens = new Fields(client.ask(Code.TOKENS, new byte[0]).body());
        while (tokens.hasMore()) {
            found.tokens().add(tokens.name());
            tokens.u64();
        }
    }

    private Change chooseAboutUsers() {
        List<String> users = new ArrayList<>(confirmed.users().keySet());
        users.remove(ROOT);
        List<String> tokens = List.copyOf(confirmed.tokens());
        return switch (random.nextInt(5)) {
            case 0 ->
                // Each costs a hash of a password.
                users.size() < USERS_MAX ? new Catalog.CreateUser(newName()) : new Catalog.DeleteUser(users.getFirst());
            case 1 ->
                users.isEmpty()
                        ? new Catalog.CreateToken(newName())
                        : new Catalog.RenameUser(users.get(random.nextInt(users.size())), newName());
            case 2 ->
                users.size() < 2
                        ? new Catalog.CreateToken(newName())
                        : new Catalog.DeleteUser(users.get(random.nextInt(users.size())));
            case 3 ->
                tokens.size() < TOKENS_MAX
                        ? new Catalog.CreateToken(newName())
                        : new Catalog.DeleteToken(tokens.getFirst());
            default ->
                tokens.isEmpty()
                        ? new Catalog.CreateToken(newName())
                        : new Catalog.DeleteToken(tokens.get(random.nextInt(tokens.size())));
        };
    }

    private Change choose(String untouched) {
        if (hasUsers && random.nextInt(4) == 0) {
            return chooseAboutUsers();
        }
        List<String> streams = new ArrayList<>(confirmed.streams().keySet());
        streams.remove(untouched);
        if (streams.isEmpty() || (streams.size() < STREAMS_MAX && random.nextInt(4) == 0)) {
            return new Catalog.CreateStream(newName());
        }
        String stream = streams.get(random.nextInt(streams.size()));
        int roll = random.nextInt(12);
        if (roll == 0 || streams.size() == STREAMS_MAX) {
            return new Catalog.DeleteStream(stream);
        }
        if (roll == 1) {
            return new Catalog.RenameStream(stream, newName());
        }
        Map<String, TopicModel> topics = confirmed.topics(stream);
        if (topics.isEmpty() || (roll < 5 && topics.size() < TOPICS_MAX)) {
            return new Catalog.CreateTopic(stream, newName(), random.nextInt(3));
        }
        List<String> names = new ArrayList<>(topics.keySet());
        String topic = names.get(random.nextInt(names.size()));
        int partitions = confirmed
                .topics(stream)
                .getOrDefault(topic, new TopicModel(0, 0))
                .partitions();
        if (roll < 7) {
            return new Catalog.DeleteTopic(stream, topic);
        }
        if (roll < 8) {
            return new Catalog.RenameTopic(stream, topic, newName());
        }
        if (roll < 10) {
            List<String> groups = List.copyOf(
                    topics.getOrDefault(topic, new TopicModel(0, 0)).groups().keySet());
            return groups.size() < 3
                    ? new Catalog.CreateGroup(stream, topic, newName())
                    : new Catalog.DeleteGroup(stream, topic, groups.getFirst());
        }
        boolean isMore = partitions == 0 || (partitions < PARTITIONS_MAX && random.nextBoolean());
        return new Catalog.Repartition(
                stream, topic, isMore ? 1 + random.nextInt(2) : -(1 + random.nextInt(partitions)));
    }

    private String newName() {
        names++;
        return "name-" + names;
    }

    private static int operation(Change change) {
        return switch (change) {
            case Catalog.CreateStream _ -> Operation.CREATE_STREAM;
            case Catalog.RenameStream _ -> Operation.UPDATE_STREAM;
            case Catalog.DeleteStream _ -> Operation.DELETE_STREAM;
            case Catalog.CreateTopic _ -> Operation.CREATE_TOPIC;
            case Catalog.RenameTopic _ -> Operation.UPDATE_TOPIC;
            case Catalog.DeleteTopic _ -> Operation.DELETE_TOPIC;
            case Catalog.Repartition repartition ->
                repartition.count() > 0 ? Operation.CREATE_PARTITIONS : Operation.DELETE_PARTITIONS;
            case Catalog.CreateGroup _ -> Operation.CREATE_GROUP;
            case Catalog.DeleteGroup _ -> Operation.DELETE_GROUP;
            case Catalog.CreateUser _ -> Operation.CREATE_USER;
            case Catalog.RenameUser _ -> Operation.UPDATE_USER;
            case Catalog.DeleteUser _ -> Operation.DELETE_USER;
            case Catalog.CreateToken _ -> Operation.CREATE_TOKEN;
            case Catalog.DeleteToken _ -> Operation.DELETE_TOKEN;
        };
    }

    private static Body body(Change change) {
        return switch (change) {
            case Catalog.CreateStream(String stream) -> Body.of().name(stream);
            case Catalog.RenameStream(String stream, String name) ->
                Body.of().id(stream).name(name);
            case Catalog.DeleteStream(String stream) -> Body.of().id(stream);
            case Catalog.CreateTopic(String stream, String topic, int partitions) ->
                Body.of().id(stream).u32(partitions).name(topic);
            case Catalog.RenameTopic(String stream, String topic, String name) ->
                Body.of().id(stream).id(topic).name(name);
            case Catalog.DeleteTopic(String stream, String topic) ->
                Body.of().id(stream).id(topic);
            case Catalog.Repartition(String stream, String topic, int count) ->
                Body.of().id(stream).id(topic).u32(Math.abs(count));
            case Catalog.CreateGroup(String stream, String topic, String group) ->
                Body.of().id(stream).id(topic).name(group);
            case Catalog.DeleteGroup(String stream, String topic, String group) ->
                Body.of().id(stream).id(topic).id(group);
            case Catalog.CreateUser(String user) ->
                Body.of().name(user).name("a-password").u8(1).u8(0);
            case Catalog.RenameUser(String user, String name) ->
                Body.of().id(user).u8(1).name(name).u8(0);
            case Catalog.DeleteUser(String user) -> Body.of().id(user);
            case Catalog.CreateToken(String token) -> Body.of().name(token).u64(0);
            case Catalog.DeleteToken(String token) -> Body.of().name(token);
        };
    }
}
