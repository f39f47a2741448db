package io.galgo.protocol.request;

import io.galgo.protocol.Body;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// What a client asks for.
public sealed interface Request extends Body
        permits AttachConsumerSession,
                AwaitMessages,
                BodilessRequest,
                ChangePassword,
                CreateConsumerGroup,
                CreatePartitions,
                CreatePersonalAccessToken,
                CreateStream,
                CreateTopic,
                CreateUser,
                DeleteConsumerGroup,
                DeleteConsumerOffset,
                DeletePartitions,
                DeletePersonalAccessToken,
                DeleteSegments,
                DeleteStream,
                DeleteTopic,
                DeleteUser,
                DescribeOptions,
                FlushUnsavedBuffer,
                GetClient,
                GetConsumerGroup,
                GetConsumerGroups,
                GetConsumerOffset,
                GetConsumerOffsetRouting,
                GetPollRouting,
                GetSnapshot,
                GetStream,
                GetTopic,
                GetTopics,
                GetUser,
                JoinConsumerGroup,
                LeaveConsumerGroup,
                PasswordLogin,
                PollMessages,
                PollMessagesOnPrimary,
                PurgeStream,
                PurgeTopic,
                SendMessages,
                StoreConsumerOffset,
                SyncConsumerGroup,
                TokenLogin,
                UpdatePermissions,
                UpdateStream,
                UpdateTopic,
                UpdateUser {
    /// The command whose body this is.
    CommandCode command();

    /// Decodes the body of any command. A login is a matter of its own: see [LoginPrefix].
    ///
    /// @return null when the body is undecodable, or the command has none that is looked at (the legacy logins)
    static @Nullable Request decode(CommandCode command, ByteBuffer body) {
        return switch (command) {
            case PING,
                    GET_STATS,
                    GET_CLUSTER_METADATA,
                    GET_ME,
                    GET_CLIENTS,
                    GET_USERS,
                    LOGOUT,
                    GET_PERSONAL_ACCESS_TOKENS,
                    GET_STREAMS -> new BodilessRequest(command);
            case LEGACY_LOGIN, LEGACY_TOKEN_LOGIN -> null;
            case LOGIN -> PasswordLogin.decode(body);
            case TOKEN_LOGIN -> TokenLogin.decode(body);
            case AWAIT_MESSAGES -> AwaitMessages.decode(body);
            case ATTACH_CONSUMER_SESSION -> AttachConsumerSession.decode(body);
            case CHANGE_PASSWORD -> ChangePassword.decode(body);
            case CREATE_CONSUMER_GROUP -> CreateConsumerGroup.decode(body);
            case CREATE_PARTITIONS -> CreatePartitions.decode(body);
            case CREATE_PERSONAL_ACCESS_TOKEN -> CreatePersonalAccessToken.decode(body);
            case CREATE_STREAM -> CreateStream.decode(body);
            case CREATE_TOPIC -> CreateTopic.decode(body);
            case CREATE_USER -> CreateUser.decode(body);
            case DELETE_CONSUMER_GROUP -> DeleteConsumerGroup.decode(body);
            case DELETE_CONSUMER_OFFSET -> DeleteConsumerOffset.decode(body);
            case DELETE_PARTITIONS -> DeletePartitions.decode(body);
            case DELETE_PERSONAL_ACCESS_TOKEN -> DeletePersonalAccessToken.decode(body);
            case DELETE_SEGMENTS -> DeleteSegments.decode(body);
            case DELETE_STREAM -> DeleteStream.decode(body);
            case DELETE_TOPIC -> DeleteTopic.decode(body);
            case DELETE_USER -> DeleteUser.decode(body);
            case DESCRIBE_OPTIONS -> DescribeOptions.decode(body);
            case FLUSH_UNSAVED_BUFFER -> FlushUnsavedBuffer.decode(body);
            case GET_CLIENT -> GetClient.decode(body);
            case GET_CONSUMER_GROUP -> GetConsumerGroup.decode(body);
            case GET_CONSUMER_GROUPS -> GetConsumerGroups.decode(body);
            case GET_CONSUMER_OFFSET -> GetConsumerOffset.decode(body);
            case GET_CONSUMER_OFFSET_ROUTING -> GetConsumerOffsetRouting.decode(body);
            case GET_POLL_ROUTING -> GetPollRouting.decode(body);
            case GET_SNAPSHOT -> GetSnapshot.decode(body);
            case GET_STREAM -> GetStream.decode(body);
            case GET_TOPIC -> GetTopic.decode(body);
            case GET_TOPICS -> GetTopics.decode(body);
            case GET_USER -> GetUser.decode(body);
            case JOIN_CONSUMER_GROUP -> JoinConsumerGroup.decode(body);
            case LEAVE_CONSUMER_GROUP -> LeaveConsumerGroup.decode(body);
            case POLL_MESSAGES -> PollMessages.decode(body);
            case POLL_MESSAGES_ON_PRIMARY -> PollMessagesOnPrimary.decode(body);
            case PURGE_STREAM -> PurgeStream.decode(body);
            case PURGE_TOPIC -> PurgeTopic.decode(body);
            case SEND_MESSAGES -> SendMessages.decode(body);
            case STORE_CONSUMER_OFFSET -> StoreConsumerOffset.decode(body);
            case SYNC_CONSUMER_GROUP -> SyncConsumerGroup.decode(body);
            case UPDATE_PERMISSIONS -> UpdatePermissions.decode(body);
            case UPDATE_STREAM -> UpdateStream.decode(body);
            case UPDATE_TOPIC -> UpdateTopic.decode(body);
            case UPDATE_USER -> UpdateUser.decode(body);
        };
    }
}
