package io.galgo.broker.shard;

import io.galgo.broker.plane.MetadataRequester;
import io.galgo.protocol.request.JoinConsumerGroup;
import java.util.ArrayList;
import java.util.List;

/// A client that is about to join a consumer group: first every shard tells what the group has in flight, then the
/// join is proposed with that, and once it is decided every shard is told so.
///
/// Belongs to the shard of the client's connection. The others look at the ids only.
final class GroupJoin implements MetadataRequester {
    private final Exchange exchange;
    private final Session session;
    private final JoinConsumerGroup request;
    private final int streamId;
    private final int topicId;
    private final int groupId;
    private final int askingShard;
    private final List<Integer> inFlight = new ArrayList<>();
    private int sharesLeft;

    GroupJoin(
            Exchange exchange,
            Session session,
            JoinConsumerGroup request,
            int streamId,
            int topicId,
            int groupId,
            int askingShard,
            int shardsCount) {
        this.exchange = exchange;
        this.session = session;
        this.request = request;
        this.streamId = streamId;
        this.topicId = topicId;
        this.groupId = groupId;
        this.askingShard = askingShard;
        this.sharesLeft = shardsCount;
    }

    int streamId() {
        return streamId;
    }

    int topicId() {
        return topicId;
    }

    int groupId() {
        return groupId;
    }

    int askingShard() {
        return askingShard;
    }

    Exchange exchange() {
        return exchange;
    }

    Session session() {
        return session;
    }

    JoinConsumerGroup request() {
        return request;
    }

    /// One shard has told which of its partitions are in flight.
    ///
    /// @return whether it was the last one
    boolean add(List<Integer> partitions) {
        inFlight.addAll(partitions);
        sharesLeft--;
        return sharesLeft == 0;
    }

    /// In the order of ids, whichever shard spoke first.
    int[] inFlight() {
        int[] partitions = new int[inFlight.size()];
        inFlight.sort(null);
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = inFlight.get(i);
        }
        return partitions;
    }
}
