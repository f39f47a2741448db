package io.galgo.torture.campaign;

import io.galgo.torture.history.CatalogActor;
import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.history.OffsetLedger;
import io.galgo.torture.history.OffsetLedger.Stand;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.RefusedException;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Clients that use everything a server has, what they were told, and whether it is still so.
///
/// Several writers send to topics of every durability, one of them pipelined, one with huge batches, one over many
/// small segments; a reader polls; an actor stores and deletes offsets of consumers and of its group; another
/// changes streams, topics, groups, users and tokens; a third deletes segments. They work in [Shift]s; between
/// shifts the server may be harmed. What a shift draws depends on the seed alone.
final class Workload {
    static final String STREAM = "campaign";
    static final int PARTITIONS = 3;
    static final String GROUP = "movers";
    /// The topic whose oldest segments go. Nobody stores an offset there, which would keep them.
    static final String TRIMMED = "trimmed";
    /// The topic whose acknowledgements survive a power cut.
    static final String PERSISTED = "persisted";

    private static final int POLL_COUNT = 2000;
    /// A poll that starts at damaged bytes.
    static final String DAMAGED = "DENY 4039";

    /// @param window requests under way at a time
    record Writer(String topic, int window, int batchBytesMax) {}

    static final List<Writer> WRITERS = List.of(
            new Writer("replicated", 1, 4_000),
            new Writer("replicated", 8, 40_000),
            new Writer(PERSISTED, 1, 4_000),
            new Writer(PERSISTED, 8, 100_000),
            new Writer("rolling", 4, 150_000),
            new Writer("large", 2, 2_000_000),
            new Writer(TRIMMED, 4, 150_000));

    private final boolean isGalgo;
    private final Random random;
    private final Ledger ledger = new Ledger();
    private final OffsetLedger offsets = new OffsetLedger();
    private final CatalogActor catalog;
    private final Sequence sequence = new Sequence();
    private final Set<String> topics = new LinkedHashSet<>();

    Workload(boolean isGalgo, long seed) {
        this.isGalgo = isGalgo;
        this.random = new Random(seed);
        this.catalog = new CatalogActor(new Random(seed + 1), isGalgo);
        WRITERS.forEach(writer -> topics.add(writer.topic));
    }

    boolean isGalgo() {
        return isGalgo;
    }

    Ledger ledger() {
        return ledger;
    }

    OffsetLedger offsets() {
        return offsets;
    }

    CatalogActor catalog() {
        return catalog;
    }

    Sequence sequence() {
        return sequence;
    }

    Random random() {
        return random;
    }

    List<String> topics() {
        return List.copyOf(topics);
    }

    /// The topics in which offsets are stored.
    List<String> consumed() {
        return topics.stream().filter(name -> !name.equals(TRIMMED)).toList();
    }

    /// What a campaign creates beside, in the stream of the workload.
    interface Preparation {
        void prepare(RawClient client) throws IOException;
    }

    /// Creates what the clients work on. Once, on an empty server.
    void prepare(ServerProcess server, Preparation more) throws IOException {
        byte[] persisted = Body.of()
                .option("consumer_offset_durability", "persisted")
                .option("durability", "persisted")
                .toBytes();
        byte[] rolling = Body.of().option("segment_size", 1 << 20).toBytes();
        try (RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(STREAM, "replicated", PARTITIONS);
            client.createTopic(STREAM, PERSISTED, PARTITIONS, persisted);
            client.createTopic(STREAM, "rolling", PARTITIONS, rolling);
            client.createTopic(STREAM, "large", PARTITIONS);
            client.createTopic(STREAM, TRIMMED, PARTITIONS, rolling);
            if (isGalgo) {
                for (String topic : topics) {
                    client.succeedWith(
                            Operation.CREATE_GROUP,
                            Body.of().id(STREAM).id(topic).name(GROUP));
                }
            }
            more.prepare(client);
            catalog.adopt(client);
        }
    }

    /// Judges everything that was ever confirmed, after a restart or with all clients gone.
    void judge(ServerProcess server, String when) throws IOException {
        try (RawClient client = server.client()) {
            for (Place place : places()) {
                ledger.check(place, readAll(client, place, when));
            }
            for (Stand stand : offsets.all()) {
                String complaint = offsets.check(stand, storedOffset(client, stand));
                if (complaint != null) {
                    ledger.complain(when + ": " + complaint);
                }
            }
            String complaint = catalog.check(client);
            if (complaint != null) {
                ledger.complain(when + ": " + complaint);
            }
        }
        ledger.endRound();
        offsets.endRound();
    }

    List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (String topic : topics) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                places.add(new Place(topic, partition));
            }
        }
        return places;
    }

    OptionalLong storedOffset(RawClient client, Stand stand) throws IOException {
        return client.storedOffset(
                consumer(stand), STREAM, stand.place().topic(), stand.place().partition());
    }

    static Body consumer(Stand stand) {
        return stand.isGroup() ? Body.of().u8(2).id(GROUP) : Body.of().consumer(stand.consumer());
    }

    private List<PolledMessage> readAll(RawClient client, Place place, String when) throws IOException {
        List<PolledMessage> all = new ArrayList<>();
        long next = 0;
        while (true) {
            Polled polled = pollPastDamage(client, place, next);
            if (polled.messages().isEmpty()) {
                // A partition whose segments were deleted goes on counting.
                boolean isTrimmed = place.topic().equals(TRIMMED) && all.isEmpty();
                long end = isTrimmed ? ledger.nextOffset(place) - 1 : 0;
                long last = all.isEmpty() ? Math.max(0, end) : all.getLast().offset();
                if (polled.currentOffset() != last && !ledger.mayHaveGaps(place)) {
                    ledger.complain(when + ": " + place + " tells current offset " + polled.currentOffset()
                            + ", the last is " + last);
                }
                return all;
            }
            all.addAll(polled.messages());
            next = all.getLast().offset() + 1;
        }
    }

    /// What is behind an offset. What a power cut left in part is told as damage and stepped over: that nothing of
    /// it was promised is checked. Steps get wider, and the last one is searched for the first offset that can be
    /// read.
    private Polled pollPastDamage(RawClient client, Place place, long offset) throws IOException {
        long unreadable = offset - 1;
        long next = offset;
        Polled polled = pollIfReadable(client, place, next);
        for (int refused = 1; polled == null; refused++) {
            unreadable = next;
            next = ledger.nextToTry(place, next, refused);
            polled = pollIfReadable(client, place, next);
        }
        while (next - unreadable > 1) {
            long middle = unreadable + (next - unreadable) / 2;
            Polled earlier = pollIfReadable(client, place, middle);
            if (earlier == null) {
                unreadable = middle;
            } else {
                next = middle;
                polled = earlier;
            }
        }
        return polled;
    }

    private @Nullable Polled pollIfReadable(RawClient client, Place place, long offset) throws IOException {
        try {
            return client.poll(STREAM, place.topic(), place.partition(), Strategy.offset(offset), POLL_COUNT);
        } catch (RefusedException e) {
            if (!e.outcome().equals(DAMAGED) || !ledger.mayHaveGaps(place)) {
                throw e;
            }
            return null;
        }
    }

    /// Everything that a partition still serves, some of whose files were damaged. What is answered with an error
    /// is stepped over, offset by offset.
    List<PolledMessage> readWhatIsLeft(RawClient client, Place place) throws IOException {
        List<PolledMessage> all = new ArrayList<>();
        long end = ledger.nextOffset(place);
        long next = 0;
        while (next < end) {
            try {
                Polled polled =
                        client.poll(STREAM, place.topic(), place.partition(), Strategy.offset(next), POLL_COUNT);
                if (polled.messages().isEmpty()) {
                    return all;
                }
                all.addAll(polled.messages());
                next = polled.messages().getLast().offset() + 1;
            } catch (RefusedException e) {
                if (!e.outcome().equals(DAMAGED)) {
                    throw e;
                }
                next++;
            }
        }
        return all;
    }
}
