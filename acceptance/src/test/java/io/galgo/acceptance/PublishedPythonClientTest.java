package io.galgo.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Dialogue;
import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.PythonEnvironment;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The Python client as it is published, unmodified, runs scenarios of `test/resources/python`.
@ExtendWith(ServerLogs.class)
class PublishedPythonClientTest {
    private static final List<String> SCENARIOS = List.of(
            "connections.py",
            "first_steps.py",
            "messages.py",
            "offsets.py",
            "producers.py",
            "groups.py",
            "users.py",
            "two_clients.py");

    /// Types that no scenario names, each with its reason.
    private static final Map<String, String> NOT_USED = Map.ofEntries(
            Map.entry("HttpConfig", "there is no HTTP API yet"),
            Map.entry("QuicConfig", "there is no QUIC yet"),
            Map.entry("QuicReconnectionConfig", "there is no QUIC yet"),
            Map.entry("WebSocketConfig", "there is no WebSocket yet"),
            Map.entry("WebSocketFramingConfig", "there is no WebSocket yet"),
            Map.entry("WebSocketReconnectionConfig", "there is no WebSocket yet"),
            Map.entry("CacheMetrics", "servers tell none"),
            Map.entry("CacheMetricsKey", "servers tell none"),
            Map.entry("ConsumerGroup", "an answer, checked by its fields"),
            Map.entry("ConsumerGroupDetails", "an answer, checked by its fields"),
            Map.entry("ConsumerGroupMember", "an answer, checked by its fields"),
            Map.entry("OptionSpec", "an answer, checked by its fields"),
            Map.entry("Partition", "an answer, checked by its fields"),
            Map.entry("ReceiveMessage", "an answer, checked by its fields"),
            Map.entry("ReceiveMessageIterator", "an answer, checked by what it yields"),
            Map.entry("SendMessagesConfirmation", "an answer, checked by its fields"),
            Map.entry("SendMessagesResponse", "an answer, checked by its fields"),
            Map.entry("Stats", "an answer, checked by its fields"),
            Map.entry("Stream", "an answer, checked by its fields"),
            Map.entry("StreamDetails", "an answer, checked by its fields"),
            Map.entry("Topic", "an answer, checked by its fields"),
            Map.entry("TopicDetails", "an answer, checked by its fields"),
            Map.entry("UserHeaders", "an answer, checked by its fields"),
            Map.entry("UserInfo", "an answer, checked by its fields"),
            Map.entry("UserInfoDetails", "an answer, checked by its fields"));

    private static final Map<String, String> OUTPUTS = new HashMap<>();

    @TempDir
    static Path folder;

    private static PythonEnvironment python;
    private static ServerProcess server;

    @BeforeAll
    static void startServer() throws Exception {
        python = PythonEnvironment.prepare();
        server = ServerProcess.start(Servers.on(folder.resolve("data")));
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void itLogsInAndManagesStreamsAndTopics() throws Exception {
        run("first_steps.py");
    }

    @Test
    void itSendsAndPollsInEveryWay() throws Exception {
        run("messages.py");
    }

    @Test
    void itStoresReadsAndDeletesConsumerOffsets() throws Exception {
        run("offsets.py");
    }

    @Test
    void twoOfThemWorkAtOnce() throws Exception {
        run("two_clients.py");
    }

    @Test
    void itStreamsPublicDataAndReadsItBackByteForByte() throws Exception {
        String output = run("real_input.py");
        assertThat(output).contains("airports: 3376 records").contains("temperatures: 8759 records");
        output.lines().filter(line -> line.contains(" records, ")).forEach(Figures::tell);
    }

    @Test
    void itConnectsAndLogsInInEveryWay() throws Exception {
        run("connections.py");
    }

    @Test
    void itManagesUsersPasswordsAndPermissions() throws Exception {
        run("users.py");
    }

    @Test
    void itReadsAsAMemberOfAGroup() throws Exception {
        run("groups.py");
    }

    @Test
    void itProducesDirectlyAndInTheBackground() throws Exception {
        run("producers.py");
    }

    @Test
    void itReconnectsAfterARestartAndFindsEverything(@TempDir Path own) throws Exception {
        // A membership that a restart cut off holds its partitions for 1.2 of these, which is half a minute
        // otherwise.
        ServerSettings settings = Servers.on(own.resolve("data")).withVariable("IGGY_HEARTBEAT_INTERVAL", "6 s");
        ServerProcess first = ServerProcess.start(settings);
        try (first;
                Dialogue client = python.start(first.address(), "restart.py", more())) {
            client.await("stop it");
            first.stop();
            try (ServerProcess _ = first.startAgain()) {
                client.say("go on");
                client.mustSucceed();
            }
        }
    }

    @Test
    void everyCallThatTheClientHasSucceedsSomewhere() throws Exception {
        Set<String> missing = new TreeSet<>();
        Set<String> names = new TreeSet<>();
        for (String line : python.run(server.address(), "calls.py").lines().toList()) {
            (line.startsWith("call ") ? missing : names).add(line.substring(line.indexOf(' ') + 1));
        }
        assertThat(missing).as("calls that the client has").hasSizeGreaterThan(50);
        StringBuilder text =
                new StringBuilder(Files.readString(PythonEnvironment.scenarios().resolve("scenario.py")));
        for (String scenario : SCENARIOS) {
            text.append(Files.readString(PythonEnvironment.scenarios().resolve(scenario)));
            run(scenario)
                    .lines()
                    .filter(line -> line.startsWith("calls: "))
                    .flatMap(
                            line -> Stream.of(line.substring("calls: ".length()).split(" ")))
                    .forEach(missing::remove);
        }
        assertThat(missing).as("calls that no scenario makes with success").isEmpty();
        names.removeIf(name -> NOT_USED.containsKey(name)
                || Pattern.compile("\\b" + name + "\\b").matcher(text).find());
        assertThat(names).as("types of the client that no scenario uses").isEmpty();
    }

    /// Runs a scenario, once in the life of this class: some of them could not make their names a second time.
    private static String run(String scenario) throws Exception {
        String output = OUTPUTS.get(scenario);
        if (output == null) {
            output = python.run(server.address(), scenario, more());
            OUTPUTS.put(scenario, output);
        }
        return output;
    }

    private static String[] more() {
        return Target.current().isReference() ? new String[] {"reference"} : new String[0];
    }
}
