package io.galgo.broker.metadata;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What each metadata command of a client does to the tables, or why it does not: the checks in the order in which
/// clients may rely on them (spec protocol 8, semantics 2.4 and 2.5).
///
/// Before the log come the checks that need no state, and one that only needs what cannot change (a topic's segment
/// size). In the log all of them come again, since a journal is only bytes: first the target, then the caller's
/// right, then the rest. Where there is no target the right comes first.
final class Commands {
    private static final int PARTITIONS_REQUEST_MAX = 1_000;

    /// How a command ended.
    ///
    /// @param error null for success
    /// @param payload of a success that says something, else null
    record Result(@Nullable ErrorCode error, @Nullable Body payload) {
        private static final Result DONE = new Result(null, null);

        static Result of(ErrorCode error) {
            return new Result(error, null);
        }

        static Result of(Body payload) {
            return new Result(null, payload);
        }
    }

    private final StreamTable streams;
    private final UserTable users;

    Commands(StreamTable streams, UserTable users) {
        this.streams = streams;
        this.users = users;
    }

    /// The denial of a request before it gets a place in the order, or null.
    @Nullable ErrorCode check(Request request) {
        return switch (request) {
            case CreateStream create -> checkNoOptions(create.options());
            case UpdateStream update -> checkNoOptions(update.options());
            case DeleteStream _, PurgeStream _ -> null;
            case CreateTopic create -> GivenOptions.ofCreate(create.options()).checkCreate(create.partitionsCount());
            case UpdateTopic update -> checkUpdateTopic(update);
            case DeleteTopic _, PurgeTopic _ -> null;
            case CreatePartitions create -> checkPartitionsCount(create.partitionsCount());
            case DeletePartitions delete -> checkPartitionsCount(delete.partitionsCount());
            case DeleteSegments _ -> null;
            default -> ErrorCode.FEATURE_UNAVAILABLE;
        };
    }

    private static @Nullable ErrorCode checkNoOptions(Options options) {
        return options.isEmpty() ? null : ErrorCode.UNSUPPORTED_OPTION_KEY;
    }

    private static @Nullable ErrorCode checkPartitionsCount(long count) {
        return count < 1 || count > PARTITIONS_REQUEST_MAX ? ErrorCode.TOO_MANY_PARTITIONS : null;
    }

    private @Nullable ErrorCode checkUpdateTopic(UpdateTopic update) {
        GivenOptions given = GivenOptions.ofUpdate(update.options());
        ErrorCode error = given.checkUpdate();
        if (error != null) {
            return error;
        }
        Stream stream = streams.stream(update.stream());
        Topic topic = stream == null ? null : stream.topic(update.topic());
        return topic == null ? null : given.checkTopicBytes(topic.settings().segmentBytesMax());
    }

    /// Executes a command in its turn.
    Result execute(long op, Operation kind, MetadataOperation operation, List<Change> changes) {
        if (kind == Operation.TRUNCATE_PARTITION) {
            return truncate(operation, changes);
        }
        CommandCode command = CommandCode.of(kind);
        Request request = command == null ? null : Request.decode(command, operation.body());
        if (request == null) {
            return Result.of(ErrorCode.INVALID_COMMAND);
        }
        int userId = operation.userId();
        long now = operation.timestampMicros();
        return switch (request) {
            case CreateStream create -> createStream(userId, create, now);
            case UpdateStream update ->
                onStream(userId, update.stream(), Right.MANAGE_STREAM, stream -> updateStream(stream, update));
            case DeleteStream delete ->
                onStream(userId, delete.stream(), Right.MANAGE_STREAM, stream -> {
                    streams.delete(stream, changes);
                    return Result.DONE;
                });
            case PurgeStream purge ->
                onStream(userId, purge.stream(), Right.MANAGE_STREAM, stream -> {
                    streams.purge(stream, op, changes);
                    return Result.DONE;
                });
            case CreateTopic create ->
                onStream(
                        userId,
                        create.stream(),
                        Right.CREATE_TOPIC,
                        stream -> createTopic(stream, create, op, now, changes));
            case UpdateTopic update ->
                onTopic(
                        userId,
                        update.stream(),
                        update.topic(),
                        Right.MANAGE_TOPIC,
                        (stream, topic) -> updateTopic(stream, topic, update, changes));
            case DeleteTopic delete ->
                onTopic(userId, delete.stream(), delete.topic(), Right.MANAGE_TOPIC, (stream, topic) -> {
                    streams.delete(stream, topic, changes);
                    return Result.DONE;
                });
            case PurgeTopic purge ->
                onTopic(userId, purge.stream(), purge.topic(), Right.MANAGE_TOPIC, (_, topic) -> {
                    streams.purge(topic, op, changes);
                    return Result.DONE;
                });
            case CreatePartitions create ->
                onTopic(
                        userId,
                        create.stream(),
                        create.topic(),
                        Right.MANAGE_TOPIC,
                        (_, topic) -> createPartitions(topic, create.partitionsCount(), op, now, changes));
            case DeletePartitions delete ->
                onTopic(
                        userId,
                        delete.stream(),
                        delete.topic(),
                        Right.MANAGE_TOPIC,
                        (_, topic) -> deletePartitions(topic, delete.partitionsCount(), changes));
            default -> Result.of(ErrorCode.INVALID_COMMAND);
        };
    }

    private Result truncate(MetadataOperation operation, List<Change> changes) {
        BodyReader in = operation.read();
        long offset = in.u64();
        ByteBuffer body = operation.body();
        DeleteSegments request = in.isFailed() ? null : DeleteSegments.decode(body.position(Long.BYTES));
        if (request == null) {
            return Result.of(ErrorCode.INVALID_COMMAND);
        }
        return onTopic(
                operation.userId(),
                request.stream(),
                request.topic(),
                Right.MANAGE_TOPIC,
                (_, topic) -> truncate(topic, request.partitionId(), offset, changes));
    }

    /// Does something to a stream if it is there and the user may.
    private Result onStream(int userId, Identifier identifier, Right right, Function<Stream, Result> action) {
        Stream stream = streams.stream(identifier);
        if (stream == null) {
            return Result.of(ErrorCode.STREAM_ID_NOT_FOUND);
        }
        if (!isAllowed(userId, right, stream.id(), -1)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        return action.apply(stream);
    }

    /// Does something to a topic if it is there and the user may.
    private Result onTopic(
            int userId,
            Identifier streamIdentifier,
            Identifier topicIdentifier,
            Right right,
            BiFunction<Stream, Topic, Result> action) {
        Stream stream = streams.stream(streamIdentifier);
        if (stream == null) {
            return Result.of(ErrorCode.STREAM_ID_NOT_FOUND);
        }
        Topic topic = stream.topic(topicIdentifier);
        if (topic == null) {
            return Result.of(ErrorCode.TOPIC_ID_NOT_FOUND);
        }
        if (!isAllowed(userId, right, stream.id(), topic.id())) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        return action.apply(stream, topic);
    }

    private Result createStream(int userId, CreateStream request, long now) {
        if (!isAllowed(userId, Right.CREATE_STREAM, -1, -1)) {
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
        return Result.of(MetadataReads.created(streams.createStream(request.name(), now)));
    }

    private Result updateStream(Stream stream, UpdateStream request) {
        if (!request.name().equals(stream.name()) && streams.hasStreamNamed(request.name())) {
            return Result.of(ErrorCode.STREAM_NAME_ALREADY_EXISTS);
        }
        if (!request.options().isEmpty()) {
            return Result.of(ErrorCode.UNSUPPORTED_OPTION_KEY);
        }
        streams.rename(stream, request.name());
        return Result.DONE;
    }

    private Result createTopic(Stream stream, CreateTopic request, long op, long now, List<Change> changes) {
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
        Topic topic = streams.createTopic(stream, request.name(), TopicOptions.created(given), now);
        streams.createPartitions(topic, (int) request.partitionsCount(), op, now, changes);
        return Result.of(MetadataReads.created(topic));
    }

    private static Result updateTopic(Stream stream, Topic topic, UpdateTopic request, List<Change> changes) {
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
            changes.add(new Change.TopicUpdated(stream.id(), topic.id(), topic.settings()));
        }
        return Result.DONE;
    }

    private Result createPartitions(Topic topic, long count, long op, long now, List<Change> changes) {
        if (count < 1 || count > PARTITIONS_REQUEST_MAX) {
            return Result.of(ErrorCode.INVALID_PARTITIONS_COUNT);
        }
        if (count > StreamTable.PARTITIONS_MAX - topic.partitionsCount()) {
            return Result.of(ErrorCode.PARTITION_ID_SPACE_EXHAUSTED);
        }
        streams.createPartitions(topic, (int) count, op, now, changes);
        return Result.DONE;
    }

    private Result deletePartitions(Topic topic, long count, List<Change> changes) {
        if (count < 1 || count > topic.partitionsCount()) {
            return Result.of(ErrorCode.INVALID_PARTITIONS_COUNT);
        }
        streams.deletePartitions(topic, (int) count, changes);
        return Result.DONE;
    }

    private static Result truncate(Topic topic, int partition, long offset, List<Change> changes) {
        if (partition < 0 || partition >= topic.partitionsCount()) {
            return Result.of(ErrorCode.PARTITION_NOT_FOUND);
        }
        if (Long.compareUnsigned(offset, topic.truncatedBelow(partition)) > 0) {
            topic.truncate(partition, offset);
            changes.add(new Change.PartitionTruncated(topic.streamId(), topic.id(), partition, offset));
        }
        return Result.DONE;
    }

    private boolean isAllowed(int userId, Right right, int streamId, int topicId) {
        User user = users.user(userId);
        return user != null && user.isAllowed(right, streamId, topicId);
    }
}
