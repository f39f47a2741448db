package io.galgo.acceptance.durability;

import io.galgo.acceptance.durability.Catalog.Change;
import io.galgo.acceptance.durability.Catalog.StreamModel;
import io.galgo.acceptance.durability.Catalog.TopicModel;
import io.galgo.acceptance.wire.Body;
import io.galgo.acceptance.wire.Fields;
import io.galgo.acceptance.wire.Operation;
import io.galgo.acceptance.wire.RawClient;
import io.galgo.acceptance.wire.ReplyFrame;
import io.galgo.acceptance.wire.StreamDescription;
import io.galgo.acceptance.wire.TopicDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Creates, renames, repartitions and deletes streams and topics at random, and knows what the catalog must be.
final class CatalogActor {
    private static final int STREAMS_MAX = 8;
    private static final int TOPICS_MAX = 4;
    private static final int PARTITIONS_MAX = 6;

    private final Random random;
    private Catalog confirmed = Catalog.empty();
    private @Nullable Change underWay;
    private int names;
    private long acknowledged;

    CatalogActor(Random random) {
        this.random = random;
    }

    /// Takes over what was created outside of this actor. It is never touched.
    void adopt(RawClient client) throws IOException {
        confirmed = read(client);
    }

    long acknowledgedCount() {
        return acknowledged;
    }

    /// Works until the connection breaks.
    void work(RawClient client, String untouched) throws IOException {
        while (true) {
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
    @Nullable String check(RawClient client) throws IOException {
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

    private static Catalog read(RawClient client) throws IOException {
        TreeMap<String, StreamModel> streams = new TreeMap<>();
        for (StreamDescription listed : client.streams()) {
            StreamDescription stream = client.stream(listed.name()).orElseThrow();
            TreeMap<String, TopicModel> topics = new TreeMap<>();
            for (TopicDescription topic : stream.topics()) {
                topics.put(topic.name(), new TopicModel(topic.id(), (int) topic.partitionsCount()));
            }
            streams.put(stream.name(), new StreamModel(stream.id(), topics));
        }
        return new Catalog(streams);
    }

    private Change choose(String untouched) {
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
        };
    }
}
