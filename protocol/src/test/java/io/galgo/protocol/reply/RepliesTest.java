package io.galgo.protocol.reply;

import static io.galgo.protocol.Examples.hex;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.Examples;
import io.galgo.protocol.Options;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepliesTest {
    @Test
    void threeFormsOfASuccessfulSendAreUnderstood() {
        assertThat(SendConfirmations.decode(ByteBuffer.allocate(0))).isEqualTo(new SendConfirmations(List.of()));
        assertThat(SendConfirmations.decode(ByteBuffer.allocate(4))).isEqualTo(new SendConfirmations(List.of()));
        assertThat(SendConfirmations.decode(Examples.buffer("reply.send_messages")))
                .isEqualTo(new SendConfirmations(List.of(new SendConfirmation(0, 0, 1, 10))));
    }

    @Test
    void oneConfirmationIsWrittenInPlace() {
        ByteBuffer body = ByteBuffer.allocate(3 + SendConfirmations.ONE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        SendConfirmations.writeOne(body, 3, 0, 0, 1, 10);
        assertThat(hex(body.position(3))).isEqualTo(hex(Examples.buffer("reply.send_messages")));
    }

    @Test
    void aCountThatTheBodyCannotHoldReservesNothing() {
        ByteBuffer body = Examples.buffer("reply.send_messages");
        for (int count : new int[] {2, 1 << 30, Integer.MAX_VALUE, -1}) {
            assertThat(SendConfirmations.decode(body.putInt(0, count)))
                    .as("count %d", count)
                    .isNull();
        }
        ByteBuffer assignment = Examples.buffer("reply.group_assignment");
        for (int count : new int[] {3, 1 << 30, Integer.MAX_VALUE, -1}) {
            assertThat(GroupAssignment.decode(assignment.putInt(8, count)))
                    .as("count %d", count)
                    .isNull();
        }
    }

    @Test
    void aTopicHasAsManyPartitionsAsItSays() {
        TopicRecord topic =
                new TopicRecord(0, 0, 2, 0, CompressionAlgorithm.NONE, 0, 0, 0, "t", Options.NONE, Options.NONE);
        assertThatThrownBy(() -> new TopicDetails(topic, List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThat(TopicDetails.decode(topic.toBuffer())).isNull();
    }

    @Test
    void clientsTakeAnySingleZeroAsNoPermissions() {
        ByteBuffer body = Examples.buffer("reply.user_without_permissions");
        UserDetails expected = UserDetails.decode(body);
        assertThat(expected).isNotNull();
        assertThat(UserDetails.decode(body.limit(body.limit() - 3))).isEqualTo(expected);
    }

    @Test
    void aDefaultOfAnOptionIsAValueOfAKind() {
        ByteBuffer body = ByteBuffer.allocate(400).order(ByteOrder.LITTLE_ENDIAN);
        body.putInt(1).put((byte) 1).put((byte) 'k').put((byte) 12);
        int lengthPosition = body.position();
        assertThat(OptionDescriptions.decode(body.putInt(255).rewind())).isNotNull();
        assertThat(OptionDescriptions.decode(body.putInt(lengthPosition, 256)))
                .as("256 bytes")
                .isNull();
        body.put(lengthPosition - 1, (byte) 0);
        assertThat(OptionDescriptions.decode(body.putInt(lengthPosition, 0)))
                .as("kind 0, no default")
                .isNull();
        assertThat(OptionDescriptions.decode(body.putInt(lengthPosition, 1)))
                .as("kind 0")
                .isNull();
    }

    @Test
    void aTokenStaysOutOfLogs() {
        assertThat(new TokenSecret("s3cret").toString()).doesNotContain("s3cret");
    }
}
