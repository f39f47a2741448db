package io.galgo.protocol;

import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.GroupRecord;
import io.galgo.protocol.reply.GroupRecords;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.reply.OptionDescriptions;
import io.galgo.protocol.reply.Routing;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.reply.StreamDetails;
import io.galgo.protocol.reply.StreamRecord;
import io.galgo.protocol.reply.StreamRecords;
import io.galgo.protocol.reply.TokenRecords;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.reply.TopicRecords;
import io.galgo.protocol.reply.UserDetails;
import io.galgo.protocol.reply.UserRecords;
import io.galgo.protocol.request.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A kind of body with its decoder: every one that the module has.
public record BodyShape(Class<? extends Body> type, Function<ByteBuffer, ? extends @Nullable Body> decoder) {
    public @Nullable Body decode(ByteBuffer body) {
        return decoder.apply(body);
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }

    public static List<BodyShape> replies() {
        return List.of(
                new BodyShape(MessageHeaders.class, MessageHeaders::decode),
                new BodyShape(LoginReply.class, LoginReply::decode),
                new BodyShape(Stats.class, Stats::decode),
                new BodyShape(ClusterMetadata.class, ClusterMetadata::decode),
                new BodyShape(OptionDescriptions.class, OptionDescriptions::decode),
                new BodyShape(Routing.class, Routing::decode),
                new BodyShape(ClientDetails.class, ClientDetails::decode),
                new BodyShape(ClientRecords.class, ClientRecords::decode),
                new BodyShape(UserDetails.class, UserDetails::decode),
                new BodyShape(UserRecords.class, UserRecords::decode),
                new BodyShape(TokenRecords.class, TokenRecords::decode),
                new BodyShape(TokenSecret.class, TokenSecret::decode),
                new BodyShape(StreamRecord.class, StreamRecord::decode),
                new BodyShape(StreamDetails.class, StreamDetails::decode),
                new BodyShape(StreamRecords.class, StreamRecords::decode),
                new BodyShape(TopicDetails.class, TopicDetails::decode),
                new BodyShape(TopicRecords.class, TopicRecords::decode),
                new BodyShape(GroupRecord.class, GroupRecord::decode),
                new BodyShape(GroupDetails.class, GroupDetails::decode),
                new BodyShape(GroupRecords.class, GroupRecords::decode),
                new BodyShape(GroupAssignment.class, GroupAssignment::decode),
                new BodyShape(SendConfirmations.class, SendConfirmations::decode),
                new BodyShape(StoredOffset.class, StoredOffset::decode));
    }

    /// One for each class of request, with the decoder that [Request#decode] would choose.
    public static List<BodyShape> requests() {
        List<BodyShape> shapes = new ArrayList<>();
        for (CommandCode command : CommandCode.values()) {
            if (command == CommandCode.LEGACY_LOGIN || command == CommandCode.LEGACY_TOKEN_LOGIN) {
                continue;
            }
            shapes.add(new BodyShape(requestType(command), body -> Request.decode(command, body)));
        }
        return shapes;
    }

    public static List<BodyShape> all() {
        List<BodyShape> shapes = new ArrayList<>(requests());
        shapes.addAll(replies());
        return shapes;
    }

    private static Class<? extends Body> requestType(CommandCode command) {
        String wanted = command == CommandCode.LOGIN
                ? "PASSWORD_LOGIN"
                : io.galgo.protocol.request.BodilessRequest.COMMANDS.contains(command)
                        ? "BODILESS_REQUEST"
                        : command.name();
        for (Class<?> type : Request.class.getPermittedSubclasses()) {
            if (type.getSimpleName().replaceAll("(?<!^)([A-Z])", "_$1").equalsIgnoreCase(wanted)) {
                return type.asSubclass(Body.class);
            }
        }
        throw new IllegalStateException("no record for " + command);
    }
}
