package io.galgo.acceptance.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.RawClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// How a server starts, what it says then, and when it refuses to.
@ExtendWith(ServerLogs.class)
class StartTest {
    /// Generous: the figures of all starts are in the report, this only notices that something hangs.
    private static final Duration START_MAX = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @BeforeEach
    void onlyOurServer() {
        Assumptions.assumeFalse(Target.current().isReference(), "these are rules of Galgo");
    }

    @ParameterizedTest
    @EnumSource(DiskBackend.class)
    void aServerIsReadySoonAndSaysWhatItIs(DiskBackend disk) throws Exception {
        try (ServerProcess server = ServerProcess.start(settings().withDisk(disk))) {
            assertThat(server.startToAccept()).isLessThan(START_MAX);
            assertThat(server.log())
                    .contains(folder.resolve("data").toString())
                    .contains("127.0.0.1:" + server.address().getPort());
            assertThat(server.log().lines().count()).as("lines of the start").isLessThan(40);
            assertThat(server.log()).doesNotContain(" ERROR ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT"})
    void aSignalStopsTheServerCleanly(String signal) throws Exception {
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            client.createStream("kept");
            Commands.run(List.of("kill", "-" + signal, Long.toString(server.pid())), Map.of(), Duration.ofSeconds(5));
            assertThat(client.isClosedByServer(Duration.ofSeconds(20)))
                    .as("the connection ends without a frame")
                    .isTrue();
            assertThat(server.awaitExit()).as("exit code after SIG%s", signal).isZero();
            assertThat(server.log())
                    .doesNotContain(" ERROR ", "buffers in use")
                    .contains("stopped; everything acknowledged is on disk");
        }
    }

    @Test
    void aSignalThatComesTwiceIsOneWish() throws Exception {
        try (ServerProcess server = ServerProcess.start(settings())) {
            String pid = Long.toString(server.pid());
            Commands.run(
                    List.of("bash", "-c", "kill -INT " + pid + "; kill -TERM " + pid), Map.of(), Duration.ofSeconds(5));
            assertThat(server.awaitExit()).as("exit code").isZero();
            assertThat(server.log()).contains("stopping; once more", "stopped; everything acknowledged is on disk");
        }
    }

    @Test
    void anAddressOfAnotherMachineIsSaidToBeThat() throws Exception {
        Commands.Outcome refusal =
                ServerProcess.startRefused(settings().withVariable("GALGO_TCP_ADDRESS", "192.0.2.7:8090"));
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output())
                .contains("tcp.address = 192.0.2.7:8090 cannot be bound: 192.0.2.7 is no address of this machine")
                .doesNotContain("in use by");
    }

    @Test
    void aFileInThePlaceOfTheDataDirectoryIsSaidInPlainWords() throws Exception {
        Files.writeString(folder.resolve("data"), "x");
        Commands.Outcome refusal = ServerProcess.startRefused(settings());
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output())
                .contains(folder.resolve("data") + " is a file, and a directory is needed")
                .doesNotContain("Exception", "\tat ");
    }

    @Test
    void aSecondServerOnOneDataDirectoryIsRefused() throws Exception {
        try (ServerProcess first = ServerProcess.start(settings())) {
            byte[] configuration = Files.readAllBytes(folder.resolve("data/runtime/current_config.toml"));
            Commands.Outcome second = ServerProcess.startRefused(settings());
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.output()).contains(folder.resolve("data").toString());
            assertThat(second.output()).doesNotContain("\tat ");
            assertThat(Files.readAllBytes(folder.resolve("data/runtime/current_config.toml")))
                    .as("the first server's file")
                    .isEqualTo(configuration);
            try (RawClient client = first.client()) {
                client.createStream("still-there");
            }
        }
    }

    @Test
    void aSecondServerThatIsToWipeTheDirectoryOfARunningOneIsRefused() throws Exception {
        try (ServerProcess first = ServerProcess.start(settings());
                RawClient client = first.client()) {
            client.createStream("kept");
            assertThat(ServerProcess.startRefused(settings().withArgument("--fresh"))
                            .exitCode())
                    .isEqualTo(1);
            first.kill();
            try (ServerProcess again = first.startAgain();
                    RawClient other = again.client()) {
                assertThat(other.stream("kept")).isPresent();
            }
        }
    }

    @Test
    void aPasswordThatIsShownOnceIsNotSpentOnAStartThatFindsItsAddressTaken() throws Exception {
        try (ServerProcess first = ServerProcess.start(settings())) {
            ServerSettings another = Servers.on(folder.resolve("another"))
                    .withVariable("GALGO_ROOT_USERNAME", "")
                    .withVariable("GALGO_ROOT_PASSWORD", "");
            Commands.Outcome refusal =
                    ServerProcess.startRefused(another.withPort(first.address().getPort()));
            assertThat(refusal.output()).contains("cannot be bound").doesNotContain("root user password");
            try (ServerProcess server = ServerProcess.start(another)) {
                assertThat(server.log()).contains("Generated root user password: ");
            }
        }
    }

    @Test
    void anAddressThatIsTakenIsRefused() throws Exception {
        try (ServerProcess first = ServerProcess.start(settings())) {
            Commands.Outcome second = ServerProcess.startRefused(
                    Servers.on(folder.resolve("other")).withPort(first.address().getPort()));
            assertThat(second.exitCode()).isEqualTo(1);
            assertThat(second.output()).contains("127.0.0.1:" + first.address().getPort());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GALGO_HEARTBEAT_INTERVAL, 30, heartbeat.interval",
        "GALGO_TCP_ADDRESS, localhost:8090, tcp.address",
        "GALGO_MEMORY_POOL_SIZE, 5 MiB, memory_pool.size",
        "GALGO_PARTITION_OFFSET_RESERVATION_LEASE, 0, partition.offset_reservation_lease",
        "GALGO_METADATA_JOURNAL_SLOTS, many, metadata.journal_slots",
        "GALGO_DISK, floppy, GALGO_DISK"
    })
    void aWrongSettingIsRefusedWithItsNameAndValue(String variable, String value, String key) throws Exception {
        Commands.Outcome refusal = ServerProcess.startRefused(settings().withVariable(variable, value));
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output())
                .contains(key)
                .contains(value)
                .contains(variable)
                .doesNotContain("\tat ");
        assertThat(folder.resolve("data/metadata")).doesNotExist();
    }

    @Test
    void allWrongSettingsAreToldAtOnce() throws Exception {
        Commands.Outcome refusal = ServerProcess.startRefused(settings()
                .withVariable("GALGO_HEARTBEAT_INTERVAL", "soon")
                .withVariable("GALGO_MEMORY_POOL_SIZE", "none"));
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains("heartbeat.interval").contains("memory_pool.size");
    }

    @Test
    void anUnknownKeyIsWarnedAboutWithTheNearestKnownOne() throws Exception {
        Path file = folder.resolve("galgo.toml");
        Files.writeString(file, "[tcp]\nadress = \"127.0.0.1:1\"\n", StandardCharsets.UTF_8);
        ServerSettings settings = settings().withVariable("GALGO_CONFIG_PATH", file.toString());
        try (ServerProcess server = ServerProcess.start(settings)) {
            assertThat(server.log()).contains("tcp.adress").contains("tcp.address");
        }
    }

    @Test
    void aFileThatIsNoTomlIsRefusedWithItsName() throws Exception {
        Path file = folder.resolve("broken.toml");
        Files.writeString(file, "[tcp\naddress = ", StandardCharsets.UTF_8);
        Commands.Outcome refusal =
                ServerProcess.startRefused(settings().withVariable("GALGO_CONFIG_PATH", file.toString()));
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains("broken.toml").doesNotContain("\tat ");
    }

    @Test
    void theWrittenConfigurationIsReadAgainWithoutAWarning() throws Exception {
        Path written = folder.resolve("written.toml");
        try (ServerProcess _ = ServerProcess.start(settings())) {
            Files.copy(folder.resolve("data/runtime/current_config.toml"), written);
        }
        ServerSettings settings = settings().withVariable("GALGO_CONFIG_PATH", written.toString());
        try (ServerProcess server = ServerProcess.start(settings)) {
            assertThat(server.log()).doesNotContain("not a known key").doesNotContain("deprecated");
        }
    }

    @Test
    void anUnknownArgumentIsRefusedWithTheUsage() throws Exception {
        Commands.Outcome refusal = ServerProcess.startRefused(settings().withArgument("--flesh"));
        assertThat(refusal.exitCode()).isEqualTo(2);
        assertThat(refusal.output()).contains("--flesh");
    }

    @Test
    void halfOfTheRootCredentialsIsRefused() throws Exception {
        Commands.Outcome refusal = ServerProcess.startRefused(settings().withVariable("GALGO_ROOT_PASSWORD", ""));
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains("ROOT_PASSWORD");
    }

    @Test
    void aPasswordIsMadeUpAndToldWhenNoneIsGiven() throws Exception {
        ServerSettings settings =
                settings().withVariable("GALGO_ROOT_USERNAME", "").withVariable("GALGO_ROOT_PASSWORD", "");
        try (ServerProcess server = ServerProcess.start(settings);
                RawClient client = RawClient.connect(server.address())) {
            Matcher password = Pattern.compile("Generated root user password: ([0-9A-Za-z]{20,39})\\b")
                    .matcher(server.log());
            assertThat(password.find()).as("the log tells the password").isTrue();
            assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("EVICT 9");
            assertThat(client.login("iggy", password.group(1)).outcome()).isEqualTo("OK");
        }
    }

    @Test
    void theRootUserIsTheOneOfTheFirstStart() throws Exception {
        try (ServerProcess first = ServerProcess.start(settings())) {
            assertThat(first.stop()).isZero();
        }
        ServerSettings other = settings().withVariable("GALGO_ROOT_PASSWORD", "another");
        try (ServerProcess server = ServerProcess.start(other);
                RawClient client = RawClient.connect(server.address())) {
            assertThat(client.login("iggy", "another").outcome()).isEqualTo("EVICT 9");
            assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("OK");
        }
    }

    @Test
    void aLostRootPasswordIsReplacedWhileNoServerRuns() throws Exception {
        ServerSettings reset =
                settings().withVariable("GALGO_ROOT_PASSWORD", "found-again").withArgument("--reset-root-password");
        try (ServerProcess first = ServerProcess.start(settings())) {
            try (RawClient client = first.client()) {
                client.createStream("kept");
            }
            assertThat(ServerProcess.startRefused(reset).output()).contains("is in use by process " + first.pid());
            assertThat(first.stop()).isZero();
        }
        Commands.Outcome wrongName = ServerProcess.startRefused(reset.withVariable("GALGO_ROOT_USERNAME", "somebody"));
        assertThat(wrongName.exitCode()).isEqualTo(1);
        assertThat(wrongName.output()).contains("its first user is called \"iggy\" and not \"somebody\"");
        Commands.Outcome done = ServerProcess.startRefused(reset);
        assertThat(done.exitCode()).as(done.output()).isZero();
        assertThat(done.output()).doesNotContain("found-again", "listening on");
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = RawClient.connect(server.address())) {
            assertThat(server.log()).contains("changed nothing: this data directory has users already");
            assertThat(client.login("iggy", "iggy").outcome()).isEqualTo("EVICT 9");
            assertThat(client.login("iggy", "found-again").outcome()).isEqualTo("OK");
            assertThat(client.stream("kept")).isPresent();
        }
    }

    @Test
    void aServerThatWasKilledIsSpokenOfAtTheNextStartAndNoOther() throws Exception {
        String line = "the server before this one did not stop by itself";
        try (ServerProcess first = ServerProcess.start(settings())) {
            assertThat(first.log()).doesNotContain(line);
            first.kill();
        }
        try (ServerProcess second = ServerProcess.start(settings())) {
            assertThat(second.log()).contains(line + "; 0 partitions were recovered in ");
            assertThat(second.stop()).isZero();
        }
        try (ServerProcess third = ServerProcess.start(settings())) {
            assertThat(third.log()).doesNotContain(line);
        }
    }

    @Test
    void anEmptyDirectoryHasNoPasswordToReset() throws Exception {
        Commands.Outcome refusal = ServerProcess.startRefused(settings().withArgument("--reset-root-password"));
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains("there is no user in it yet, and nothing to reset");
    }

    @Test
    void freshForgetsEverything() throws Exception {
        try (ServerProcess first = ServerProcess.start(settings());
                RawClient client = first.client()) {
            client.createStream("forgotten");
        }
        try (ServerProcess server = ServerProcess.start(settings().withArgument("--fresh"));
                RawClient client = server.client()) {
            assertThat(client.streams()).isEmpty();
        }
    }

    @Test
    void aServerOnAllAddressesTellsTheOneThatTheClientReached() throws Exception {
        ServerSettings settings = settings().withVariable("GALGO_TCP_ADDRESS", "0.0.0.0:0");
        try (ServerProcess server = ServerProcess.start(settings);
                RawClient client = RawClient.loggedIn(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), server.address().getPort()))) {
            assertThat(new String(client.ask(Code.CLUSTER_METADATA, new byte[0]).body(), StandardCharsets.UTF_8))
                    .contains("127.0.0.1")
                    .doesNotContain("0.0.0.0");
        }
    }

    private ServerSettings settings() {
        return Servers.on(folder.resolve("data"));
    }
}
