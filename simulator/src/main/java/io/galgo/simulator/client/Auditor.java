package io.galgo.simulator.client;

import io.galgo.model.CommittedMetadata;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.GetConsumerGroups;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.simulator.check.Checkers;
import io.galgo.simulator.check.Incarnations.Incarnation;
import io.galgo.simulator.check.OffsetChecker.Register;
import io.galgo.simulator.check.Polled;
import io.galgo.simulator.check.Received;
import io.galgo.simulator.world.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Reads everything there is through the protocol when nothing else happens, and compares it with what must be
/// there.
final class Auditor {
    static final String STATE = "what can be read is what was committed";

    private static final ConsumerRef NOBODY = ConsumerRef.consumer(Identifier.of(77_777));
    private static final long RETRY_NANOS = 200_000_000;
    private static final int PAGE = 500;
    private static final int RETRIES_MAX = 60;

    private final Stage stage;
    private final PublishedClient client;
    private final Checkers checkers;
    private final ArrayDeque<Runnable> steps = new ArrayDeque<>();
    private final TreeSet<String> found = new TreeSet<>();
    private boolean isRunning;
    private long readSinceOp;

    Auditor(Stage stage, PublishedClient client, Checkers checkers) {
        this.stage = stage;
        this.client = client;
        this.checkers = checkers;
    }

    boolean isRunning() {
        return isRunning;
    }

    void run() {
        steps.clear();
        isRunning = !checkers.isBlind();
        if (!isRunning) {
            return;
        }
        steps.add(this::readMetadata);
        if (!checkers.isNetworkHonest()) {
            next();
            return;
        }
        for (Incarnation incarnation : checkers.incarnations().current()) {
            steps.add(() ->
                    readMessages(incarnation, new TreeMap<>(), 0, stage.world().nowNanos()));
        }
        for (Register register : checkers.offsets().registers()) {
            steps.add(() -> readOffset(register));
        }
        next();
    }

    private void next() {
        Runnable step = steps.poll();
        if (step == null) {
            isRunning = false;
        } else {
            step.run();
        }
    }

    /// Asks until there is an answer.
    private void ask(Request request, Consumer<Received> done) {
        ask(request, done, null, 0);
    }

    /// @param refused hears of a refusal; when null, there must be none
    private void ask(Request request, Consumer<Received> done, @Nullable Consumer<Received> refused, int tries) {
        client.ask(request, ending -> {
            Received answer = ending.answer();
            if (ending.isDone()) {
                done.accept(ending.reply());
            } else if (ending.kind() == Ending.Kind.REFUSED
                    && answer != null
                    && answer.error() != Received.NOT_ACCEPTED) {
                if (refused == null) {
                    throw new Violation(STATE, request + " is refused with " + answer);
                }
                refused.accept(answer);
            } else if (tries < RETRIES_MAX) {
                stage.world().after(RETRY_NANOS, () -> ask(request, done, refused, tries + 1));
            } else if (refused != null && answer != null) {
                refused.accept(answer);
            } else {
                throw new Violation(STATE, request + " cannot be had: " + answer);
            }
        });
    }

    // Metadata

    private void readMetadata() {
        found.clear();
        readSinceOp = checkers.metadata().appliedOp();
        steps.addFirst(this::compare);
        steps.addFirst(this::readUsers);
        steps.addFirst(this::readStreams);
        next();
    }

    private void readStreams() {
        ask(new BodilessRequest(CommandCode.GET_STREAMS), answer -> {
            StreamRecords streams = decoded(StreamRecords.decode(answer.body()));
            List<Runnable> reads = new ArrayList<>();
            for (StreamRecord stream : streams.streams()) {
                found.add(CommittedMetadata.described(stream));
                reads.add(() -> readStream(stream.id()));
            }
            reads.reversed().forEach(steps::addFirst);
            next();
        });
    }

    private void readStream(int streamId) {
        ask(new GetStream(Identifier.of(streamId)), answer -> {
            StreamDetails details = decoded(StreamDetails.decode(answer.body()));
            List<Runnable> reads = new ArrayList<>();
            for (TopicRecord topic : details.topics()) {
                found.add(CommittedMetadata.described(streamId, topic));
                reads.add(() -> readGroups(streamId, topic.id()));
            }
            reads.reversed().forEach(steps::addFirst);
            next();
        });
    }

    private void readGroups(int streamId, int topicId) {
        ask(new GetConsumerGroups(Identifier.of(streamId), Identifier.of(topicId)), answer -> {
            for (GroupRecord group : decoded(GroupRecords.decode(answer.body())).groups()) {
                found.add(CommittedMetadata.described(streamId, topicId, group));
            }
            next();
        });
    }

    private void readUsers() {
        ask(new BodilessRequest(CommandCode.GET_USERS), answer -> {
            List<Runnable> reads = new ArrayList<>();
            for (UserRecord user : decoded(UserRecords.decode(answer.body())).users()) {
                reads.add(() -> ask(new GetUser(Identifier.of(user.id())), details -> {
                    found.add(CommittedMetadata.described(decoded(UserDetails.decode(details.body()))));
                    next();
                }));
            }
            reads.reversed().forEach(steps::addFirst);
            next();
        });
    }

    private void compare() {
        if (checkers.metadata().appliedOp() != readSinceOp) {
            // Sessions whose clients are gone end when the server notices.
            stage.world().after(RETRY_NANOS, this::readMetadata);
            return;
        }
        TreeSet<String> expected = new TreeSet<>(checkers.metadata().described());
        if (!expected.equals(found)) {
            TreeSet<String> missing = new TreeSet<>(expected);
            missing.removeAll(found);
            TreeSet<String> extra = new TreeSet<>(found);
            extra.removeAll(expected);
            throw new Violation(STATE, "missing: " + missing + ", not expected: " + extra);
        }
        next();
    }

    private static <T> T decoded(@Nullable T value) {
        if (value == null) {
            throw new Violation(STATE, "an answer cannot be decoded");
        }
        return value;
    }

    // Messages and offsets

    private void readMessages(Incarnation incarnation, Map<Long, Polled> all, long from, long begunNanos) {
        var place = incarnation.place();
        PollMessages poll = new PollMessages(
                NOBODY,
                Identifier.of(place.stream()),
                Identifier.of(place.topic()),
                OptionalPartition.of(place.partition()),
                PollingStrategy.offset(from),
                PAGE,
                false);
        ask(
                poll,
                answer -> {
                    List<Polled> polled = stage.polled(answer);
                    polled.forEach(message -> all.put(message.offset(), message));
                    long last = PollHeader.currentOffset(answer.body(), 0);
                    long end = polled.isEmpty() ? from : polled.getLast().offset() + 1;
                    if (!polled.isEmpty() && end <= last) {
                        readMessages(incarnation, all, end, begunNanos);
                    } else {
                        checkers.messages().onReadWhole(incarnation, all, begunNanos);
                        next();
                    }
                },
                // What cannot be read because it was damaged is judged where the answer is.
                _ -> next(),
                triesFor(incarnation));
    }

    /// How many attempts are taken to be over already. A partition that is damaged may not be there at all.
    private int triesFor(Incarnation incarnation) {
        return checkers.isDamaged(incarnation.place()) ? RETRIES_MAX - 2 : 0;
    }

    private void readOffset(Register register) {
        var place = register.incarnation().place();
        boolean isThere = checkers.incarnations().current().contains(register.incarnation());
        if (!isThere) {
            next();
            return;
        }
        int number = register.isGroup()
                ? Integer.parseUnsignedInt(
                        register.consumer().substring(register.consumer().lastIndexOf('/') + 1))
                : Integer.parseUnsignedInt(register.consumer());
        ConsumerRef consumer = register.isGroup()
                ? ConsumerRef.group(Identifier.of(number))
                : ConsumerRef.consumer(Identifier.of(number));
        GetConsumerOffset get = new GetConsumerOffset(
                consumer,
                Identifier.of(place.stream()),
                Identifier.of(place.topic()),
                OptionalPartition.of(place.partition()));
        ask(get, _ -> next(), _ -> next(), triesFor(register.incarnation()));
    }
}
