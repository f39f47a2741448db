package io.galgo.model;

import io.galgo.model.PartitionState.Polled;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.GetConsumerGroup;
import io.galgo.protocol.request.GetConsumerGroups;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetStream;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.GetUser;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Everything a client can read of the server at one moment: questions and their answers, asked without regard for
/// what the model expects.
final class Observation {
    /// Whom the model's own reader polls as. It never stores an offset.
    static final ConsumerRef READER = ConsumerRef.consumer(Identifier.of(999));

    private static final int PAGE = 500;

    interface Asking {
        Answer ask(Request request);
    }

    private record Asked(Request request, Answer answer) {}

    private record At(Identifier stream, Identifier topic, OptionalPartition partition) {}

    private final Caller caller;
    private final List<Asked> all = new ArrayList<>();
    private final Map<At, Set<Long>> damaged = new LinkedHashMap<>();

    private Observation(Caller caller) {
        this.caller = caller;
    }

    /// @param isServed commands that the server does not carry out are left out
    static Observation of(Caller caller, Asking asking, Predicate<CommandCode> isServed) {
        Observation observation = new Observation(caller);
        observation.read(asking, isServed);
        return observation;
    }

    private Answer ask(Asking asking, Request request) {
        Answer answer = asking.ask(request);
        all.add(new Asked(request, answer));
        Difference.unlessEqual(answer.outcome(), Answer.OK, "reading everything, %s", request);
        return answer;
    }

    private void read(Asking asking, Predicate<CommandCode> isServed) {
        boolean hasGroups = isServed.test(CommandCode.GET_CONSUMER_GROUP);
        Answer streams = ask(asking, new BodilessRequest(CommandCode.GET_STREAMS));
        for (StreamRecord stream :
                Model.decoded(StreamRecords.decode(streams.body())).streams()) {
            Identifier streamId = Identifier.of(stream.id());
            Answer details = ask(asking, new GetStream(streamId));
            for (TopicRecord topic :
                    Model.decoded(StreamDetails.decode(details.body())).topics()) {
                Identifier topicId = Identifier.of(topic.id());
                readTopic(asking, streamId, topicId, topic.partitionsCount(), hasGroups);
            }
        }
        if (isServed.test(CommandCode.GET_USERS)) {
            Answer users = ask(asking, new BodilessRequest(CommandCode.GET_USERS));
            for (UserRecord user :
                    Model.decoded(UserRecords.decode(users.body())).users()) {
                ask(asking, new GetUser(Identifier.of(user.id())));
            }
            ask(asking, new BodilessRequest(CommandCode.GET_PERSONAL_ACCESS_TOKENS));
        }
        ask(asking, new BodilessRequest(CommandCode.GET_STATS));
    }

    private void readTopic(
            Asking asking, Identifier streamId, Identifier topicId, int partitionsCount, boolean hasGroups) {
        ask(asking, new GetTopic(streamId, topicId));
        List<ConsumerRef> consumers = new ArrayList<>();
        Draw.CONSUMERS.forEach(each -> consumers.add(ConsumerRef.consumer(each)));
        if (hasGroups) {
            Answer groups = ask(asking, new GetConsumerGroups(streamId, topicId));
            for (GroupRecord group :
                    Model.decoded(GroupRecords.decode(groups.body())).groups()) {
                ask(asking, new GetConsumerGroup(streamId, topicId, Identifier.of(group.id())));
                consumers.add(ConsumerRef.group(Identifier.of(group.id())));
            }
        }
        for (int partition = 0; partition < partitionsCount; partition++) {
            OptionalPartition at = OptionalPartition.of(partition);
            for (long next = 0; ; ) {
                PollMessages poll =
                        new PollMessages(READER, streamId, topicId, at, PollingStrategy.offset(next), PAGE, false);
                Answer answer = asking.ask(poll);
                if (answer.outcome().equals(Answer.deny(4039))) {
                    damaged.computeIfAbsent(new At(streamId, topicId, at), _ -> new TreeSet<>())
                            .add(next);
                    next++;
                    continue;
                }
                all.add(new Asked(poll, answer));
                Difference.unlessEqual(answer.outcome(), Answer.OK, "reading everything, %s", poll);
                List<Polled> polled = Batches.polled(answer.body(), partition);
                if (polled.isEmpty()) {
                    break;
                }
                next = polled.getLast().offset() + 1;
            }
            for (ConsumerRef consumer : consumers) {
                ask(asking, new GetConsumerOffset(consumer, streamId, topicId, at));
            }
        }
    }

    /// Compares with a model, which learns what it could not know.
    ///
    /// @param end how the process ended before, if that is what this is about: stored offsets may have gone back to
    ///     what was stored for sure, and segments be gone that were to go
    void judge(Model model, Subject.@Nullable End end, long nowMicros) {
        if (end != null) {
            adopt(model, end, nowMicros);
        }
        for (Asked asked : all) {
            Call call = Call.of(caller, asked.request, 1, false, List.of());
            try {
                Model.taken(model.run(call), asked.answer.outcome()).effect().apply(asked.answer);
                if (end != null && asked.request instanceof GetConsumerGroup get) {
                    judgeGroup(model, get, asked.answer, nowMicros);
                }
            } catch (Difference e) {
                throw new Difference(asked.request + ": " + e.getMessage());
            }
        }
    }

    private void adopt(Model model, Subject.End end, long nowMicros) {
        damaged.forEach((at, offsets) -> {
            PartitionState partition = partition(model, at.stream, at.topic, at.partition);
            Difference.unless(partition != null && end == Subject.End.POWER_LOSS, "%s is damaged at %s", at, offsets);
            if (partition != null) {
                partition.onDamage(offsets);
            }
        });
        IdentityHashMap<PartitionState, Long> firsts = new IdentityHashMap<>();
        for (Asked asked : all) {
            if (asked.request instanceof PollMessages poll) {
                PartitionState partition = partition(model, poll.stream(), poll.topic(), poll.partition());
                if (partition != null && !firsts.containsKey(partition)) {
                    List<Polled> polled =
                            Batches.polled(asked.answer.body(), poll.partition().idOrFirst());
                    firsts.put(
                            partition,
                            polled.isEmpty()
                                    ? partition.last + 1
                                    : polled.getFirst().offset());
                }
            }
        }
        for (Asked asked : all) {
            switch (asked.request) {
                case GetTopic get -> adoptSegments(model, get, asked.answer, firsts, nowMicros);
                case GetConsumerOffset get -> adoptOffset(model, end, get, asked.answer);
                default -> {}
            }
        }
    }

    private static void adoptSegments(
            Model model, GetTopic get, Answer answer, IdentityHashMap<PartitionState, Long> firsts, long nowMicros) {
        TopicDetails details = Model.decoded(TopicDetails.decode(answer.body()));
        for (int i = 0; i < details.partitions().size(); i++) {
            PartitionState partition = partition(model, get.stream(), get.topic(), OptionalPartition.of(i));
            if (partition == null) {
                continue;
            }
            int segments = details.partitions().get(i).segmentsCount();
            Long first = firsts.get(partition);
            if (partition.mayShrink() && first != null) {
                partition.shrink(first, segments, nowMicros, false);
            }
            partition.segments = Math.min(partition.segments, segments);
        }
    }

    private static void adoptOffset(Model model, Subject.End end, GetConsumerOffset get, Answer answer) {
        PartitionState partition = partition(model, get.stream(), get.topic(), get.partition());
        State.TopicState topic = model.state.topic(get.stream(), get.topic());
        if (partition == null || topic == null) {
            return;
        }
        boolean isGroup = get.consumer().isGroup();
        GroupState group = isGroup ? topic.group(get.consumer().id()) : null;
        if (isGroup && group == null) {
            return;
        }
        long key =
                group != null ? group.id : Integer.toUnsignedLong(get.consumer().offsetKey());
        long found = answer.body().hasRemaining()
                ? Model.decoded(StoredOffset.decode(answer.body())).storedOffset()
                : PartitionState.NONE;
        try {
            partition.settle(isGroup, key, found, end);
        } catch (Difference e) {
            throw new Difference(get + ": " + e.getMessage());
        }
    }

    private static void judgeGroup(Model model, GetConsumerGroup get, Answer answer, long nowMicros) {
        State.TopicState topic = model.state.topic(get.stream(), get.topic());
        GroupState group = topic == null ? null : topic.group(get.group());
        if (topic == null || group == null) {
            return;
        }
        group.observe(
                owned(Model.decoded(GroupDetails.decode(answer.body()))),
                Map.of(),
                null,
                topic.partitions.size(),
                topic.stored(group),
                nowMicros,
                false,
                false);
    }

    static Map<Integer, List<Integer>> owned(GroupDetails details) {
        TreeMap<Integer, List<Integer>> owned = new TreeMap<>();
        for (GroupMember member : details.members()) {
            Difference.unless(
                    owned.put(member.id(), member.partitionIds()) == null, "member %d is listed twice", member.id());
        }
        Difference.unlessEqual(details.group().membersCount(), owned.size(), "the members of a group");
        return owned;
    }

    private static @Nullable PartitionState partition(
            Model model, Identifier stream, Identifier topic, OptionalPartition partition) {
        State.TopicState found = model.state.topic(stream, topic);
        return found == null ? null : found.partition(partition.idOrFirst());
    }
}
