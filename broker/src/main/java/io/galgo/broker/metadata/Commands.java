package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Hands each metadata command of a client to the class that knows it, twice: for the checks before the log, and in
/// its turn (spec protocol 8, semantics 2.5).
///
/// Before the log come the checks that need no state, and one that only needs what cannot change: a topic's segment
/// size, for which the default stands in while there is no such topic. In the log all of them come again, since a
/// journal is only bytes.
final class Commands {
    private final StreamTable streams;
    private final StreamCommands streamCommands;
    private final UserCommands userCommands;
    private final GroupCommands groupCommands;

    Commands(
            StreamTable streams,
            StreamCommands streamCommands,
            UserCommands userCommands,
            GroupCommands groupCommands) {
        this.streams = streams;
        this.streamCommands = streamCommands;
        this.userCommands = userCommands;
        this.groupCommands = groupCommands;
    }

    /// The denial of a request before it gets a place in the order, or null.
    @Nullable ErrorCode check(Request request) {
        return switch (request) {
            case CreateStream create -> checkNoOptions(create.options());
            case UpdateStream update -> checkNoOptions(update.options());
            case CreateTopic create -> GivenOptions.ofCreate(create.options()).checkCreate(create.partitionsCount());
            case UpdateTopic update -> checkUpdateTopic(update);
            case CreatePartitions create -> checkPartitionsCount(create.partitionsCount());
            case DeletePartitions delete -> checkPartitionsCount(delete.partitionsCount());
            case CreateUser create -> checkNoOptions(create.options());
            case UpdateUser update -> checkNoOptions(update.options());
            case DeleteStream _,
                    PurgeStream _,
                    DeleteTopic _,
                    PurgeTopic _,
                    DeleteSegments _,
                    DeleteUser _,
                    ChangePassword _,
                    UpdatePermissions _,
                    CreatePersonalAccessToken _,
                    DeletePersonalAccessToken _,
                    CreateConsumerGroup _,
                    DeleteConsumerGroup _,
                    JoinConsumerGroup _,
                    LeaveConsumerGroup _ -> null;
            default -> ErrorCode.INVALID_COMMAND;
        };
    }

    private static @Nullable ErrorCode checkNoOptions(Options options) {
        return options.isEmpty() ? null : ErrorCode.UNSUPPORTED_OPTION_KEY;
    }

    private static @Nullable ErrorCode checkPartitionsCount(long count) {
        return count < 1 || count > StreamCommands.PARTITIONS_REQUEST_MAX ? ErrorCode.TOO_MANY_PARTITIONS : null;
    }

    private @Nullable ErrorCode checkUpdateTopic(UpdateTopic update) {
        GivenOptions given = GivenOptions.ofUpdate(update.options());
        ErrorCode error = given.checkUpdate();
        if (error != null) {
            return error;
        }
        Stream stream = streams.stream(update.stream());
        Topic topic = stream == null ? null : stream.topic(update.topic());
        return given.checkTopicBytes(
                topic == null
                        ? TopicOption.SEGMENT_SIZE.byDefault().number()
                        : topic.settings().segmentBytesMax());
    }

    /// Executes a command in its turn.
    Result execute(long op, Operation kind, MetadataOperation operation, List<Change> changes) {
        Turn turn = new Turn(op, operation.timestampMicros(), operation.userId(), operation.client(), changes);
        return switch (kind) {
            case CREATE_USER -> completed(turn, operation, CompletedBody::readCreateUser, userCommands::execute);
            case CHANGE_PASSWORD ->
                completed(turn, operation, CompletedBody::readChangePassword, userCommands::execute);
            case CREATE_PERSONAL_ACCESS_TOKEN ->
                completed(turn, operation, CompletedBody::readCreateToken, userCommands::execute);
            case JOIN_CONSUMER_GROUP ->
                completed(turn, operation, CompletedBody::readJoinGroup, groupCommands::execute);
            case DELETE_SEGMENTS ->
                completed(turn, operation, CompletedBody::readDeleteSegments, streamCommands::execute);
            default -> asSent(turn, kind, operation);
        };
    }

    private static <T> Result completed(
            Turn turn,
            MetadataOperation operation,
            Function<BodyReader, @Nullable T> decoder,
            BiFunction<Turn, T, Result> action) {
        T request = decoder.apply(operation.read());
        return request == null ? Result.of(ErrorCode.INVALID_COMMAND) : action.apply(turn, request);
    }

    private Result asSent(Turn turn, Operation kind, MetadataOperation operation) {
        CommandCode command = CommandCode.of(kind);
        Request request = command == null ? null : Request.decode(command, operation.body());
        return switch (request) {
            case CreateStream create -> streamCommands.execute(turn, create);
            case UpdateStream update -> streamCommands.execute(turn, update);
            case DeleteStream delete -> streamCommands.execute(turn, delete);
            case PurgeStream purge -> streamCommands.execute(turn, purge);
            case CreateTopic create -> streamCommands.execute(turn, create);
            case UpdateTopic update -> streamCommands.execute(turn, update);
            case DeleteTopic delete -> streamCommands.execute(turn, delete);
            case PurgeTopic purge -> streamCommands.execute(turn, purge);
            case CreatePartitions create -> streamCommands.execute(turn, create);
            case DeletePartitions delete -> streamCommands.execute(turn, delete);
            case UpdateUser update -> userCommands.execute(turn, update);
            case DeleteUser delete -> userCommands.execute(turn, delete);
            case UpdatePermissions update -> userCommands.execute(turn, update);
            case DeletePersonalAccessToken delete -> userCommands.execute(turn, delete);
            case CreateConsumerGroup create -> groupCommands.execute(turn, create);
            case DeleteConsumerGroup delete -> groupCommands.execute(turn, delete);
            case LeaveConsumerGroup leave -> groupCommands.execute(turn, leave);
            case null, default -> Result.of(ErrorCode.INVALID_COMMAND);
        };
    }
}
