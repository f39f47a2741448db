package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.shard.Scene.Missing;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TopicPermission;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every command with every single permission, about what is there and about what is missing (spec semantics 16.2,
/// protocol 8 and 9).
///
/// The table below is the specification's, written down apart from the code that it judges.
class PermissionMatrixTest {
    private static final Map<String, String> FLAGS = Map.of(
            "servers", "G.manage_servers G.read_servers",
            "users", "G.manage_users",
            "any users", "G.manage_users G.read_users",
            "list",
                    "G.manage_streams G.read_streams G.manage_topics G.read_topics"
                            + " S.manage_stream S.read_stream S.manage_topics S.read_topics",
            "make", "G.manage_streams G.manage_topics S.manage_stream S.manage_topics",
            "all", "");

    /// Command; who may; the answer about what is there to one who may; then for each part that can be missing the
    /// answer to everybody, or to one who may not and to one who may.
    private static final String TABLE = """
        ping                           ; all                                           ; ok empty
        stats                          ; {servers}                                     ; ok
        snapshot                       ; {servers}                                     ; ok
        cluster.metadata               ; all                                           ; ok
        options.describe               ; all                                           ; ok
        consumer_session.attach        ; all                      ; ok empty   ; CLIENT deny 30
        me                             ; all                                           ; ok
        client.get                     ; {servers}                ; ok         ; CLIENT deny 41 / ok empty
        client.list                    ; {servers}                                     ; ok
        user.get                       ; {any users}              ; ok         ; USER ok empty
        user.list                      ; {any users}                                   ; ok
        user.create                    ; {users}                                       ; ok
        user.delete                    ; {users}                  ; ok         ; USER reject 41 / reject 20
        user.update                    ; {users}                  ; ok         ; USER reject 41 / reject 20
        user.permissions               ; {users}                  ; ok         ; USER reject 41 / reject 20
        user.password                  ; {users}                  ; ok         ; USER reject 20
        personal_access_token.list     ; all                                           ; ok
        personal_access_token.create   ; all                                           ; ok
        personal_access_token.delete   ; all                      ; ok         ; TOKEN reject 20
        message.poll                   ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        message.send                   ; {send}                   ; ok         ; STREAM deny 20 ; TOPIC deny 20
        message.flush_unsaved_buffer   ; all                      ; deny 5     ; STREAM deny 5 ; TOPIC deny 5
        message.poll_routing           ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        message.poll_primary           ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        message.await                  ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        consumer_offset.get            ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        consumer_offset.store          ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        consumer_offset.delete         ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        consumer_offset.routing        ; {poll}                   ; ok         ; STREAM deny 1009 ; TOPIC deny 2010
        stream.get   ; G.manage_streams G.read_streams S.manage_stream S.read_stream ; ok ; STREAM ok empty
        stream.list                    ; G.manage_streams G.read_streams               ; ok
        stream.create                  ; G.manage_streams                              ; ok
        stream.delete                  ; G.manage_streams S.manage_stream ; ok ; STREAM reject 1009
        stream.update                  ; G.manage_streams S.manage_stream ; ok ; STREAM reject 1009
        stream.purge                   ; G.manage_streams S.manage_stream ; ok ; STREAM reject 1009
        topic.get                      ; {read}                   ; ok         ; STREAM ok empty ; TOPIC ok empty
        topic.list                     ; {list}                   ; ok         ; STREAM ok
        topic.create                   ; {make}                   ; ok         ; STREAM reject 1009
        topic.delete                   ; {manage}                 ; ok  ; STREAM reject 1009 ; TOPIC reject 2010
        topic.update                   ; {manage}                 ; ok  ; STREAM reject 1009 ; TOPIC reject 2010
        topic.purge                    ; {manage}                 ; ok  ; STREAM reject 1009 ; TOPIC reject 2010
        partition.create               ; {manage}                 ; ok  ; STREAM reject 1009 ; TOPIC reject 2010
        partition.delete               ; {manage}                 ; ok  ; STREAM reject 1009 ; TOPIC reject 2010
        segment.delete                 ; {manage}                 ; ok  ; STREAM reject 1009 ; TOPIC reject 2010
        consumer_group.get    ; {read} ; ok          ; STREAM deny 1009 ; TOPIC deny 2010
        consumer_group.list   ; {read} ; ok          ; STREAM deny 1009 ; TOPIC deny 2010
        consumer_group.create ; {read} ; ok          ; STREAM reject 1009 ; TOPIC reject 2010
        consumer_group.delete ; {read} ; ok          ; STREAM reject 1009 ; TOPIC reject 2010 \
        ; GROUP reject 41 / reject 5000
        consumer_group.join   ; {read} ; ok          ; STREAM reject 1009 ; TOPIC reject 2010 \
        ; GROUP reject 41 / reject 5000
        consumer_group.leave  ; {read} ; reject 5006 ; STREAM reject 1009 ; TOPIC reject 2010 \
        ; GROUP reject 41 / reject 5000
        consumer_group.sync   ; all    ; ok empty    ; STREAM ok empty ; TOPIC ok empty ; GROUP ok empty
        """;

    /// @param refused the answer to one who may not
    /// @param allowed the answer to one who may
    private record Outcomes(String refused, String allowed) {}

    /// @param flags any of which is enough; empty when none is needed
    private record Row(Set<String> flags, Map<Missing, Outcomes> outcomes) {
        boolean isFree() {
            return flags.isEmpty();
        }
    }

    /// @param flags as the table names them, those on other streams and topics left out
    private record Grant(String text, Permissions permissions, Set<String> flags) {
        boolean allows(Row row) {
            return row.isFree() || row.flags().stream().anyMatch(flags::contains);
        }
    }

    private static Row row(CommandCode command) {
        String line = TABLE.lines()
                .filter(text -> text.split(";", -1)[0].strip().equals(command.label()))
                .findAny()
                .orElseThrow(() -> new AssertionError("the table has no row for " + command.label()));
        String[] cells = line.split(";", -1);
        Set<String> flags = new TreeSet<>(List.of(expanded(cells[1].strip()).split(" ", -1)));
        flags.remove("");
        Map<Missing, Outcomes> outcomes = new EnumMap<>(Missing.class);
        String there = cells[2].strip();
        outcomes.put(Missing.NOTHING, new Outcomes(flags.isEmpty() ? there : Scene.refusal(command), there));
        for (int i = 3; i < cells.length; i++) {
            String[] words = cells[i].strip().split(" ", 2);
            String[] answers = words[1].split(" / ", -1);
            outcomes.put(Missing.valueOf(words[0]), new Outcomes(answers[0], answers[answers.length - 1]));
        }
        return new Row(flags, outcomes);
    }

    private static String expanded(String flags) {
        String list = Objects.requireNonNull(FLAGS.get("list"));
        String make = Objects.requireNonNull(FLAGS.get("make"));
        return switch (flags) {
            case "{read}" -> list + " T.manage_topic T.read_topic";
            case "{manage}" -> make + " T.manage_topic";
            case "{poll}" -> list + " G.poll_messages S.poll_messages T.manage_topic T.read_topic T.poll_messages";
            case "{send}" -> make + " G.send_messages S.send_messages T.manage_topic T.send_messages";
            default -> {
                String set = FLAGS.get(flags.replaceAll("[{}]", ""));
                yield set == null ? flags : set;
            }
        };
    }

    /// Each single flag on each scope, nothing at all, and for a row everything but what it asks for.
    private static List<Grant> grants(Row row) {
        List<Grant> grants = new ArrayList<>();
        grants.add(new Grant("nothing", new Permissions(0, List.of()), Set.of()));
        for (GlobalPermission flag : GlobalPermission.values()) {
            grants.add(new Grant(name(flag), new Permissions(flag.mask(), List.of()), Set.of(name(flag))));
        }
        for (StreamPermission flag : StreamPermission.values()) {
            grants.add(new Grant(name(flag), onStream(0, flag.mask()), Set.of(name(flag))));
            grants.add(new Grant(name(flag) + " elsewhere", onStream(Scene.OTHER, flag.mask()), Set.of()));
        }
        for (TopicPermission flag : TopicPermission.values()) {
            grants.add(new Grant(name(flag), onTopic(0, 0, flag.mask()), Set.of(name(flag))));
            grants.add(new Grant(name(flag) + " on another topic", onTopic(0, 1, flag.mask()), Set.of()));
            grants.add(new Grant(name(flag) + " elsewhere", onTopic(Scene.OTHER, 0, flag.mask()), Set.of()));
        }
        grants.add(allBut(row));
        grants.add(new Grant(
                "all global ones beside an empty entry for the stream",
                new Permissions(
                        GlobalPermission.ALL,
                        List.of(new Permissions.OnStream(0, 0, List.of(new Permissions.OnTopic(0, 0))))),
                row.flags()));
        return grants;
    }

    private static Grant allBut(Row row) {
        int global = 0;
        int stream = 0;
        int topic = 0;
        for (GlobalPermission flag : GlobalPermission.values()) {
            global |= row.flags().contains(name(flag)) ? 0 : flag.mask();
        }
        for (StreamPermission flag : StreamPermission.values()) {
            stream |= row.flags().contains(name(flag)) ? 0 : flag.mask();
        }
        for (TopicPermission flag : TopicPermission.values()) {
            topic |= row.flags().contains(name(flag)) ? 0 : flag.mask();
        }
        return new Grant(
                "all but what it takes",
                new Permissions(
                        global,
                        List.of(new Permissions.OnStream(0, stream, List.of(new Permissions.OnTopic(0, topic))))),
                Set.of());
    }

    private static Permissions onStream(int streamId, int flags) {
        return new Permissions(0, List.of(new Permissions.OnStream(streamId, flags, List.of())));
    }

    private static Permissions onTopic(int streamId, int topicId, int flags) {
        return new Permissions(
                0, List.of(new Permissions.OnStream(streamId, 0, List.of(new Permissions.OnTopic(topicId, flags)))));
    }

    private static String name(GlobalPermission flag) {
        return "G." + flag.name().toLowerCase(Locale.ROOT);
    }

    private static String name(StreamPermission flag) {
        return "S." + flag.name().toLowerCase(Locale.ROOT);
    }

    private static String name(TopicPermission flag) {
        return "T." + flag.name().toLowerCase(Locale.ROOT);
    }

    static Set<CommandCode> commands() {
        return Scene.commands();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aCommandIsCarriedOutForThoseWhoMayAndForNobodyElse(CommandCode command) {
        Row row = row(command);
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> found = new LinkedHashMap<>();
        Scene scene = new Scene();
        for (Grant grant : grants(row)) {
            for (Map.Entry<Missing, Outcomes> entry : row.outcomes().entrySet()) {
                Outcomes outcomes = entry.getValue();
                String name = "with " + grant.text() + ", missing " + entry.getKey();
                expected.put(name, grant.allows(row) ? outcomes.allowed() : outcomes.refused());
                scene.grant(grant.permissions());
                Request request = scene.request(command, entry.getKey());
                String outcome = Scene.outcome(scene.alice.ask(request));
                found.put(name, outcome);
                if (outcome.equals("ok") && command.operation() != Operation.NON_REPLICATED) {
                    // It changed something: the next one shall find everything in its place.
                    scene = new Scene();
                }
            }
        }
        assertThat(found).as("%s", command.label()).isEqualTo(expected);
        assertThat(found).hasSizeGreaterThan(30);
    }

    // Several scopes at once

    /// Which of the three topics alice may use with a command, as "stream/topic".
    private static List<String> allowed(Scene scene, CommandCode command) {
        List<String> allowed = new ArrayList<>();
        for (String place : List.of("0/0", "0/1", Scene.OTHER + "/0")) {
            Identifier stream = Identifier.of(Integer.parseInt(place.substring(0, 1)));
            Identifier topic = Identifier.of(Integer.parseInt(place.substring(2)));
            Request request = command == CommandCode.SEND_MESSAGES
                    ? TestClient.send(stream, topic, Partitioning.partition(0), Batches.of("x"))
                    : new PollMessages(
                            TestClient.CONSUMER,
                            stream,
                            topic,
                            OptionalPartition.of(0),
                            PollingStrategy.FIRST,
                            1,
                            false);
            String outcome = scene.alice.ask(request).outcome();
            assertThat(outcome).as("%s %s", command, place).isIn("ok", "deny 41");
            if (outcome.equals("ok")) {
                allowed.add(place);
            }
        }
        return allowed;
    }

    @Test
    void aStreamsEntryWithoutTheRightToSendTakesTheGlobalOneNotAway() {
        Scene scene = new Scene();
        scene.grant(new Permissions(
                GlobalPermission.SEND_MESSAGES.mask(), List.of(new Permissions.OnStream(0, 0, List.of()))));

        assertThat(allowed(scene, CommandCode.SEND_MESSAGES)).containsExactly("0/0", "0/1", "1/0");
        assertThat(allowed(scene, CommandCode.POLL_MESSAGES)).isEmpty();
    }

    @Test
    void oneWhoReadsAllStreamsAndSendsToOneDoesJustThat() {
        Scene scene = new Scene();
        scene.grant(new Permissions(
                GlobalPermission.READ_STREAMS.mask(),
                List.of(new Permissions.OnStream(0, StreamPermission.SEND_MESSAGES.mask(), List.of()))));

        assertThat(allowed(scene, CommandCode.POLL_MESSAGES)).containsExactly("0/0", "0/1", "1/0");
        assertThat(allowed(scene, CommandCode.SEND_MESSAGES)).containsExactly("0/0", "0/1");
    }

    @Test
    void oneWhoReadsAStreamAndSendsToOneOfItsTopicsDoesJustThat() {
        Scene scene = new Scene();
        scene.grant(new Permissions(
                0,
                List.of(new Permissions.OnStream(
                        0,
                        StreamPermission.READ_STREAM.mask(),
                        List.of(new Permissions.OnTopic(1, TopicPermission.SEND_MESSAGES.mask()))))));

        assertThat(allowed(scene, CommandCode.POLL_MESSAGES)).containsExactly("0/0", "0/1");
        assertThat(allowed(scene, CommandCode.SEND_MESSAGES)).containsExactly("0/1");
    }

    static List<CommandCode> restrictedCommands() {
        return Scene.commands().stream()
                .filter(command -> !row(command).isFree())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("restrictedCommands")
    void whatCannotBeCarriedOutForNowIsRefusedAsEverToThoseWhoMayNot(CommandCode command) {
        Scene scene = new Scene(2, new Permissions(0, List.of()));
        scene.node.stop();
        scene.node.disk.failAll(
                MemoryDisk.Operation.OPEN, DiskFault.Kind.TOO_MANY_FILES, "topics/0/partitions/0/superblock");
        scene.node.restart();
        TestClient root = scene.node.root(0);
        TestClient alice = scene.loginAlice();
        scene.node.passwords.capacity(0);
        assertThat(root.ask(scene.there(CommandCode.DELETE_SEGMENTS)).outcome())
                .as("the partition is not open")
                .isEqualTo("reject 58");
        assertThat(root.ask(scene.there(CommandCode.CREATE_USER)).outcome())
                .as("no password can be hashed")
                .isEqualTo("reject 58");
        assertThat(alice.ask(scene.there(command)).outcome())
                .as("%s", command.label())
                .isEqualTo(Scene.refusal(command));
    }

    @Test
    void theTableNamesOnlyFlagsAndCommandsThatExist() {
        Set<String> known = new TreeSet<>();
        for (Grant grant : grants(row(CommandCode.PING))) {
            known.addAll(grant.flags());
        }
        assertThat(known).hasSize(10 + 6 + 4);
        for (CommandCode command : Scene.commands()) {
            assertThat(known).as("%s", command.label()).containsAll(row(command).flags());
        }
        long rows = TABLE.lines().count();
        assertThat(rows).as("rows").isEqualTo(51);
    }
}
