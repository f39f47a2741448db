package io.galgo.broker.metadata;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Identifier;
import java.util.function.BiFunction;
import java.util.function.Function;

/// Finds what a command addresses and asks whether its user may: first the target, then the right, so that a user
/// without rights learns of a missing target what everybody learns (spec semantics 2.4).
final class Access {
    private final StreamTable streams;
    private final UserTable users;

    Access(StreamTable streams, UserTable users) {
        this.streams = streams;
        this.users = users;
    }

    /// Whether a user may do something now. False for a user that does not exist.
    ///
    /// @param streamId the addressed stream, or -1 where the right has no stream scope; likewise `topicId`
    boolean isAllowed(int userId, Right right, int streamId, int topicId) {
        User user = users.user(userId);
        return user != null && user.isAllowed(right, streamId, topicId);
    }

    /// Does something to a stream if it is there and the user may.
    Result onStream(Turn turn, Identifier identifier, Right right, Function<Stream, Result> action) {
        Stream stream = streams.stream(identifier);
        if (stream == null) {
            return Result.of(ErrorCode.STREAM_ID_NOT_FOUND);
        }
        if (!isAllowed(turn.userId(), right, stream.id(), -1)) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        return action.apply(stream);
    }

    /// Does something to a topic if it is there and the user may.
    Result onTopic(
            Turn turn,
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
        if (!isAllowed(turn.userId(), right, stream.id(), topic.id())) {
            return Result.of(ErrorCode.UNAUTHORIZED);
        }
        return action.apply(stream, topic);
    }
}
