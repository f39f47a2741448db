package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;

/// What commands do to streams, topics, partitions and segments in their turn (spec protocol 8.4 to 8.6).
final class StreamCommands {
    static final int PARTITIONS_REQUEST_MAX = 1_000;

    private final Access access;
    private final StreamTable streams;
    private final Memberships memberships;

    StreamCommands(Access access, StreamTable streams, Memberships memberships) {
        this.access = access;
        this.streams = streams;
        this.memberships = memberships;
    }

    Result execute(Turn turn, CreateStream request) {
        if (!access.isAllowed(turn.userId(), Right.CREATE_STREAM, -1, -1)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        if (streams.hasStreamNamed(request.name())) {
            return Result.of(ErrorCode.STREAM_NAME_ALREADY_EXISTS);
        }
        if (!request.options().isEmpty()) {
            return Result.of(ErrorCode.UNSUPPORTED_OPTION_KEY);
        }
        if (streams.streamsCount() >= StreamTable.STREAMS_MAX) {
            return Result.of(ErrorCode.TOO_MANY_STREAMS);
        }
        return Result.of(MetadataReads.created(streams.createStream(request.name(), turn.nowMicros())));
    }

    Result execute(Turn turn, UpdateStream request) {
        return access.onStream(turn, request.stream(), Right.MANAGE_STREAM, stream -> {
            if (!request.name().equals(stream.name()) && streams.hasStreamNamed(request.name())) {
                return Result.of(ErrorCode.STREAM_NAME_ALREADY_EXISTS);
            }
            if (!request.options().isEmpty()) {
                return Result.of(ErrorCode.UNSUPPORTED_OPTION_KEY);
            }
            streams.rename(stream, request.name());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, DeleteStream request) {
        return access.onStream(turn, request.stream(), Right.MANAGE_STREAM, stream -> {
            for (int topicId = 0; topicId < stream.topicIdsEnd(); topicId++) {
                Topic topic = stream.topic(topicId);
                if (topic != null) {
                    topic.groups().forEach(memberships::remove);
                }
            }
            streams.delete(stream, turn.changes());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, PurgeStream request) {
        return access.onStream(turn, request.stream(), Right.MANAGE_STREAM, stream -> {
            streams.purge(stream, turn.op(), turn.changes());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, CreateTopic request) {
        return access.onStream(
                turn, request.stream(), Right.CREATE_TOPIC, stream -> createTopic(turn, stream, request));
    }

    private Result createTopic(Turn turn, Stream stream, CreateTopic request) {
        if (stream.hasTopicNamed(request.name())) {
            return Result.of(ErrorCode.TOPIC_NAME_ALREADY_EXISTS);
        }
        if (stream.topicsCount() >= StreamTable.TOPICS_MAX) {
            return Result.of(ErrorCode.TOO_MANY_TOPICS);
        }
        if (request.partitionsCount() > PARTITIONS_REQUEST_MAX) {
            return Result.of(ErrorCode.INVALID_PARTITIONS_COUNT);
        }
        GivenOptions given = GivenOptions.ofCreate(request.options());
        ErrorCode error = given.checkCreate(request.partitionsCount());
        if (error != null) {
            return Result.of(error);
        }
        Topic topic = streams.createTopic(stream, request.name(), TopicOptions.created(given), turn.nowMicros());
        int count = (int) request.partitionsCount();
        streams.createPartitions(topic, count, turn.op(), turn.nowMicros(), turn.changes());
        return Result.of(MetadataReads.created(topic));
    }

    Result execute(Turn turn, UpdateTopic request) {
        return access.onTopic(
                turn,
                request.stream(),
                request.topic(),
                Right.MANAGE_TOPIC,
                (stream, topic) -> updateTopic(turn, stream, topic, request));
    }

    private static Result updateTopic(Turn turn, Stream stream, Topic topic, UpdateTopic request) {
        if (!request.name().equals(topic.name()) && stream.hasTopicNamed(request.name())) {
            return Result.of(ErrorCode.TOPIC_NAME_ALREADY_EXISTS);
        }
        GivenOptions given = GivenOptions.ofUpdate(request.options());
        ErrorCode error = given.checkUpdate();
        if (error == null) {
            // Checked before the log too, but perhaps against another topic that had this name then.
            error = given.checkTopicBytes(topic.settings().segmentBytesMax());
        }
        if (error != null) {
            return Result.of(error);
        }
        stream.rename(topic, request.name());
        TopicSettings before = topic.settings();
        topic.update(topic.options().updated(given));
        if (!topic.settings().equals(before)) {
            turn.changes().add(new Change.TopicUpdated(stream.id(), topic.id(), topic.settings()));
        }
        return Result.DONE;
    }

    Result execute(Turn turn, DeleteTopic request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.MANAGE_TOPIC, (stream, topic) -> {
            topic.groups().forEach(memberships::remove);
            streams.delete(stream, topic, turn.changes());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, PurgeTopic request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.MANAGE_TOPIC, (_, topic) -> {
            streams.purge(topic, turn.op(), turn.changes());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, CreatePartitions request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.MANAGE_TOPIC, (_, topic) -> {
            long count = request.partitionsCount();
            if (count < 1 || count > PARTITIONS_REQUEST_MAX) {
                return Result.of(ErrorCode.INVALID_PARTITIONS_COUNT);
            }
            if (count > StreamTable.PARTITIONS_MAX - topic.partitionsCount()) {
                return Result.of(ErrorCode.PARTITION_ID_SPACE_EXHAUSTED);
            }
            streams.createPartitions(topic, (int) count, turn.op(), turn.nowMicros(), turn.changes());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, DeletePartitions request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.MANAGE_TOPIC, (_, topic) -> {
            long count = request.partitionsCount();
            if (count < 1 || count > topic.partitionsCount()) {
                return Result.of(ErrorCode.INVALID_PARTITIONS_COUNT);
            }
            streams.deletePartitions(topic, (int) count, turn.changes());
            return Result.DONE;
        });
    }

    Result execute(Turn turn, CompletedBody.Truncation request) {
        return access.onTopic(turn, request.stream(), request.topic(), Right.MANAGE_TOPIC, (stream, topic) -> {
            if (!request.wasAllowed()) {
                return Result.of(ErrorCode.UNAUTHORIZED);
            }
            int partition = request.partition();
            if (partition < 0 || partition >= topic.partitionsCount()) {
                return Result.of(ErrorCode.PARTITION_NOT_FOUND);
            }
            if (request.begun() == topic.begun(partition) && topic.truncate(partition, request.offset())) {
                turn.changes().add(new Change.PartitionTruncated(stream.id(), topic.id(), partition, request.offset()));
            }
            return Result.DONE;
        });
    }
}
