package io.galgo.broker.metadata;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeletePersonalAccessToken;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.DeleteUser;
import io.galgo.protocol.request.PurgeStream;
import io.galgo.protocol.request.PurgeTopic;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.UpdatePermissions;
import io.galgo.protocol.request.UpdateStream;
import io.galgo.protocol.request.UpdateTopic;
import io.galgo.protocol.request.UpdateUser;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Tells who changes what, for the log of a node: users and their rights, tokens, streams, topics, groups.
///
/// Names only. A completed body holds hashes, and none of them is looked at.
public final class Chronicle {
    private final Catalog catalog;

    /// @param catalog what the operations are told by
    public Chronicle(Catalog catalog) {
        this.catalog = catalog;
    }

    /// What an operation does if it succeeds: `user "root" created stream "orders"`. To be asked before it is
    /// applied, while what it removes still has a name.
    ///
    /// @param bytes as for [Catalog#apply]
    /// @return null for what is no change that people want to know of: logins, members of groups
    public @Nullable String tell(ByteBuffer bytes) {
        MetadataOperation operation = MetadataOperation.decode(bytes);
        Operation kind = operation == null ? null : Operation.of(operation.value());
        if (operation == null || kind == null) {
            return null;
        }
        String deed = switch (kind) {
            case CREATE_USER, CHANGE_PASSWORD, CREATE_PERSONAL_ACCESS_TOKEN, DELETE_SEGMENTS ->
                completed(kind, operation);
            case REGISTER, LOGOUT, JOIN_CONSUMER_GROUP, LEAVE_CONSUMER_GROUP -> null;
            default -> asSent(kind, operation);
        };
        return deed == null ? null : "user " + user(operation.userId()) + " " + deed;
    }

    private @Nullable String completed(Operation kind, MetadataOperation operation) {
        return switch (kind) {
            case CREATE_USER -> {
                CompletedBody.NewUser user = CompletedBody.readCreateUser(operation.read());
                yield user == null ? null : "created user " + ShownName.of(user.name());
            }
            case CHANGE_PASSWORD -> {
                CompletedBody.NewPassword password = CompletedBody.readChangePassword(operation.read());
                yield password == null ? null : "changed the password of user " + user(password.user());
            }
            case CREATE_PERSONAL_ACCESS_TOKEN -> {
                CompletedBody.NewToken token = CompletedBody.readCreateToken(operation.read());
                yield token == null ? null : "created token " + ShownName.of(token.name());
            }
            default -> {
                CompletedBody.Truncation truncation = CompletedBody.readDeleteSegments(operation.read());
                yield truncation == null
                        ? null
                        : "gave up the segments of partition " + truncation.partition() + " of "
                                + topic(truncation.stream(), truncation.topic()) + " below offset "
                                + truncation.offset();
            }
        };
    }

    private @Nullable String asSent(Operation kind, MetadataOperation operation) {
        CommandCode command = CommandCode.of(kind);
        Request request = command == null ? null : Request.decode(command, operation.body());
        return switch (request) {
            case CreateStream create -> "created stream " + ShownName.of(create.name());
            case UpdateStream update -> "named stream " + stream(update.stream()) + " " + ShownName.of(update.name());
            case DeleteStream delete -> "deleted stream " + stream(delete.stream());
            case PurgeStream purge -> "purged stream " + stream(purge.stream());
            case CreateTopic create ->
                "created topic " + ShownName.of(create.name()) + " with " + partitions(create.partitionsCount())
                        + " in stream " + stream(create.stream());
            case UpdateTopic update -> "changed " + topic(update.stream(), update.topic());
            case DeleteTopic delete -> "deleted " + topic(delete.stream(), delete.topic());
            case PurgeTopic purge -> "purged " + topic(purge.stream(), purge.topic());
            case CreatePartitions create ->
                "added " + partitions(create.partitionsCount()) + " to " + topic(create.stream(), create.topic());
            case DeletePartitions delete ->
                "deleted " + partitions(delete.partitionsCount()) + " of " + topic(delete.stream(), delete.topic());
            case UpdateUser update -> "changed user " + user(update.user()) + changes(update);
            case DeleteUser delete -> "deleted user " + user(delete.user());
            case UpdatePermissions update -> "changed the permissions of user " + user(update.user());
            case DeletePersonalAccessToken delete -> "deleted token " + ShownName.of(delete.name());
            case CreateConsumerGroup create ->
                "created consumer group " + ShownName.of(create.name()) + " of "
                        + topic(create.stream(), create.topic());
            case DeleteConsumerGroup delete ->
                "deleted consumer group " + ShownName.of(delete.group()) + " of "
                        + topic(delete.stream(), delete.topic());
            case null, default -> null;
        };
    }

    private static String changes(UpdateUser update) {
        String name = update.username();
        String status = switch (update.status()) {
            case UserCommands.STATUS_ACTIVE -> ", status active";
            case UserCommands.STATUS_INACTIVE -> ", status inactive";
            default -> "";
        };
        return (name == null ? "" : ", name " + ShownName.of(name)) + status;
    }

    private static String partitions(long count) {
        return count + (count == 1 ? " partition" : " partitions");
    }

    private String user(int id) {
        User user = catalog.user(id);
        return user == null ? Integer.toString(id) : ShownName.of(user.name());
    }

    private String user(Identifier identifier) {
        User user = catalog.user(identifier);
        return user == null ? ShownName.of(identifier) : ShownName.of(user.name());
    }

    private String stream(Identifier identifier) {
        Stream stream = catalog.stream(identifier);
        return stream == null ? ShownName.of(identifier) : ShownName.of(stream.name());
    }

    private String topic(Identifier stream, Identifier topic) {
        Topic known = catalog.topic(stream, topic);
        return "topic " + (known == null ? ShownName.of(topic) : ShownName.of(known.name())) + " of stream "
                + stream(stream);
    }
}
