package io.galgo.broker.shard;

import java.util.ArrayList;
import java.util.List;

/// What the shards of a node have answered to one question so far. Belongs to the shard that asked.
final class Gathering {
    /// Goes on when every shard has answered.
    @FunctionalInterface
    interface Next {
        void gathered(Gathering gathering);
    }

    private final PartitionNumbers partitions = new PartitionNumbers();
    private final TopicNumbers topics = new TopicNumbers();
    private final List<Parcel.ConnectionRecord> connections = new ArrayList<>();
    private final List<GroupLag> lags = new ArrayList<>();
    private final Next next;
    private int sharesLeft;
    private long segmentsCount;
    private long sizeBytes;
    private long messagesCount;
    private int connectionsCount;

    Gathering(int shardsCount, Next next) {
        this.sharesLeft = shardsCount;
        this.next = next;
    }

    void add(Parcel.Share share) {
        for (PartitionNumbers.Row row : share.partitions()) {
            partitions.add(row);
        }
        topics.add(share.topics());
        connections.addAll(share.connections());
        lags.addAll(share.lags());
        segmentsCount += share.segmentsCount();
        sizeBytes += share.sizeBytes();
        messagesCount += share.messagesCount();
        connectionsCount += share.connectionsCount();
        sharesLeft--;
        if (sharesLeft == 0) {
            next.gathered(this);
        }
    }

    PartitionNumbers partitions() {
        return partitions;
    }

    TopicNumbers topics() {
        return topics;
    }

    List<Parcel.ConnectionRecord> connections() {
        return connections;
    }

    List<GroupLag> lags() {
        return lags;
    }

    long segmentsCount() {
        return segmentsCount;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    long messagesCount() {
        return messagesCount;
    }

    int connectionsCount() {
        return connectionsCount;
    }
}
