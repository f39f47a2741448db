package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.Options;
import io.galgo.protocol.reply.ClientMembership;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.GroupMember;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.reply.OptionDescription;
import io.galgo.protocol.reply.OptionDescriptions;
import io.galgo.protocol.reply.PartitionRecord;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TokenRecord;
import io.galgo.protocol.reply.TokenRecords;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecord;
import io.galgo.protocol.reply.TopicRecords;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecord;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.reply.UserStatus;
import io.galgo.protocol.request.OptionScope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The replies to metadata reads (spec protocol 8.1.5, 8.2 to 8.5, 8.7). Rights are the caller's to check.
public final class MetadataReads {
    private MetadataReads() {}

    /// GetStream of one that exists.
    public static StreamDetails stream(Stream stream, TopicStatistics statistics) {
        List<TopicRecord> topics = topicRecords(stream, statistics);
        return new StreamDetails(streamRecord(stream, topics), topics);
    }

    /// GetStreams.
    public static StreamRecords streams(Catalog catalog, TopicStatistics statistics) {
        List<StreamRecord> records = new ArrayList<>(catalog.streamsCount());
        for (int streamId = 0; streamId < catalog.streamIdsEnd(); streamId++) {
            Stream stream = catalog.stream(streamId);
            if (stream != null) {
                records.add(streamRecord(stream, statistics));
            }
        }
        return new StreamRecords(records);
    }

    /// GetTopic of one that exists.
    public static TopicDetails topic(Topic topic, PartitionStatistics statistics) {
        List<PartitionRecord> partitions = new ArrayList<>(topic.partitionsCount());
        for (int partition = 0; partition < topic.partitionsCount(); partition++) {
            partitions.add(new PartitionRecord(
                    partition,
                    topic.partitionCreatedAtMicros(partition),
                    statistics.segmentsCount(topic, partition),
                    statistics.currentOffset(topic, partition),
                    statistics.sizeBytes(topic, partition),
                    statistics.messagesCount(topic, partition)));
        }
        return new TopicDetails(topicRecord(topic, statistics), partitions);
    }

    /// GetTopics; no topics when there is no such stream.
    public static TopicRecords topics(@Nullable Stream stream, TopicStatistics statistics) {
        return new TopicRecords(stream == null ? List.of() : topicRecords(stream, statistics));
    }

    /// GetUser of one that exists.
    public static UserDetails user(User user) {
        return new UserDetails(userRecord(user), user.permissions());
    }

    /// GetUsers.
    public static UserRecords users(Catalog catalog) {
        List<UserRecord> records = new ArrayList<>(catalog.usersCount());
        for (int userId = 0; userId < catalog.userIdsEnd(); userId++) {
            User user = catalog.user(userId);
            if (user != null) {
                records.add(userRecord(user));
            }
        }
        return new UserRecords(records);
    }

    /// GetPersonalAccessTokens of a user.
    public static TokenRecords tokens(Catalog catalog, int userId) {
        List<TokenRecord> records = new ArrayList<>();
        for (Token token : catalog.tokens(userId)) {
            records.add(new TokenRecord(token.name(), token.expiryAtMicros()));
        }
        return new TokenRecords(records);
    }

    /// GetConsumerGroup of one that exists.
    public static GroupDetails group(Topic topic, ConsumerGroup group) {
        List<GroupMember> members = new ArrayList<>(group.membersCount());
        for (int memberId = 0; memberId < group.memberIdsEnd(); memberId++) {
            if (group.isMember(memberId)) {
                members.add(new GroupMember(memberId, group.partitions(memberId)));
            }
        }
        return new GroupDetails(groupRecord(topic, group), members);
    }

    /// GetConsumerGroups of a topic that exists.
    public static GroupRecords groups(Topic topic) {
        List<GroupRecord> records = new ArrayList<>();
        for (ConsumerGroup group : topic.groups()) {
            records.add(groupRecord(topic, group));
        }
        return new GroupRecords(records);
    }

    /// SyncConsumerGroup of a member; null when the client is none.
    public static @Nullable GroupAssignment assignment(ConsumerGroup group, ClientId client) {
        List<Integer> pollable = group.pollable(client);
        return pollable == null ? null : new GroupAssignment(group.generation(), pollable);
    }

    /// The memberships in GetMe and GetClient.
    public static List<ClientMembership> memberships(Catalog catalog, ClientId client) {
        List<ClientMembership> memberships = new ArrayList<>();
        for (ConsumerGroup group : catalog.groups(client)) {
            memberships.add(new ClientMembership(group.streamId(), group.topicId(), group.id()));
        }
        return memberships;
    }

    static GroupRecord groupRecord(Topic topic, ConsumerGroup group) {
        return new GroupRecord(group.id(), topic.partitionsCount(), group.membersCount(), group.name());
    }

    /// DescribeOptions.
    public static OptionDescriptions options(OptionScope scope) {
        List<OptionDescription> options = new ArrayList<>();
        if (scope == OptionScope.TOPIC) {
            for (TopicOption option : TopicOption.values()) {
                options.add(new OptionDescription(
                        option.key(), option.byDefault().kind(), option.byDefault(), option.description()));
            }
        }
        return new OptionDescriptions(options);
    }

    /// The reply to the creation of a stream.
    static StreamRecord created(Stream stream) {
        return streamRecord(stream, List.of());
    }

    /// The reply to the creation of a topic, whose partitions do not say yet that they have a segment.
    static TopicDetails created(Topic topic) {
        List<PartitionRecord> partitions = new ArrayList<>(topic.partitionsCount());
        for (int partition = 0; partition < topic.partitionsCount(); partition++) {
            partitions.add(new PartitionRecord(partition, topic.partitionCreatedAtMicros(partition), 0, 0, 0, 0));
        }
        return new TopicDetails(topicRecord(topic, 0, 0), partitions);
    }

    private static StreamRecord streamRecord(Stream stream, TopicStatistics statistics) {
        long sizeBytes = 0;
        long messagesCount = 0;
        for (int topicId = 0; topicId < stream.topicIdsEnd(); topicId++) {
            Topic topic = stream.topic(topicId);
            if (topic != null) {
                sizeBytes += statistics.sizeBytes(topic);
                messagesCount += statistics.messagesCount(topic);
            }
        }
        return streamRecord(stream, sizeBytes, messagesCount);
    }

    private static StreamRecord streamRecord(Stream stream, List<TopicRecord> topics) {
        long sizeBytes = 0;
        long messagesCount = 0;
        for (TopicRecord topic : topics) {
            sizeBytes += topic.sizeBytes();
            messagesCount += topic.messagesCount();
        }
        return streamRecord(stream, sizeBytes, messagesCount);
    }

    private static StreamRecord streamRecord(Stream stream, long sizeBytes, long messagesCount) {
        return new StreamRecord(
                stream.id(),
                stream.createdAtMicros(),
                stream.topicsCount(),
                sizeBytes,
                messagesCount,
                stream.name(),
                Options.NONE);
    }

    private static List<TopicRecord> topicRecords(Stream stream, TopicStatistics statistics) {
        List<TopicRecord> records = new ArrayList<>(stream.topicsCount());
        for (int topicId = 0; topicId < stream.topicIdsEnd(); topicId++) {
            Topic topic = stream.topic(topicId);
            if (topic != null) {
                records.add(topicRecord(topic, statistics));
            }
        }
        return records;
    }

    private static TopicRecord topicRecord(Topic topic, TopicStatistics statistics) {
        return topicRecord(topic, statistics.sizeBytes(topic), statistics.messagesCount(topic));
    }

    private static TopicRecord topicRecord(Topic topic, long sizeBytes, long messagesCount) {
        TopicSettings settings = topic.settings();
        return new TopicRecord(
                topic.id(),
                topic.createdAtMicros(),
                topic.partitionsCount(),
                settings.messageExpiryMicros(),
                settings.compression(),
                settings.topicBytesMax(),
                sizeBytes,
                messagesCount,
                topic.name(),
                topic.options().explicit(),
                topic.options().derived());
    }

    private static UserRecord userRecord(User user) {
        return new UserRecord(
                user.id(),
                user.createdAtMicros(),
                user.isActive() ? UserStatus.ACTIVE : UserStatus.INACTIVE,
                user.name(),
                Options.NONE);
    }
}
