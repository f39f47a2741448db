package io.galgo.model;

import io.galgo.model.PartitionState.Polled;
import io.galgo.model.State.StreamState;
import io.galgo.model.State.TopicState;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.GetConsumerGroup;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.SyncConsumerGroup;
import io.galgo.protocol.request.UpdateTopic;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Clients that do random things to a server, which stops and dies now and then, and compare all they hear with a
/// [Model].
///
/// Each step draws from a random source of its own. So a run can be repeated with steps left out, which is how
/// [#shortest] makes a failure readable.
public final class Driver {
    private static final int CALLERS_MAX = 5;
    private static final int PATIENCE = 100;
    private static final long STALE_MICROS = 36_000_000;
    private static final long STALE_CHECK_MICROS = 31_000_000;
    private static final int TRACE_TOLD = 60;

    /// What to do.
    ///
    /// @param isDurableOnly whether all topics are `persisted`, so that nothing may be lost with the power
    /// @param ends how the server ends now and then
    /// @param restartIn one step of so many restarts the server
    /// @param skipped steps that are left out
    public record Plan(
            long seed, int steps, boolean isDurableOnly, List<Subject.End> ends, int restartIn, Set<Integer> skipped) {
        Plan without(Set<Integer> more) {
            Set<Integer> all = new HashSet<>(skipped);
            all.addAll(more);
            return new Plan(seed, steps, isDurableOnly, ends, restartIn, all);
        }

        Plan upTo(int count) {
            return new Plan(seed, count, isDurableOnly, ends, restartIn, skipped);
        }
    }

    /// A run that found something.
    public static final class Failed extends AssertionError {
        private static final long serialVersionUID = 1;
        final int step;

        Failed(int step, String text, Throwable cause) {
            super(text, cause);
            this.step = step;
        }
    }

    private final Subject subject;
    private final Plan plan;
    private final List<Caller> callers = new ArrayList<>();
    private final Deque<String> trace = new ArrayDeque<>();
    private final AtomicLong messages = new AtomicLong();
    private final Set<CommandCode> unserved = EnumSet.noneOf(CommandCode.class);
    private final Map<CommandCode, Integer> successes = new TreeMap<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private Model model;
    private Caller reader;
    private SplittableRandom random;
    private Draw draw;
    private int callersMade;

    public Driver(Subject subject, Plan plan) {
        this.subject = subject;
        this.plan = plan;
        this.model = new Model(State.fresh(), subject, callers);
        this.random = new SplittableRandom(plan.seed);
        this.draw = newDraw();
        this.reader = newCaller();
    }

    private Draw newDraw() {
        List<TopicChoice> choices = plan.isDurableOnly ? TopicChoice.DURABLE : TopicChoice.ALL;
        if (!subject.isPrompt()) {
            // What ends by itself after some seconds is no business of a server whose clock cannot be moved.
            choices = choices.stream()
                    .filter(choice -> !choice.equals(TopicChoice.EXPIRING))
                    .toList();
        }
        return new Draw(random, model.state, callers, choices, subject.isPrompt(), messages);
    }

    /// How often each command succeeded.
    public Map<CommandCode, Integer> successes() {
        return successes;
    }

    /// How often there was each outcome.
    public Map<String, Integer> outcomes() {
        return outcomes;
    }

    /// Does all steps.
    ///
    /// @throws Failed when the server and the model differ, or the server breaks
    public void run() {
        int step = -1;
        try {
            login(reader, Draw.rootLogin());
            findUnserved();
            for (step = 0; step < plan.steps; step++) {
                if (!plan.skipped.contains(step)) {
                    random = new SplittableRandom(plan.seed * 1_000_003 + step).split();
                    draw = newDraw();
                    say("-- step " + step);
                    step();
                }
            }
            step = plan.steps;
            audit();
        } catch (RuntimeException | AssertionError e) {
            throw new Failed(
                    step,
                    "seed " + plan.seed + ", step " + step + ": " + e.getMessage() + "\n" + traced()
                            + "\nthe server's log ends with:\n" + subject.log(),
                    e);
        }
    }

    /// The same failure with as few steps as are quickly found: what is left out in halves, quarters and so on.
    public static Failed shortest(
            Failed first, Plan plan, java.util.function.Function<Plan, @Nullable Failed> attempt) {
        Failed best = first;
        Plan shortest = plan.upTo(Math.min(plan.steps, first.step + 1));
        for (int chunk = Math.max(1, shortest.steps / 2); chunk >= 1; chunk /= 2) {
            for (int start = 0; start < shortest.steps - 1; start += chunk) {
                Set<Integer> without = new HashSet<>();
                for (int i = start; i < Math.min(start + chunk, shortest.steps - 1); i++) {
                    if (!shortest.skipped.contains(i)) {
                        without.add(i);
                    }
                }
                if (!without.isEmpty()) {
                    Plan shorter = shortest.without(without);
                    Failed again = attempt.apply(shorter);
                    if (again != null) {
                        best = again;
                        shortest = shorter.upTo(Math.min(shorter.steps, again.step + 1));
                    }
                }
            }
        }
        return best;
    }

    private String traced() {
        return String.join("\n", trace);
    }

    private void say(String line) {
        trace.addLast(line);
        if (trace.size() > TRACE_TOLD) {
            trace.removeFirst();
        }
    }

    // Connections

    private Caller newCaller() {
        callersMade++;
        ClientId id = new ClientId(plan.seed, callersMade);
        Caller caller = new Caller(callersMade, subject.connect(), id);
        callers.add(caller);
        return caller;
    }

    private List<Caller> others() {
        return callers.stream().filter(caller -> caller != reader).toList();
    }

    private Caller someCaller() {
        List<Caller> others = others();
        if (others.isEmpty() || (others.size() < CALLERS_MAX && draw.oneIn(25))) {
            Caller caller = newCaller();
            say(caller + " connects");
            return caller;
        }
        Caller caller = draw.one(others);
        if (!caller.isBound() && !draw.oneIn(5)) {
            login(caller, draw.login());
        }
        return caller;
    }

    private Answer login(Caller caller, Request login) {
        return exchange(Call.of(caller, login, 0, draw.oneIn(2), List.of()));
    }

    private void close(Caller caller) {
        say(caller + " closes the connection");
        caller.wire.close();
        callers.remove(caller);
        model.onClosed(caller);
        subject.settle();
        if (!subject.isPrompt()) {
            patiently(() -> {
                Answer answer = plainly(reader, new BodilessRequest(CommandCode.GET_CLIENTS));
                int told = Model.decoded(ClientRecords.decode(answer.body()))
                        .clients()
                        .size();
                Difference.unless(told <= callers.size(), "%d clients are listed of %d", told, callers.size());
            });
        }
    }

    // Exchanges

    /// Sends one request, waits for its answer and judges it.
    private Answer exchange(Call call) {
        callers.forEach(this::hearUnasked);
        transmit(call);
        ByteBuffer frame = call.caller().wire.receive();
        if (frame == null) {
            throw new Difference(call + " is not answered");
        }
        Answer answer = new Answer(frame);
        say(call + " -> " + answer.outcome());
        judge(call, answer);
        return answer;
    }

    private void transmit(Call call) {
        call.caller().wire.transmit(call.frame().duplicate().order(call.frame().order()));
        call.caller().hasSpoken = true;
        call.caller().lastSpokeMicros = subject.nowMicros();
    }

    private void judge(Call call, Answer answer) {
        checkEcho(call, answer);
        String outcome = answer.outcome();
        try {
            Model.taken(model.run(call), outcome).effect().apply(answer);
        } catch (Difference e) {
            throw new Difference(call + ": " + e.getMessage());
        }
        count(call, outcome);
    }

    private void count(Call call, String outcome) {
        outcomes.merge(outcome, 1, Integer::sum);
        if (outcome.equals(Answer.OK)) {
            successes.merge(call.command(), 1, Integer::sum);
        }
    }

    private static void checkEcho(Call call, Answer answer) {
        if (!answer.isEviction()) {
            long echo = call.isPartitionWrite() ? Math.max(1, call.number()) : call.number();
            Difference.unlessEqual(answer.number(), echo, "the number in the answer to %s", call);
        }
    }

    /// A client that was silent for too long is told so.
    private void hearUnasked(Caller caller) {
        for (ByteBuffer frame = caller.wire.arrived(); frame != null; frame = caller.wire.arrived()) {
            Answer answer = new Answer(frame);
            long silent = subject.nowMicros() - caller.lastSpokeMicros;
            Difference.unless(
                    answer.outcome().equals(Answer.evict(13))
                            && caller.isBound()
                            && silent > STALE_MICROS
                            && !model.state.memberships(caller.id).isEmpty(),
                    "%s gets %s unasked, after %d µs of silence",
                    caller,
                    answer.outcome(),
                    silent);
            say(caller + " is evicted for its silence");
            model.state.endSession(caller.id);
            caller.unbind();
        }
    }

    // Steps

    private void step() {
        int roll = random.nextInt(100);
        if (draw.oneIn(plan.restartIn)) {
            restart();
        } else if (roll < 74) {
            command(someCaller());
        } else if (roll < 82) {
            burst(partitionBurst(), null);
        } else if (roll < 88) {
            burst(metadataBurst(), null);
        } else if (roll < 95) {
            connectionEvent();
        } else if (roll < 98) {
            pass();
        } else {
            audit();
        }
        look();
    }

    private void command(Caller caller) {
        if (caller.recent.size() > 1 && draw.oneIn(9)) {
            repeat(caller);
            return;
        }
        Call call = draw(caller);
        if (call == null) {
            return;
        }
        if (call.request() instanceof DeleteSegments delete) {
            // How many there are now.
            ask(reader, new GetTopic(delete.stream(), delete.topic()));
        }
        Answer answer = exchange(call);
        boolean isOk = answer.outcome().equals(Answer.OK);
        if (isOk && call.request() instanceof CreatePersonalAccessToken) {
            ask(caller, new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS));
        }
        if (caller.isBound() && (call.isMetadata() || call.isPartitionWrite())) {
            caller.remember(call);
        }
    }

    private @Nullable Call draw(Caller caller) {
        if (draw.oneIn(18)) {
            CommandCode command = draw.one(Draw.SPOILABLE);
            return unserved.contains(command)
                    ? null
                    : Call.spoilt(caller, command, draw.spoiltBody(), numberFor(caller, command));
        }
        int roll = random.nextInt(100);
        if (roll < 22) {
            Draw.Sending sending = draw.send(false);
            return write(caller, sending.request(), sending.batch());
        }
        if (roll < 32) {
            return write(caller, draw.oneIn(4) ? draw.deleteOffset() : draw.store(), List.of());
        }
        Request request = roll < 68 ? draw.metadata(caller) : draw.read();
        if (unserved.contains(request.command())) {
            return null;
        }
        switch (request) {
            case PollMessages poll -> see(poll);
            case PollMessagesOnPrimary poll -> see(poll.poll());
            default -> {}
        }
        boolean isStamped =
                request.command().operation() != io.galgo.protocol.Operation.NON_REPLICATED && draw.oneIn(2);
        return Call.of(caller, request, numberFor(caller, request.command()), isStamped, List.of());
    }

    /// Timestamps are known once somebody has read them.
    private void see(PollMessages poll) {
        if (poll.strategy().kind() != PollingStrategy.KIND_TIMESTAMP) {
            return;
        }
        TopicState topic = model.state.topic(poll.stream(), poll.topic());
        PartitionState partition =
                topic == null ? null : topic.partition(poll.partition().idOrFirst());
        for (long next = 0; partition != null && !partition.isTimed(); ) {
            Answer answer = ask(
                    reader,
                    new PollMessages(
                            Observation.READER,
                            poll.stream(),
                            poll.topic(),
                            OptionalPartition.of(poll.partition().idOrFirst()),
                            PollingStrategy.offset(next),
                            500,
                            false));
            List<Polled> polled = Batches.polled(answer.body(), poll.partition().idOrFirst());
            if (polled.isEmpty()) {
                return;
            }
            next = polled.getLast().offset() + 1;
        }
    }

    private Call write(Caller caller, Request request, List<Call.Message> batch) {
        return Call.of(caller, request, numberFor(caller, request.command()), false, batch);
    }

    /// The number as clients give it: writes take the next one, mostly; reads carry it.
    private long numberFor(Caller caller, CommandCode command) {
        return switch (command.commandClass()) {
            case NON_REPLICATED -> caller.number + 1;
            case PARTITION -> {
                // Older clients do not take the number that a partition write carries.
                boolean isTaken = !draw.oneIn(8);
                long number = caller.number + 1 + (draw.oneIn(30) ? 300 : 0);
                caller.number = isTaken ? number : caller.number;
                yield number;
            }
            default -> caller.number += draw.oneIn(10) ? 3 : 1;
        };
    }

    private Answer ask(Caller caller, Request request) {
        return exchange(Call.of(caller, request, caller.number + 1, false, List.of()));
    }

    private void repeat(Caller caller) {
        Call before = draw.one(List.copyOf(caller.recent));
        if (!caller.isBound()) {
            return;
        }
        if (before.isPartitionWrite() && draw.oneIn(4)) {
            // Another write under a number that was used.
            Draw.Sending sending = draw.send(false);
            exchange(Call.of(caller, sending.request(), before.number(), false, sending.batch()));
        } else {
            say("again:");
            exchange(before);
        }
    }

    private void connectionEvent() {
        Caller caller = someCaller();
        switch (random.nextInt(8)) {
            case 0, 1 -> login(caller, draw.login());
            case 2 -> {
                Call logout = Call.of(
                        caller,
                        new BodilessRequest(CommandCode.LOGOUT),
                        caller.isBound() ? ++caller.number : 1,
                        draw.oneIn(2),
                        List.of());
                // The header of one that has no session would be refused.
                if (caller.session > 0) {
                    exchange(logout);
                }
            }
            case 3, 4 -> close(caller);
            case 5 -> takeOver(caller);
            case 6 -> {
                // Commands of a connection that is not logged in, under the name of one that is.
                Caller stranger = newCaller();
                stranger.id = caller.id;
                stranger.session = Math.max(1, caller.session);
                stranger.number = caller.number;
                say(stranger + " pretends to be " + caller);
                Call call = draw(stranger);
                if (call != null) {
                    exchange(call);
                }
                close(stranger);
            }
            default -> login(newCaller(), draw.login());
        }
    }

    /// A second connection logs in under the client id of a first.
    private void takeOver(Caller caller) {
        if (!caller.isBound() || callers.size() > CALLERS_MAX) {
            return;
        }
        Caller second = newCaller();
        second.id = caller.id;
        say(second + " takes over from " + caller);
        login(second, draw.login());
    }

    private void pass() {
        int seconds = draw.one(List.of(1, 1, 2, 3, 12, 40, 80));
        if (!subject.pass(seconds)) {
            return;
        }
        say("-- " + seconds + " seconds pass");
        for (Caller caller : List.copyOf(callers)) {
            if (caller == reader) {
                hearReader();
                continue;
            }
            hearUnasked(caller);
            boolean isMember = caller.isBound()
                    && model.state.sessions.containsKey(caller.id)
                    && !model.state.memberships(caller.id).isEmpty();
            Difference.unless(
                    !isMember
                            || subject.nowMicros() - caller.lastSpokeMicros <= STALE_MICROS + STALE_CHECK_MICROS
                            || isShared(caller),
                    "%s is silent for long, a member of a group, and still there",
                    caller);
        }
    }

    /// Whether two connections carry this client id: which of them is heard is not the model's business.
    private boolean isShared(Caller caller) {
        return callers.stream().filter(other -> other.id.equals(caller.id)).count() > 1;
    }

    private void hearReader() {
        hearUnasked(reader);
        ask(reader, new BodilessRequest(CommandCode.PING));
    }

    // Looking at what moves by itself

    /// Looks at groups to which something happened, and at partitions whose oldest segments may go.
    private void look() {
        for (TopicState topic : model.state.topics()) {
            for (int i = 0; i < topic.partitions.size(); i++) {
                if (topic.partitions.get(i).mayShrink()) {
                    lookAtSegments(topic, i);
                }
            }
            for (GroupState group : List.copyOf(topic.groups.values())) {
                if (group.event != GroupState.Event.NOTHING || group.hasLimbo() || !group.pending.isEmpty()) {
                    patiently(() -> lookAtGroup(topic, group.id));
                }
            }
        }
    }

    /// Does it until the model agrees, if the server may take a moment.
    private void patiently(Runnable look) {
        for (int attempt = 1; ; attempt++) {
            try {
                look.run();
                return;
            } catch (Difference e) {
                if (subject.isPrompt() || attempt == PATIENCE) {
                    throw e;
                }
                subject.settle();
            }
        }
    }

    private void lookAtGroup(TopicState topic, int groupId) {
        Identifier streamId = Identifier.of(topic.streamId);
        Identifier topicId = Identifier.of(topic.id);
        Identifier id = Identifier.of(groupId);
        callers.forEach(this::hearUnasked);
        GroupState group = Objects.requireNonNull(topic.groups.get(groupId)).copy();
        Answer answer = plainly(reader, new GetConsumerGroup(streamId, topicId, id));
        Map<Integer, List<Integer>> owned = Observation.owned(Model.decoded(GroupDetails.decode(answer.body())));
        Map<Integer, List<Integer>> pollable = new TreeMap<>();
        Long generation = null;
        for (Map.Entry<Integer, Caller> member : model.connectedMembers(group).entrySet()) {
            if (owned.containsKey(member.getKey())) {
                Answer part = plainly(member.getValue(), new SyncConsumerGroup(streamId, topicId, id));
                GroupAssignment assignment = Model.decoded(GroupAssignment.decode(part.body()));
                pollable.put(member.getKey(), assignment.partitionIds());
                generation = assignment.generation();
            }
        }
        say("group " + group.name + " of " + topic.streamId + "/" + topic.id + " after " + group.event + ": " + owned
                + ", may poll " + pollable);
        group.observe(
                owned,
                pollable,
                generation,
                topic.partitions.size(),
                topic.stored(group),
                subject.nowMicros(),
                subject.isPrompt(),
                true);
        topic.groups.put(groupId, group);
    }

    private void lookAtSegments(TopicState topic, int partitionId) {
        Identifier streamId = Identifier.of(topic.streamId);
        Identifier topicId = Identifier.of(topic.id);
        if (topic.partitions.get(partitionId).expiryMicros != PartitionState.NONE) {
            seeAll(topic, partitionId);
        }
        subject.settle();
        patiently(() -> {
            PartitionState partition = topic.partitions.get(partitionId).copy();
            Answer answer = plainly(reader, new GetTopic(streamId, topicId));
            TopicDetails details = Model.decoded(TopicDetails.decode(answer.body()));
            Answer poll = plainly(
                    reader,
                    new PollMessages(
                            Observation.READER,
                            streamId,
                            topicId,
                            OptionalPartition.of(partitionId),
                            PollingStrategy.FIRST,
                            1,
                            false));
            List<Polled> polled = Batches.polled(poll.body(), partitionId);
            long first =
                    polled.isEmpty() ? partition.last + 1 : polled.getFirst().offset();
            partition.shrink(first, details.partitions().get(partitionId).segmentsCount(), subject.nowMicros(), true);
            topic.partitions.set(partitionId, partition);
        });
    }

    /// So that it is known how old the messages are, when they are gone.
    private void seeAll(TopicState topic, int partitionId) {
        PartitionState partition = topic.partitions.get(partitionId);
        for (PartitionState.Batch batch : List.copyOf(partition.batches)) {
            if (batch.timestamp == PartitionState.NONE) {
                Answer answer = plainly(
                        reader,
                        new PollMessages(
                                Observation.READER,
                                Identifier.of(topic.streamId),
                                Identifier.of(topic.id),
                                OptionalPartition.of(partitionId),
                                PollingStrategy.offset(batch.base),
                                1,
                                false));
                for (Polled polled : Batches.polled(answer.body(), partitionId)) {
                    if (polled.offset() == batch.base) {
                        partition.onSeen(polled.offset(), polled.timestamp());
                    }
                }
            }
        }
    }

    /// Asks without comparing the answer.
    private Answer plainly(Caller caller, Request request) {
        Call call = Call.of(caller, request, caller.number + 1, false, List.of());
        hearUnasked(caller);
        transmit(call);
        ByteBuffer frame = caller.wire.receive();
        if (frame == null) {
            throw new Difference(call + " is not answered");
        }
        Answer answer = new Answer(frame);
        Difference.unlessEqual(answer.outcome(), Answer.OK, "the answer to %s", call);
        return answer;
    }

    private void audit() {
        say("-- everything is compared");
        callers.forEach(this::hearUnasked);
        Observation observation = observe();
        observation.judge(model, null, subject.nowMicros());
    }

    private Observation observe() {
        return Observation.of(reader, request -> plainly(reader, request), command -> !unserved.contains(command));
    }

    private void findUnserved() {
        for (CommandCode command : Draw.SPOILABLE) {
            probe(Call.spoilt(reader, command, new byte[] {9}, 1));
        }
        probe(Call.of(reader, new BodilessRequest(CommandCode.GET_USERS), 1, false, List.of()));
        probe(Call.of(reader, new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS), 1, false, List.of()));
    }

    private void probe(Call call) {
        transmit(call);
        Answer answer = new Answer(Objects.requireNonNull(reader.wire.receive()));
        if (answer.outcome().equals(Answer.deny(5))) {
            unserved.add(call.command());
        }
    }

    // Bursts

    /// Requests that are sent without waiting, and who sent them.
    private record Burst(Map<Caller, List<Call>> calls) {
        int size() {
            return calls.values().stream().mapToInt(List::size).sum();
        }
    }

    private List<Caller> burstCallers(int count) {
        List<Caller> ready = new ArrayList<>();
        for (Caller caller : others()) {
            if (caller.isBound() && !caller.isUsurped && model.state.sessions.containsKey(caller.id)) {
                hearUnasked(caller);
                if (caller.isBound()) {
                    ready.add(caller);
                }
            }
        }
        while (ready.size() > count) {
            ready.remove(random.nextInt(ready.size()));
        }
        return ready;
    }

    private Burst partitionBurst() {
        Map<Caller, List<Call>> calls = new LinkedHashMap<>();
        for (Caller caller : burstCallers(2)) {
            List<Call> own = new ArrayList<>();
            int count = 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                Draw.Sending sending = draw.send(true);
                switch (random.nextInt(6)) {
                    case 0 -> own.add(write(caller, ownStore(calls.size()), List.of()));
                    case 1 -> own.add(Call.of(caller, ownPoll(), caller.number + 1, false, List.of()));
                    default -> own.add(write(caller, sending.request(), sending.batch()));
                }
                if (draw.oneIn(12)) {
                    own.add(own.getLast());
                }
            }
            calls.put(caller, own);
        }
        return new Burst(calls);
    }

    /// Of a consumer that no other connection uses meanwhile, at an offset that is there.
    private StoreConsumerOffset ownStore(int nth) {
        StoreConsumerOffset store = draw.store();
        TopicState topic = model.state.topic(store.stream(), store.topic());
        PartitionState partition =
                topic == null ? null : topic.partition(store.partition().idOrFirst());
        long last = partition == null ? 0 : Math.max(0, partition.last);
        return new StoreConsumerOffset(
                ConsumerRef.consumer(Draw.CONSUMERS.get(nth)),
                store.stream(),
                store.topic(),
                store.partition(),
                partition != null && partition.last == PartitionState.NONE ? 1L << 40 : Math.min(store.offset(), last),
                store.ack());
    }

    private PollMessages ownPoll() {
        PollMessages poll = draw.poll(false);
        return new PollMessages(
                Observation.READER,
                poll.stream(),
                poll.topic(),
                poll.partition(),
                PollingStrategy.FIRST,
                poll.count(),
                false);
    }

    private Burst metadataBurst() {
        Map<Caller, List<Call>> calls = new LinkedHashMap<>();
        for (Caller caller : burstCallers(3)) {
            List<Call> own = new ArrayList<>();
            int count = 1 + random.nextInt(2);
            for (int i = 0; i < count; i++) {
                Request request = draw.metadata(caller);
                boolean isOpen = request instanceof UpdateTopic
                        || request instanceof DeleteUser
                        || request instanceof DeleteSegments
                        || request instanceof CreatePersonalAccessToken;
                if (!isOpen && !unserved.contains(request.command())) {
                    own.add(Call.of(caller, request, numberFor(caller, request.command()), draw.oneIn(2), List.of()));
                }
            }
            calls.put(caller, own);
        }
        return new Burst(calls);
    }

    private Burst crashBurst() {
        if (draw.oneIn(2)) {
            return partitionBurst();
        }
        boolean isMaking = draw.oneIn(2);
        Map<Caller, List<Call>> calls = new LinkedHashMap<>();
        for (Caller caller : burstCallers(2)) {
            List<Call> own = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                Request request = draw.metadataForCrash(caller, isMaking);
                if (!unserved.contains(request.command())) {
                    own.add(Call.of(caller, request, numberFor(caller, request.command()), draw.oneIn(2), List.of()));
                }
            }
            calls.put(caller, own);
        }
        return new Burst(calls);
    }

    /// Sends a burst, hears all answers and finds an order of its requests that explains them.
    ///
    /// @param end how the server ends in the middle of it, null when it lives on
    private void burst(Burst burst, Subject.@Nullable End end) {
        List<List<Call>> queues = new ArrayList<>();
        burst.calls.forEach((_, own) -> queues.add(new ArrayList<>(own)));
        while (queues.stream().anyMatch(queue -> !queue.isEmpty())) {
            List<Call> queue = draw.one(queues);
            if (!queue.isEmpty()) {
                Call next = queue.removeFirst();
                say("sends " + next);
                transmit(next);
                if (end != null && draw.oneIn(3)) {
                    subject.work(random);
                }
            }
        }
        if (end != null) {
            subject.work(random);
            subject.restart(end);
        }
        IdentityHashMap<Call, List<Answer>> answers = new IdentityHashMap<>();
        for (Map.Entry<Caller, List<Call>> each : burst.calls.entrySet()) {
            hear(each.getKey(), each.getValue(), end != null, answers);
        }
        if (end == null) {
            model = settle(burst, answers, null, null);
            draw = newDraw();
            burst.calls.forEach((caller, own) -> own.forEach(call -> {
                if (call.isMetadata() || call.isPartitionWrite()) {
                    caller.remember(call);
                }
            }));
        } else {
            afterRestart(burst, answers, end);
        }
    }

    private void hear(Caller caller, List<Call> own, boolean isDead, IdentityHashMap<Call, List<Answer>> answers) {
        for (Call call : own) {
            ByteBuffer frame = isDead ? caller.wire.arrived() : caller.wire.receive();
            if (frame == null) {
                Difference.unless(isDead, "%s is not answered", call);
                return;
            }
            Answer answer = new Answer(frame);
            say(call + " -> " + answer.outcome());
            checkEcho(call, answer);
            count(call, answer.outcome());
            answers.computeIfAbsent(call, _ -> new ArrayList<>()).add(answer);
        }
    }

    /// The model after a burst: the first order of the requests that agrees with all answers, and with what is
    /// found after a restart.
    private Model settle(
            Burst burst,
            IdentityHashMap<Call, List<Answer>> answers,
            Subject.@Nullable End end,
            @Nullable Aftermath aftermath) {
        List<Deque<Item>> queues = new ArrayList<>();
        burst.calls.forEach((_, own) -> {
            Deque<Item> items = new ArrayDeque<>();
            IdentityHashMap<Call, Integer> seen = new IdentityHashMap<>();
            Set<String> contents = new HashSet<>();
            for (Call call : own) {
                int nth = seen.merge(call, 1, Integer::sum) - 1;
                List<Answer> heard = answers.getOrDefault(call, List.of());
                boolean isRepeat = !contents.add(call.command() + " " + call.number() + " " + call.content());
                items.add(new Item(call, nth < heard.size() ? heard.get(nth) : null, isRepeat));
            }
            queues.add(items);
        });
        Search search = new Search(end, aftermath);
        Model found = search.find(model, queues, List.of());
        if (found == null) {
            throw new Difference("no order of these requests explains the answers"
                    + (end == null ? "" : " and what is found afterwards") + ":\n  "
                    + String.join("\n  ", search.reasons));
        }
        return found;
    }

    /// @param answer null when none arrived
    /// @param isRepeat whether the same was sent before under the same number in the same burst
    private record Item(Call call, @Nullable Answer answer, boolean isRepeat) {
        boolean isTransient() {
            return answer != null
                    && (answer.outcome().endsWith(" 58")
                            || (isRepeat && answer.outcome().equals(Answer.deny(57))));
        }

        boolean isOrdered() {
            return answer != null
                    && call.isMetadata()
                    && (answer.outcome().equals(Answer.OK) || answer.outcome().startsWith("REJECT"));
        }
    }

    /// What is found when the server runs again.
    private record Aftermath(Observation observation, Answer login, Caller reader) {}

    /// Looks for an order of requests.
    private final class Search {
        private static final int REASONS = 12;
        private final Subject.@Nullable End end;
        private final @Nullable Aftermath aftermath;
        final List<String> reasons = new ArrayList<>();

        Search(Subject.@Nullable End end, @Nullable Aftermath aftermath) {
            this.end = end;
            this.aftermath = aftermath;
        }

        @Nullable Model find(Model from, List<Deque<Item>> queues, List<Item> polls) {
            boolean isDone = true;
            long earliest = Long.MAX_VALUE;
            for (Deque<Item> queue : queues) {
                isDone &= queue.isEmpty();
                for (Item item : queue) {
                    Answer answer = item.answer;
                    if (answer != null && item.isOrdered()) {
                        earliest = Math.min(earliest, rank(answer));
                    }
                }
            }
            if (isDone) {
                return finish(from, polls);
            }
            for (int i = 0; i < queues.size(); i++) {
                Item next = queues.get(i).peekFirst();
                if (next == null || (next.answer != null && next.isOrdered() && rank(next.answer) > earliest)) {
                    continue;
                }
                List<Deque<Item>> rest = new ArrayList<>();
                queues.forEach(queue -> rest.add(new ArrayDeque<>(queue)));
                rest.get(i).removeFirst();
                Model found = take(from, next, rest, polls);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        /// Answers that name the same place in the log: a success is what stands there.
        private static long rank(Answer answer) {
            return answer.op() * 2 + (answer.outcome().equals(Answer.OK) ? 0 : 1);
        }

        private @Nullable Model take(Model from, Item item, List<Deque<Item>> rest, List<Item> polls) {
            if (item.call.request() instanceof PollMessages) {
                List<Item> more = new ArrayList<>(polls);
                more.add(item);
                return find(from, rest, more);
            }
            if (item.isTransient()) {
                return find(from, rest, polls);
            }
            if (item.answer != null) {
                Model next = from.copy();
                try {
                    Model.taken(next.run(item.call), item.answer.outcome())
                            .effect()
                            .apply(item.answer);
                } catch (Difference e) {
                    reason(item.call + ": " + e.getMessage());
                    return null;
                }
                return find(next, rest, polls);
            }
            Model next = from.copy();
            boolean isOk = false;
            for (Branch branch : next.run(item.call)) {
                if (branch.outcome().equals(Answer.OK)) {
                    branch.effect().apply(null);
                    isOk = true;
                }
            }
            if (item.call.isMetadata()) {
                if (isOk) {
                    next.onOpen(item.call);
                } else {
                    next.onUnseen(item.call);
                }
                Model found = find(next, rest, polls);
                if (found != null) {
                    return found;
                }
                // Metadata commands of one connection are carried out one after the other, so none behind it was.
                rest.forEach(queue ->
                        queue.removeIf(other -> other.call.caller() == item.call.caller() && other.call.isMetadata()));
            } else if (isOk) {
                Model found = find(next, rest, polls);
                if (found != null) {
                    return found;
                }
            }
            return find(from, rest, polls);
        }

        private @Nullable Model finish(Model from, List<Item> polls) {
            Model last = from.copy();
            try {
                if (end != null && aftermath != null) {
                    last.state.onRestart(end);
                    Call login = Call.of(aftermath.reader, Draw.rootLogin(), 0, false, List.of());
                    aftermath.reader.unbind();
                    Model.taken(last.run(login), aftermath.login.outcome())
                            .effect()
                            .apply(aftermath.login);
                    aftermath.observation.judge(last, end, subject.nowMicros());
                }
                for (Item poll : polls) {
                    checkPoll(last, poll);
                }
                return last;
            } catch (Difference e) {
                reason(e.getMessage() == null ? e.toString() : e.getMessage());
                return null;
            }
        }

        /// What a poll among writes returned has to be there for good.
        private void checkPoll(Model after, Item item) {
            Answer answer = item.answer;
            if (!(item.call.request() instanceof PollMessages poll) || answer == null || item.isTransient()) {
                return;
            }
            if (!answer.outcome().equals(Answer.OK)) {
                Model.taken(after.run(item.call), answer.outcome());
                return;
            }
            TopicState topic = after.state.topic(poll.stream(), poll.topic());
            PartitionState partition =
                    topic == null ? null : topic.partition(poll.partition().idOrFirst());
            if (partition == null) {
                return;
            }
            List<Polled> expected = partition.from(0, Long.MAX_VALUE);
            List<Polled> polled = Batches.polled(answer.body(), poll.partition().idOrFirst());
            Difference.unless(
                    PollHeader.currentOffset(answer.body(), 0) <= partition.currentOffset(),
                    "a poll told a current offset that is not reached");
            for (int i = 0; i < polled.size(); i++) {
                Difference.unless(
                        i < expected.size()
                                && polled.get(i).offset() == expected.get(i).offset()
                                && polled.get(i)
                                        .message()
                                        .equals(expected.get(i).message()),
                        "a poll returned %s, and that is not there any more",
                        polled.get(i));
            }
        }

        private void reason(String text) {
            if (reasons.size() < REASONS && !reasons.contains(text)) {
                reasons.add(text);
            }
        }
    }

    // Ends of the server

    private void restart() {
        Subject.End end = draw.one(plan.ends);
        Burst burst = draw.oneIn(4) ? new Burst(Map.of()) : crashBurst();
        say("-- " + end + " in the middle of " + burst.size() + " requests");
        burst(burst, end);
    }

    private void afterRestart(Burst burst, IdentityHashMap<Call, List<Answer>> answers, Subject.End end) {
        List<Caller> before = others();
        callers.clear();
        callersMade++;
        Caller next = new Caller(callersMade, subject.connect(), new ClientId(plan.seed, callersMade));
        callers.add(next);
        Call login = Call.of(next, Draw.rootLogin(), 0, false, List.of());
        Answer loggedIn = raw(login);
        Difference.unlessEqual(loggedIn.outcome(), Answer.OK, "root's login after a restart");
        // The model takes note of this login when it has caught up with what happened before.
        next.session = Model.decoded(io.galgo.protocol.reply.LoginReply.decode(loggedIn.payload()))
                .session();
        next.userId = 0;
        reader = next;
        Observation observation = observe();
        model = settle(burst, answers, end, new Aftermath(observation, loggedIn, next));
        draw = newDraw();
        comeBack(before, burst, answers);
        settleOffsets(end);
    }

    private Answer raw(Call call) {
        transmit(call);
        ByteBuffer frame = call.caller().wire.receive();
        if (frame == null) {
            throw new Difference(call + " is not answered");
        }
        return new Answer(frame);
    }

    /// Some clients come back under their names and ask again what was not answered, or was.
    private void comeBack(List<Caller> before, Burst burst, IdentityHashMap<Call, List<Answer>> answers) {
        for (Caller old : before) {
            if (!old.isBound() || old.isUsurped || !model.state.sessions.containsKey(old.id) || draw.oneIn(3)) {
                continue;
            }
            State.UserState user = model.state.users.get(old.userId);
            if (user == null || !user.isActive) {
                continue;
            }
            Caller caller = newCaller();
            caller.id = old.id;
            say(old + " comes back as " + caller);
            login(caller, Draw.password(user.name, user.password));
            List<Call> again = new ArrayList<>();
            burst.calls.getOrDefault(old, List.of()).stream()
                    .filter(call -> call.isMetadata() && !answers.containsKey(call))
                    .forEach(again::add);
            if (again.isEmpty()) {
                old.recent.stream().filter(Call::isMetadata).limit(2).forEach(again::add);
                // Oldest first, as they were sent.
                again.sort(java.util.Comparator.comparingLong(Call::number));
            }
            for (Call call : again) {
                if (caller.isBound()) {
                    exchange(call.by(caller));
                    look();
                }
            }
            caller.number = Math.max(caller.number, old.number);
        }
    }

    /// Offsets may be left out once after a loss of power; the next message tells where they go on.
    private void settleOffsets(Subject.End end) {
        if (end != Subject.End.POWER_LOSS) {
            return;
        }
        for (StreamState stream : model.state.streams.values()) {
            for (TopicState topic : stream.topics.values()) {
                for (int partition = 0; partition < topic.partitions.size(); partition++) {
                    List<Call.Message> batch = draw.batch(false);
                    ByteBuffer bytes = Batches.encoded(batch);
                    SendMessages send = new SendMessages(
                            Identifier.of(stream.id),
                            Identifier.of(topic.id),
                            io.galgo.protocol.Partitioning.partition(partition),
                            batch.size(),
                            true,
                            bytes,
                            0,
                            bytes.remaining());
                    exchange(write(reader, send, batch));
                }
            }
        }
    }
}
