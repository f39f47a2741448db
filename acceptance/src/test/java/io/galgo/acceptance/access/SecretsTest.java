package io.galgo.acceptance.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// No password and no token is in any file of a server or in what it says.
@ExtendWith(ServerLogs.class)
class SecretsTest {
    private static final String ROOTS_PASSWORD = "Roots-Secret-81";
    private static final String FIRST = "Alices-First-Secret-17";
    private static final String SECOND = "Alices-Second-Secret-29";
    private static final String WRONG = "Alices-Wrong-Secret-53";
    private static final String NO_SECRET = "alice-is-a-name";
    private static final String STREAM = "stream";
    private static final Pattern MADE_UP = Pattern.compile("Generated root user password: ([0-9A-Za-z]{20,39})\\b");

    @TempDir
    Path folder;

    @Test
    void noSecretIsInAnyFileOrLogLine() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps its files elsewhere");
        Path data = folder.resolve("data");
        ServerSettings settings = Servers.on(data)
                .withVariable("GALGO_ROOT_PASSWORD", ROOTS_PASSWORD)
                .withVariable("GALGO_LOGGING_LEVEL", "trace")
                .withVariable("GALGO_METADATA_JOURNAL_SLOTS", "256");
        List<String> secrets = new ArrayList<>(List.of(ROOTS_PASSWORD, FIRST, SECOND, WRONG));
        ServerProcess server = ServerProcess.start(settings);
        try {
            secrets.add(use(server.address(), ROOTS_PASSWORD));
            server.kill();
            assertNoneIsIn(data, server, secrets);
            server = server.startAgain();
            try (RawClient client = RawClient.connect(server.address())) {
                assertThat(client.login(NO_SECRET, SECOND).outcome()).isEqualTo("OK");
            }
            assertThat(server.stop()).isZero();
            assertNoneIsIn(data, server, secrets);
        } finally {
            server.close();
        }
    }

    @Test
    void aPasswordThatIsMadeUpIsSaidOnceAndWrittenNowhere() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps its files elsewhere");
        Path data = folder.resolve("data");
        ServerSettings settings =
                Servers.on(data).withVariable("GALGO_ROOT_USERNAME", "").withVariable("GALGO_ROOT_PASSWORD", "");
        try (ServerProcess server = ServerProcess.start(settings)) {
            Matcher said = MADE_UP.matcher(server.log());
            assertThat(said.find()).as("the password is said").isTrue();
            String password = said.group(1);
            assertThat(said.find()).as("it is said again").isFalse();
            try (RawClient client = RawClient.connect(server.address())) {
                assertThat(client.login("iggy", password).outcome()).isEqualTo("OK");
            }
            assertThat(server.stop()).isZero();
            filesOf(data)
                    .forEach((name, text) -> assertThat(text.contains(password))
                            .as("the password is in %s", name)
                            .isFalse());
        }
    }

    @Test
    void whatAServerKeepsIsForItsUserOnly() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server keeps its files elsewhere");
        Path data = folder.resolve("data");
        try (ServerProcess server = ServerProcess.start(Servers.on(data))) {
            use(server.address(), "iggy");
            try (Stream<Path> entries = Files.walk(data)) {
                assertThat(entries.filter(entry -> !isPrivate(entry))
                                .map(entry -> data.relativize(entry) + " is " + permissions(entry)))
                        .as("what others may read")
                        .isEmpty();
            }
            assertThat(data.resolve("logs/iggy-server.log")).exists();
            assertThat(data.resolve("runtime/current_config.toml")).exists();
        }
    }

    private static boolean isPrivate(Path entry) {
        return permissions(entry).endsWith("------");
    }

    private static String permissions(Path entry) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(entry));
        } catch (IOException gone) {
            return "gone ------";
        }
    }

    /// Everything that takes or gives a secret, then so many messages and changes that memory is used again and the
    /// metadata are written anew.
    ///
    /// @return a token
    private static String use(InetSocketAddress server, String rootsPassword) throws IOException {
        String token;
        try (RawClient root = RawClient.connect(server);
                RawClient alice = RawClient.connect(server)) {
            assertThat(root.login("iggy", rootsPassword).outcome()).isEqualTo("OK");
            assertThat(root.change(
                                    Operation.CREATE_USER,
                                    Body.of().name(NO_SECRET).name(FIRST).u8(1).u8(0))
                            .outcome())
                    .isEqualTo("OK");
            assertThat(alice.login(NO_SECRET, WRONG).outcome()).isEqualTo("EVICT 9");
            assertThat(alice.login(NO_SECRET, FIRST).outcome()).isEqualTo("OK");
            alice.succeed(
                    Operation.CHANGE_PASSWORD,
                    Body.of().id(NO_SECRET).name(FIRST).name(SECOND));
            assertThat(alice.change(
                                    Operation.CHANGE_PASSWORD,
                                    Body.of().id(NO_SECRET).name(WRONG).name(SECOND))
                            .outcome())
                    .isEqualTo("REJECT 42");
            ReplyFrame created =
                    alice.change(Operation.CREATE_TOKEN, Body.of().name("ci").u64(0));
            assertThat(created.outcome()).isEqualTo("OK");
            token = new Fields(created.payload()).name();
            assertThat(alice.logout().outcome()).isEqualTo("OK");
            assertThat(alice.loginWith(tokenLogin(token)).outcome()).isEqualTo("OK");
            assertThat(alice.ask(Code.TOKENS, new byte[0]).outcome()).isEqualTo("OK");
            root.createStream(STREAM);
            root.createTopic(STREAM, "topic", 1);
            for (int i = 0; i < 300; i++) {
                root.send(STREAM, "topic", Partitioning.to(0), "message " + i);
                root.succeed(Operation.UPDATE_STREAM, Body.of().id(STREAM).name(STREAM));
            }
        }
        return token;
    }

    private static byte[] tokenLogin(String token) {
        return Body.of()
                .u32(11264)
                .name("acceptance")
                .name("1.0")
                .name(token)
                .u32(0)
                .toBytes();
    }

    private static void assertNoneIsIn(Path data, ServerProcess server, List<String> secrets) throws IOException {
        Map<String, String> texts = filesOf(data);
        texts.put("what the server says", server.log());
        assertThat(texts.keySet())
                .as("files, among them the configuration as it is in force")
                .anyMatch(name -> name.endsWith("current_config.toml"))
                .hasSizeGreaterThan(5);
        for (String secret : secrets) {
            texts.forEach((name, text) -> assertThat(text.contains(secret))
                    .as("%s is in %s", secret, name)
                    .isFalse());
        }
        assertThat(texts.values())
                .as("what is no secret is found")
                .anyMatch(text -> text.contains(NO_SECRET))
                .anyMatch(text -> text.contains("message 299"));
    }

    private static Map<String, String> filesOf(Path data) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> files = Files.walk(data)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                texts.put(data.relativize(file).toString(), Files.readString(file, StandardCharsets.ISO_8859_1));
            }
        }
        return texts;
    }
}
