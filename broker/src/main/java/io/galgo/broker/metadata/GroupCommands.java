package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import java.util.List;

/// What commands do to consumer groups in their turn (spec protocol 8.7, semantics 10).
///
/// Here the right comes before the group: who may not read the topic does not learn which groups it has.
final class GroupCommands {
    private final Access access;
    private final StreamTable streams;
    private final ClientTable clients;
    private final Memberships memberships;

    GroupCommands(Access access, StreamTable streams, ClientTable clients, Memberships memberships) {
        this.access = access;
        this.streams = streams;
        this.clients = clients;
        this.memberships = memberships;
    }

    Result execute(Turn turn, CreateConsumerGroup request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.READ_TOPIC, (_, topic) -> {
            if (topic.hasGroupNamed(request.name())) {
                return Result.of(ErrorCode.CONSUMER_GROUP_NAME_ALREADY_EXISTS);
            }
            return Result.of(MetadataReads.groupRecord(topic, streams.createGroup(topic, request.name())));
        });
    }

    Result execute(Turn turn, DeleteConsumerGroup request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.READ_TOPIC, (_, topic) -> {
            ConsumerGroup group = topic.group(request.group());
            if (group == null) {
                return Result.of(ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND);
            }
            memberships.remove(group);
            streams.delete(topic, group);
            turn.changes().add(new Change.GroupRemoved(topic.streamId(), topic.id(), group.id()));
            return Result.DONE;
        });
    }

    Result execute(Turn turn, CompletedBody.Join request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.READ_TOPIC, (_, topic) -> {
            if (!request.wasAllowed()) {
                return Result.of(ErrorCode.UNAUTHORIZED);
            }
            ConsumerGroup group = topic.group(request.group());
            if (group == null) {
                return Result.of(ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND);
            }
            if (group.join(turn.client(), turn.op(), turn.nowMicros(), request.inFlight())) {
                memberships.add(turn.client(), group);
                turn.changes().add(changed(group));
            }
            return Result.DONE;
        });
    }

    Result execute(Turn turn, LeaveConsumerGroup request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.READ_TOPIC, (_, topic) -> {
            ConsumerGroup group = topic.group(request.group());
            if (group == null) {
                return Result.of(ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND);
            }
            if (!group.leave(turn.client())) {
                return Result.of(ErrorCode.CONSUMER_GROUP_MEMBER_NOT_FOUND);
            }
            memberships.remove(turn.client(), group);
            turn.changes().add(changed(group));
            return Result.DONE;
        });
    }

    /// A pending move ends, see [MetadataOperation#completeRevocation].
    Result completeRevocation(BodyReader in, List<Change> changes) {
        int streamId = in.u32();
        int topicId = in.u32();
        int groupId = in.u32();
        int partition = in.u32();
        long sinceOp = in.u64();
        if (in.isFailed()) {
            return Result.of(ErrorCode.INVALID_COMMAND);
        }
        Stream stream = streams.stream(streamId);
        Topic topic = stream == null ? null : stream.topic(topicId);
        ConsumerGroup group = topic == null ? null : topic.group(groupId);
        if (group == null) {
            return Result.of(ErrorCode.CONSUMER_GROUP_ID_NOT_FOUND);
        }
        if (group.complete(partition, sinceOp)) {
            changes.add(changed(group));
        }
        return Result.DONE;
    }

    /// Takes the clients whose sessions just ended out of their groups.
    ///
    /// @param changes those of the operation so far; what follows from them is added
    void onSessionsEnded(List<Change> changes) {
        int count = changes.size();
        for (int i = 0; i < count; i++) {
            if (changes.get(i) instanceof Change.SessionEnded ended && clients.session(ended.client()) == 0) {
                leaveAll(ended.client(), changes);
            }
        }
    }

    private void leaveAll(ClientId client, List<Change> changes) {
        for (ConsumerGroup group : memberships.removeAll(client)) {
            group.leave(client);
            changes.add(changed(group));
        }
    }

    private static Change changed(ConsumerGroup group) {
        return new Change.GroupChanged(group.streamId(), group.topicId(), group.id());
    }
}
