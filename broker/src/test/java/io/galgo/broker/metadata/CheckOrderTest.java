package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.TypedValue;
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
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Which of several problems a command reports. Each ladder begins with a request that has all of them and takes
/// away the one that was reported.
class CheckOrderTest {
    private static final Identifier GOOD = Identifier.of(0);
    private static final Identifier MISSING = Identifier.of(77);
    private static final Options UNKNOWN = new Options(List.of(new Options.Entry("x", TypedValue.bool(true))));
    private static final Options SMALL = size(1);
    private static final Options BAD_VALUE =
            new Options(List.of(new Options.Entry("message_expiry", TypedValue.string("soon"))));

    private final Metadata metadata = new Metadata();
    private final Metadata.Login root = metadata.loginRoot();

    /// A session of a user who does not exist, which is as good as one without any right.
    private final Metadata.Login nobody = strip();

    private Metadata.Login strip() {
        Metadata.Login login = metadata.login(2, User.ROOT_ID);
        return metadata.new Login(login.client, 99, login.session);
    }

    @BeforeEach
    void makeTwoOfEach() {
        root.succeed(new CreateStream("s", Options.NONE));
        root.succeed(new CreateStream("s2", Options.NONE));
        root.succeed(new CreateTopic(GOOD, 2, "t", Options.NONE));
        root.succeed(new CreateTopic(GOOD, 2, "t2", Options.NONE));
    }

    private void ladder(Object... steps) {
        for (int i = 0; i < steps.length; i += 3) {
            Metadata.Login login = (Metadata.Login) steps[i];
            Request request = (Request) steps[i + 1];
            assertThat(login.error(request))
                    .as("step %d, %s", i / 3 + 1, request)
                    .isEqualTo(steps[i + 2].equals(OK) ? null : steps[i + 2]);
        }
    }

    private static final Object OK = "success";

    @Test
    void createStream() {
        ladder(
                nobody,
                new CreateStream("s", UNKNOWN),
                ErrorCode.UNSUPPORTED_OPTION_KEY,
                nobody,
                new CreateStream("s", Options.NONE),
                ErrorCode.UNAUTHORIZED,
                root,
                new CreateStream("s", Options.NONE),
                ErrorCode.STREAM_NAME_ALREADY_EXISTS,
                root,
                new CreateStream("s3", Options.NONE),
                OK);
    }

    @Test
    void updateStream() {
        ladder(
                nobody,
                new UpdateStream(MISSING, "s2", UNKNOWN),
                ErrorCode.UNSUPPORTED_OPTION_KEY,
                nobody,
                new UpdateStream(MISSING, "s2", Options.NONE),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new UpdateStream(GOOD, "s2", Options.NONE),
                ErrorCode.UNAUTHORIZED,
                root,
                new UpdateStream(GOOD, "s2", Options.NONE),
                ErrorCode.STREAM_NAME_ALREADY_EXISTS,
                root,
                new UpdateStream(GOOD, "s3", Options.NONE),
                OK);
    }

    @Test
    void deleteAndPurgeStream() {
        ladder(
                nobody,
                new PurgeStream(MISSING),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new PurgeStream(GOOD),
                ErrorCode.UNAUTHORIZED,
                root,
                new PurgeStream(GOOD),
                OK,
                nobody,
                new DeleteStream(MISSING),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new DeleteStream(GOOD),
                ErrorCode.UNAUTHORIZED,
                root,
                new DeleteStream(GOOD),
                OK);
    }

    @Test
    void createTopic() {
        ladder(
                nobody,
                new CreateTopic(MISSING, 1_001, "t", UNKNOWN),
                ErrorCode.UNSUPPORTED_OPTION_KEY,
                nobody,
                new CreateTopic(MISSING, 1_001, "t", BAD_VALUE),
                ErrorCode.INVALID_OPTION_VALUE,
                nobody,
                new CreateTopic(MISSING, 1_001, "t", SMALL),
                ErrorCode.TOO_MANY_PARTITIONS,
                nobody,
                new CreateTopic(MISSING, 1, "t", SMALL),
                ErrorCode.INVALID_TOPIC_SIZE,
                nobody,
                new CreateTopic(MISSING, 1, "t", Options.NONE),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new CreateTopic(GOOD, 1, "t", Options.NONE),
                ErrorCode.UNAUTHORIZED,
                root,
                new CreateTopic(GOOD, 1, "t", Options.NONE),
                ErrorCode.TOPIC_NAME_ALREADY_EXISTS,
                root,
                new CreateTopic(GOOD, 1, "t3", Options.NONE),
                OK);
    }

    @Test
    void updateTopic() {
        ladder(
                nobody,
                new UpdateTopic(MISSING, MISSING, "t2", UNKNOWN),
                ErrorCode.UNSUPPORTED_OPTION_KEY,
                nobody,
                new UpdateTopic(MISSING, MISSING, "t2", BAD_VALUE),
                ErrorCode.INVALID_OPTION_VALUE,
                nobody,
                new UpdateTopic(GOOD, GOOD, "t2", SMALL),
                ErrorCode.INVALID_TOPIC_SIZE,
                nobody,
                new UpdateTopic(MISSING, MISSING, "t2", Options.NONE),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new UpdateTopic(GOOD, MISSING, "t2", Options.NONE),
                ErrorCode.TOPIC_ID_NOT_FOUND,
                nobody,
                new UpdateTopic(GOOD, GOOD, "t2", Options.NONE),
                ErrorCode.UNAUTHORIZED,
                root,
                new UpdateTopic(GOOD, GOOD, "t2", Options.NONE),
                ErrorCode.TOPIC_NAME_ALREADY_EXISTS,
                root,
                new UpdateTopic(GOOD, GOOD, "t3", Options.NONE),
                OK);
    }

    @Test
    void theSizeForAMissingTopicIsHeldAgainstTheDefaultSegment() {
        long defaultBytes = 1_073_741_824;

        assertThat(root.error(new UpdateTopic(GOOD, MISSING, "t", size(defaultBytes - 1))))
                .isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
        assertThat(root.error(new UpdateTopic(MISSING, GOOD, "t", size(1)))).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
        assertThat(root.error(new UpdateTopic(GOOD, MISSING, "t", size(defaultBytes))))
                .isEqualTo(ErrorCode.TOPIC_ID_NOT_FOUND);
        assertThat(root.error(new UpdateTopic(MISSING, GOOD, "t", size(defaultBytes))))
                .isEqualTo(ErrorCode.STREAM_ID_NOT_FOUND);
    }

    private static Options size(long bytes) {
        return new Options(List.of(new Options.Entry("max_topic_size", TypedValue.uint64(bytes))));
    }

    @Test
    void deleteAndPurgeTopic() {
        ladder(
                nobody,
                new PurgeTopic(MISSING, MISSING),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new PurgeTopic(GOOD, MISSING),
                ErrorCode.TOPIC_ID_NOT_FOUND,
                nobody,
                new PurgeTopic(GOOD, GOOD),
                ErrorCode.UNAUTHORIZED,
                root,
                new PurgeTopic(GOOD, GOOD),
                OK,
                nobody,
                new DeleteTopic(MISSING, MISSING),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new DeleteTopic(GOOD, MISSING),
                ErrorCode.TOPIC_ID_NOT_FOUND,
                nobody,
                new DeleteTopic(GOOD, GOOD),
                ErrorCode.UNAUTHORIZED,
                root,
                new DeleteTopic(GOOD, GOOD),
                OK);
    }

    @Test
    void createPartitions() {
        ladder(
                nobody,
                new CreatePartitions(MISSING, MISSING, 0),
                ErrorCode.TOO_MANY_PARTITIONS,
                nobody,
                new CreatePartitions(MISSING, MISSING, 1),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new CreatePartitions(GOOD, MISSING, 1),
                ErrorCode.TOPIC_ID_NOT_FOUND,
                nobody,
                new CreatePartitions(GOOD, GOOD, 1),
                ErrorCode.UNAUTHORIZED,
                root,
                new CreatePartitions(GOOD, GOOD, 1),
                OK);
    }

    @Test
    void deletePartitions() {
        ladder(
                nobody,
                new DeletePartitions(MISSING, MISSING, 1_001),
                ErrorCode.TOO_MANY_PARTITIONS,
                nobody,
                new DeletePartitions(MISSING, MISSING, 3),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new DeletePartitions(GOOD, MISSING, 3),
                ErrorCode.TOPIC_ID_NOT_FOUND,
                nobody,
                new DeletePartitions(GOOD, GOOD, 3),
                ErrorCode.UNAUTHORIZED,
                root,
                new DeletePartitions(GOOD, GOOD, 3),
                ErrorCode.INVALID_PARTITIONS_COUNT,
                root,
                new DeletePartitions(GOOD, GOOD, 2),
                OK);
    }

    @Test
    void deleteSegments() {
        ladder(
                nobody,
                new DeleteSegments(MISSING, MISSING, 9, 1),
                ErrorCode.STREAM_ID_NOT_FOUND,
                nobody,
                new DeleteSegments(GOOD, MISSING, 9, 1),
                ErrorCode.TOPIC_ID_NOT_FOUND,
                nobody,
                new DeleteSegments(GOOD, GOOD, 9, 1),
                ErrorCode.UNAUTHORIZED,
                root,
                new DeleteSegments(GOOD, GOOD, 9, 1),
                ErrorCode.PARTITION_NOT_FOUND,
                root,
                new DeleteSegments(GOOD, GOOD, -1, 1),
                ErrorCode.PARTITION_NOT_FOUND,
                root,
                new DeleteSegments(GOOD, GOOD, 1, 0),
                OK);
    }

    @Test
    void undecodableBodiesAreDeniedBeforeTheLog() {
        for (Operation operation : Operation.values()) {
            if (operation.isMetadata()) {
                ByteBuffer broken = ByteBuffer.wrap(new byte[] {3}).order(ByteOrder.LITTLE_ENDIAN);
                assertThat(metadata.catalog.check(operation, broken))
                        .as("%s with a body of one byte", operation)
                        .isEqualTo(ErrorCode.INVALID_COMMAND);
            }
        }
    }

    @Test
    void operationsThatNoClientMaySendAreDenied() {
        for (Operation operation : Operation.values()) {
            if (operation.isInternal()) {
                assertThat(metadata.catalog.check(operation, ByteBuffer.allocate(64)))
                        .as("%s", operation)
                        .isEqualTo(ErrorCode.INVALID_COMMAND);
            }
        }
    }

    @Test
    void theChecksComeAgainInTheLog() {
        assertThat(reject(new CreateStream("n", UNKNOWN))).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        assertThat(reject(new UpdateStream(GOOD, "n", UNKNOWN))).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        assertThat(reject(new CreateTopic(GOOD, 1_001, "n", Options.NONE)))
                .isEqualTo(ErrorCode.INVALID_PARTITIONS_COUNT);
        assertThat(reject(new CreateTopic(GOOD, 1, "n", UNKNOWN))).isEqualTo(ErrorCode.UNSUPPORTED_OPTION_KEY);
        assertThat(reject(new CreateTopic(GOOD, 1, "n", BAD_VALUE))).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
        assertThat(reject(new UpdateTopic(GOOD, GOOD, "n", BAD_VALUE))).isEqualTo(ErrorCode.INVALID_OPTION_VALUE);
        assertThat(reject(new UpdateTopic(GOOD, GOOD, "n", SMALL))).isEqualTo(ErrorCode.INVALID_TOPIC_SIZE);
        assertThat(reject(new CreatePartitions(GOOD, GOOD, 0))).isEqualTo(ErrorCode.INVALID_PARTITIONS_COUNT);
        assertThat(reject(new DeletePartitions(GOOD, GOOD, 0))).isEqualTo(ErrorCode.INVALID_PARTITIONS_COUNT);
        assertThat(metadata.catalog.streamsCount()).isEqualTo(2);
        assertThat(metadata.catalog.topicsCount()).isEqualTo(2);
    }

    private ErrorCode reject(Request request) {
        ErrorCode error = root.commit(request, ++root.request, 0).reply().error();
        assertThat(error).as("%s", request).isNotNull();
        return java.util.Objects.requireNonNull(error);
    }
}
