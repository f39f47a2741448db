package io.galgo.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Dialogue;
import io.galgo.acceptance.harness.RustScenarios;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The Rust client as it is published, unmodified, runs the scenarios of `test/rust`, one area a test.
@ExtendWith(ServerLogs.class)
class PublishedRustClientTest {
    /// Calls that no scenario makes, each with its reason.
    private static final Map<String, String> NOT_CALLED = Map.of(
            "IggyClient::send_http_request", "there is no HTTP API yet",
            "IggyClientBuilder::with_client", "the same as IggyClient::new, which is called",
            "IggyClientBuilder::with_quic", "there is no QUIC yet",
            "IggyClientBuilder::with_http", "there is no HTTP API yet",
            "IggyClientBuilder::with_websocket", "there is no WebSocket yet");

    private static final Pattern TRAIT_CALL = Pattern.compile("(?m)^    async fn (\\w+)");
    private static final Pattern CALL = Pattern.compile("(?m)^    pub (?:async )?fn (\\w+)");
    private static final Pattern OWNER = Pattern.compile("(?m)^impl(?:<[^>]*>)? (\\w+) \\{$");

    @TempDir
    static Path folder;

    private static RustScenarios scenarios;
    private static ServerProcess server;

    @BeforeAll
    static void startServer() throws Exception {
        scenarios = RustScenarios.build();
        server = ServerProcess.start(Servers.on(folder.resolve("data")));
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void itAsksWhatTheServerTellsAboutItselfAndItsClients() throws Exception {
        run("system");
    }

    @Test
    void itManagesStreamsTopicsAndPartitions() throws Exception {
        run("catalog");
    }

    @Test
    void itSendsAndPollsInEveryWay() throws Exception {
        run("messages");
    }

    @Test
    void itStoresReadsAndDeletesConsumerOffsets() throws Exception {
        run("offsets");
    }

    @Test
    void itProducesDirectlyAndInTheBackground() throws Exception {
        run("producer");
    }

    @Test
    void itConsumesAndCommitsInEveryWay() throws Exception {
        run("consumer");
    }

    @Test
    void itManagesConsumerGroupsAndReadsAsAMember() throws Exception {
        run("groups");
    }

    @Test
    void itConsumesAsAMemberOfAGroup() throws Exception {
        run("group_consumer");
    }

    @Test
    void itBuildsProducersAndConsumersFromOneDescription() throws Exception {
        run("stream_builder");
    }

    @Test
    void itManagesUsersPasswordsAndPermissions() throws Exception {
        run("users");
    }

    @Test
    void itMakesListsAndUsesTokens() throws Exception {
        run("tokens");
    }

    @Test
    void itDeletesSegments() throws Exception {
        run("segments");
    }

    @Test
    void itTakesSnapshots() throws Exception {
        run("snapshot");
    }

    @Test
    void itSendsCommandsByNumber() throws Exception {
        run("raw");
    }

    @Test
    void itReconnectsAfterARestartAndFindsEverything(@TempDir Path own) throws Exception {
        // A membership that a restart cut off holds its partitions for 1.2 of these, which is half a minute
        // otherwise.
        ServerSettings settings = Servers.on(own.resolve("data")).withVariable("IGGY_HEARTBEAT_INTERVAL", "6 s");
        ServerProcess first = ServerProcess.start(settings);
        try (first;
                Dialogue client = scenarios.start(first.address(), "restart", more())) {
            client.await("stop it");
            first.stop();
            try (ServerProcess _ = first.startAgain()) {
                client.say("go on");
                client.mustSucceed();
            }
        }
    }

    /// What is called is read from the scenarios; the compiler has seen to it that none of them is dead code.
    @Test
    void everyCallThatTheClientHasIsMade() throws Exception {
        String text = scenarioText();
        Map<String, String> calls = calls();
        assertThat(calls).as("calls that the client has").hasSizeGreaterThan(140);
        List<String> missing = new ArrayList<>();
        TreeSet<String> excused = new TreeSet<>(NOT_CALLED.keySet());
        calls.forEach((call, name) -> {
            boolean isMade = Pattern.compile("(?:\\.|::)" + name + "(?:::<.*>)?\\(")
                    .matcher(text)
                    .find();
            if (!isMade && !excused.remove(call)) {
                missing.add(call);
            }
        });
        assertThat(missing).as("calls that no scenario makes").isEmpty();
        assertThat(excused).as("excused calls that are made, or are none").isEmpty();
    }

    private static String scenarioText() throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(RustScenarios.sources().resolve("src"))) {
            for (Path file : files.sorted().toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    /// The client's public calls, "owner::name" to the name alone, from the sources of its crates.
    private static Map<String, String> calls() throws Exception {
        Map<String, String> calls = new TreeMap<>();
        Path traits = scenarios.crate("iggy_common").resolve("traits");
        try (Stream<Path> files = Files.list(traits)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.equals("client.rs") || name.endsWith("_client.rs")) {
                    TRAIT_CALL
                            .matcher(Files.readString(file))
                            .results()
                            .forEach(found ->
                                    calls.put(name.replace(".rs", "") + "::" + found.group(1), found.group(1)));
                }
            }
        }
        Path client = scenarios.crate("iggy");
        for (String name :
                List.of("client", "client_builder", "consumer", "consumer_builder", "producer", "producer_builder")) {
            addCalls(client.resolve("clients/" + name + ".rs"), calls);
        }
        for (String name : List.of("iggy_stream", "iggy_stream_consumer", "iggy_stream_producer")) {
            addCalls(client.resolve("stream_builder/" + name + ".rs"), calls);
        }
        TRAIT_CALL
                .matcher(Files.readString(client.resolve("consumer_ext/consumer_message_trait.rs")))
                .results()
                .forEach(found -> calls.put("IggyConsumerMessageExt::" + found.group(1), found.group(1)));
        return calls;
    }

    private static void addCalls(Path file, Map<String, String> calls) throws IOException {
        String text = Files.readString(file);
        int tests = text.indexOf("\n#[cfg(test)]");
        text = tests < 0 ? text : text.substring(0, tests);
        Matcher call = CALL.matcher(text);
        while (call.find()) {
            String owner = "";
            Matcher before = OWNER.matcher(text.substring(0, call.start()));
            while (before.find()) {
                owner = before.group(1);
            }
            // Options of transports that Galgo does not speak, and of TLS, which it does not have yet.
            if (!owner.equals("ProducerCore")
                    && !owner.matches("(Quic|Http|WebSocket)ClientBuilder")
                    && !call.group(1).startsWith("with_tls_")) {
                calls.put(owner + "::" + call.group(1), call.group(1));
            }
        }
    }

    private static String run(String area) throws Exception {
        return scenarios.run(server.address(), area, more());
    }

    private static String[] more() {
        return Target.current().isReference() ? new String[] {"reference"} : new String[0];
    }
}
