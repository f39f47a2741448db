package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TopicPermission;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class GrantsTest {
    private static final int STREAM = 3;
    private static final int TOPIC = 5;

    /// The table of spec protocol 9, as it is printed there: right, global, stream and topic flags.
    private static final String TABLE = """
            READ_SERVER     | manage_servers read_servers | |
            READ_USERS      | manage_users read_users | |
            MANAGE_USERS    | manage_users | |
            CREATE_STREAM   | manage_streams | |
            LIST_STREAMS    | manage_streams read_streams | |
            READ_STREAM     | manage_streams read_streams | manage_stream read_stream |
            MANAGE_STREAM   | manage_streams | manage_stream |
            CREATE_TOPIC    | manage_streams manage_topics | manage_stream manage_topics |
            LIST_TOPICS     | manage_streams read_streams manage_topics read_topics \
            | manage_stream read_stream manage_topics read_topics |
            READ_TOPIC      | manage_streams read_streams manage_topics read_topics \
            | manage_stream read_stream manage_topics read_topics | manage_topic read_topic
            MANAGE_TOPIC    | manage_streams manage_topics | manage_stream manage_topics | manage_topic
            POLL_MESSAGES   | poll_messages read_topics manage_topics read_streams manage_streams \
            | poll_messages manage_stream read_stream manage_topics read_topics | poll_messages manage_topic read_topic
            SEND_MESSAGES   | send_messages manage_streams manage_topics \
            | send_messages manage_stream manage_topics | send_messages manage_topic
            """;

    private record Row(Set<String> global, Set<String> stream, Set<String> topic) {}

    private static Map<Right, Row> table() {
        Map<Right, Row> rows = new EnumMap<>(Right.class);
        for (String line : TABLE.lines().toList()) {
            String[] cells = line.split("\\|", -1);
            rows.put(Right.valueOf(cells[0].strip()), new Row(flags(cells[1]), flags(cells[2]), flags(cells[3])));
        }
        return rows;
    }

    private static Set<String> flags(String cell) {
        return Arrays.stream(cell.strip().split(" ", -1))
                .filter(flag -> !flag.isEmpty())
                .collect(Collectors.toSet());
    }

    private static String name(Enum<?> flag) {
        return flag.name().toLowerCase(Locale.ROOT);
    }

    private static Grants global(int flags) {
        return Grants.of(new Permissions(flags, List.of()));
    }

    private static Grants onStream(int flags) {
        return Grants.of(new Permissions(0, List.of(new Permissions.OnStream(STREAM, flags, List.of()))));
    }

    private static Grants onTopic(int flags) {
        return Grants.of(new Permissions(
                0, List.of(new Permissions.OnStream(STREAM, 0, List.of(new Permissions.OnTopic(TOPIC, flags))))));
    }

    @Test
    void everyRightIsInTheTable() {
        assertThat(table().keySet()).isEqualTo(EnumSet.allOf(Right.class));
    }

    @Test
    void eachFlagAloneAllowsExactlyWhatTheTableSays() {
        table().forEach((right, row) -> {
            for (GlobalPermission flag : GlobalPermission.values()) {
                assertThat(global(flag.mask()).allow(right, STREAM, TOPIC))
                        .as("global %s allows %s", flag, right)
                        .isEqualTo(row.global.contains(name(flag)));
            }
            for (StreamPermission flag : StreamPermission.values()) {
                assertThat(onStream(flag.mask()).allow(right, STREAM, TOPIC))
                        .as("stream %s allows %s", flag, right)
                        .isEqualTo(row.stream.contains(name(flag)));
            }
            for (TopicPermission flag : TopicPermission.values()) {
                assertThat(onTopic(flag.mask()).allow(right, STREAM, TOPIC))
                        .as("topic %s allows %s", flag, right)
                        .isEqualTo(row.topic.contains(name(flag)));
            }
        });
    }

    @Test
    void aGrantIsForItsOwnStreamAndTopicOnly() {
        Grants stream = onStream(StreamPermission.MANAGE_STREAM.mask());
        Grants topic = onTopic(TopicPermission.MANAGE_TOPIC.mask());
        for (Right right : Right.values()) {
            assertThat(stream.allow(right, STREAM + 1, TOPIC))
                    .as("%s on another stream", right)
                    .isFalse();
            assertThat(topic.allow(right, STREAM, TOPIC + 1))
                    .as("%s on another topic", right)
                    .isFalse();
            assertThat(topic.allow(right, STREAM + 1, TOPIC))
                    .as("%s on that topic elsewhere", right)
                    .isFalse();
            assertThat(topic.allow(right, TOPIC, STREAM))
                    .as("%s with the ids swapped", right)
                    .isFalse();
        }
    }

    @Test
    void rootMayDoEverythingAndAUserWithoutPermissionsNothing() {
        for (Right right : Right.values()) {
            assertThat(Grants.ALL.allow(right, STREAM, TOPIC))
                    .as("root: %s", right)
                    .isTrue();
            assertThat(Grants.ALL.allow(right, -1, -1)).as("root: %s", right).isTrue();
            assertThat(Grants.NONE.allow(right, STREAM, TOPIC))
                    .as("nobody: %s", right)
                    .isFalse();
        }
        assertThat(Grants.NONE.given()).isNull();
        assertThat(Grants.of(null).allow(Right.LIST_TOPICS, 0, 0)).isFalse();
    }

    @Test
    void anEntryWithoutFlagsTakesNothingAway() {
        Permissions permissions = new Permissions(
                GlobalPermission.SEND_MESSAGES.mask() | GlobalPermission.READ_STREAMS.mask(),
                List.of(new Permissions.OnStream(STREAM, 0, List.of(new Permissions.OnTopic(TOPIC, 0)))));

        assertThat(Grants.of(permissions).allow(Right.SEND_MESSAGES, STREAM, TOPIC))
                .isTrue();
        assertThat(Grants.of(permissions).allow(Right.POLL_MESSAGES, STREAM, TOPIC))
                .isTrue();
    }

    @Test
    void grantsOfAllScopesAddUp() {
        Permissions permissions = new Permissions(
                GlobalPermission.READ_STREAMS.mask(),
                List.of(
                        new Permissions.OnStream(9, StreamPermission.SEND_MESSAGES.mask(), List.of()),
                        new Permissions.OnStream(
                                1,
                                0,
                                List.of(
                                        new Permissions.OnTopic(8, TopicPermission.POLL_MESSAGES.mask()),
                                        new Permissions.OnTopic(2, TopicPermission.SEND_MESSAGES.mask())))));
        Grants grants = Grants.of(permissions);

        assertThat(grants.allow(Right.POLL_MESSAGES, 4, 4)).isTrue();
        assertThat(grants.allow(Right.SEND_MESSAGES, 9, 100)).isTrue();
        assertThat(grants.allow(Right.SEND_MESSAGES, 1, 2)).isTrue();
        assertThat(grants.allow(Right.SEND_MESSAGES, 1, 8)).isFalse();
        assertThat(grants.given()).as("as they were given").isEqualTo(permissions);
    }

    @Test
    void entriesOfOneStreamThatComeTwiceAddUp() {
        Permissions permissions = new Permissions(
                0,
                List.of(
                        new Permissions.OnStream(1, StreamPermission.SEND_MESSAGES.mask(), List.of()),
                        new Permissions.OnStream(1, StreamPermission.READ_TOPICS.mask(), List.of())));

        assertThat(Grants.of(permissions).allow(Right.SEND_MESSAGES, 1, 0)).isTrue();
        assertThat(Grants.of(permissions).allow(Right.LIST_TOPICS, 1, 0)).isTrue();
    }

    @Test
    void idsAboveTheSignedRangeAreIdsLikeOthers() {
        Permissions permissions = new Permissions(
                0,
                List.of(
                        new Permissions.OnStream(-1, 0, List.of(new Permissions.OnTopic(-1, 0b1111))),
                        new Permissions.OnStream(2, 0, List.of(new Permissions.OnTopic(-2, 0b1111)))));

        assertThat(Grants.of(permissions).allow(Right.READ_TOPIC, -1, -1)).isTrue();
        assertThat(Grants.of(permissions).allow(Right.READ_TOPIC, 2, -2)).isTrue();
        assertThat(Grants.of(permissions).allow(Right.READ_TOPIC, 2, 2)).isFalse();
    }
}
