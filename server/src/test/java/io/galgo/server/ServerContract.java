package io.galgo.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.server.configuration.CommandLine;
import io.galgo.server.configuration.RootCredentials;
import io.galgo.server.configuration.ServerConfiguration;
import io.galgo.server.configuration.Variables;
import io.galgo.server.logging.ServerLog;
import io.galgo.server.machine.Machine;
import io.galgo.server.network.ConnectionLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A whole node in this process, spoken to in frames, on either way to reach files.
abstract class ServerContract {
    private static final int HEADER_BYTES = 256;
    private static final int FRAME_BYTES_MAX = 64 << 20;
    private static final int PATIENCE_MILLIS = 60_000;
    private static final long SECOND = 1_000_000_000L;

    @TempDir
    Path directory;

    private final AtomicReference<@Nullable Throwable> bug = new AtomicReference<>();
    private final List<Socket> sockets = new ArrayList<>();
    private ServerLog log;
    private Server server;

    /// The value of `GALGO_DISK`.
    abstract String disk();

    @BeforeEach
    void start() throws Exception {
        ServerConfiguration configuration = configuration(Map.of());
        log = ServerLog.start(configuration.logging(), false);
        server = startServer(configuration, 2 * SECOND, 2 * SECOND);
    }

    @AfterEach
    void stop() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        assertThat(server.stop()).as("stopped in time").isTrue();
        assertThat(server.buffersInUse()).as("buffers that were not given back").isZero();
        log.close();
        assertThat(bug.get()).as("no bug").isNull();
    }

    private ServerConfiguration configuration(Map<String, String> more) throws Exception {
        Map<String, String> environment = new TreeMap<>(Map.of(
                "GALGO_DISK", disk(),
                "GALGO_PATH", directory.resolve("data").toString(),
                "GALGO_TCP_ADDRESS", "127.0.0.1:0",
                "GALGO_SHARDING_CPU_ALLOCATION", "all",
                "GALGO_SHARDING_PIN_CORES", "false",
                "GALGO_MEMORY_POOL_SIZE", "512 MiB"));
        environment.putAll(more);
        return ServerConfiguration.load(
                CommandLine.parse(new String[0]),
                Variables.load(environment, directory),
                directory,
                Machine.detect(),
                "Galgo test");
    }

    private Server startServer(ServerConfiguration configuration, long memoryWaitNanos, long stallNanos)
            throws Exception {
        DataDirectory data = DataDirectory.open(configuration.dataPath());
        try {
            data.prepare(configuration.runtimePath());
            return Server.start(
                    configuration,
                    Machine.detect(),
                    data,
                    new RootCredentials("iggy", "secret", false),
                    new ConnectionLimits(FRAME_BYTES_MAX, memoryWaitNanos, stallNanos, SECOND),
                    log,
                    thrown -> bug.compareAndSet(null, thrown));
        } catch (Server.Failed failed) {
            data.close();
            throw failed;
        }
    }

    // ---- speaking

    private InetSocketAddress address() {
        InetSocketAddress address = server.tcpAddress();
        if (address == null) {
            throw new AssertionError("TCP is off");
        }
        return address;
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.connect(address(), PATIENCE_MILLIS);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
    }

    /// A ping, which needs no login and whose body is ignored.
    private static byte[] ping(long request, int length) {
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        frame.putInt(48, length)
                .put(60, (byte) 5)
                .put(128, (byte) 1)
                .putLong(168, request)
                .put(176, (byte) 2)
                .putInt(196, 1);
        return frame.array();
    }

    private static byte[] replyHeader(Socket socket) throws IOException {
        byte[] header = socket.getInputStream().readNBytes(HEADER_BYTES);
        assertThat(header).as("a whole reply").hasSize(HEADER_BYTES);
        return header;
    }

    private static int status(byte[] reply) {
        return ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN).getInt(216);
    }

    private static long request(byte[] reply) {
        return ByteBuffer.wrap(reply).order(ByteOrder.LITTLE_ENDIAN).getLong(200);
    }

    private static void assertAnswers(Socket socket) throws IOException {
        socket.getOutputStream().write(ping(7, HEADER_BYTES));
        byte[] reply = replyHeader(socket);
        assertThat(status(reply)).isZero();
        assertThat(request(reply)).isEqualTo(7);
    }

    private static void assertCloses(Socket socket) throws IOException {
        try {
            assertThat(socket.getInputStream().read()).as("the connection ends").isEqualTo(-1);
        } catch (java.net.SocketException reset) {
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waited for: " + what).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private List<String> logLines() throws IOException {
        return Files.readAllLines(directory.resolve("data/logs/iggy-server.log"));
    }

    private void awaitLog(String text) {
        await("a log line with " + text, () -> {
            try {
                return logLines().stream().anyMatch(line -> line.contains(text));
            } catch (IOException notYet) {
                return false;
            }
        });
    }

    // ---- frames

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        Socket socket = connect();
        int count = 2_000;
        ByteBuffer all = ByteBuffer.allocate(count * 300);
        for (int i = 1; i <= count; i++) {
            all.put(ping(i, 300));
        }
        Thread writer = new Thread(() -> {
            try {
                socket.getOutputStream().write(all.array());
            } catch (IOException failed) {
                throw new IllegalStateException(failed);
            }
        });
        writer.start();
        for (int i = 1; i <= count; i++) {
            assertThat(request(replyHeader(socket))).isEqualTo(i);
        }
        writer.join();
    }

    @Test
    void aRequestMayArriveByteByByte() throws Exception {
        Socket socket = connect();
        for (byte one : ping(3, 300)) {
            socket.getOutputStream().write(one);
        }
        assertThat(request(replyHeader(socket))).isEqualTo(3);
    }

    @Test
    void aRequestMayBeAsLargeAsALargestFrame() throws Exception {
        Socket socket = connect();
        for (int length : new int[] {HEADER_BYTES, 16_384, 16_385, 1 << 20, FRAME_BYTES_MAX}) {
            socket.getOutputStream().write(ping(length, length));
            assertThat(request(replyHeader(socket))).isEqualTo(length);
        }
    }

    @Test
    void aFrameThatCannotBeIsTheEndOfItsConnectionOnly() throws Exception {
        Socket good = connect();
        Socket bad = connect();
        byte[] tooLarge = ping(1, HEADER_BYTES);
        ByteBuffer.wrap(tooLarge).order(ByteOrder.LITTLE_ENDIAN).putInt(48, FRAME_BYTES_MAX + 1);
        bad.getOutputStream().write(tooLarge);
        assertCloses(bad);
        assertAnswers(good);
        awaitLog("sent a frame of " + (FRAME_BYTES_MAX + 1) + " bytes");
        Socket other = connect();
        byte[] wrongCommand = ping(1, HEADER_BYTES);
        wrongCommand[60] = 77;
        other.getOutputStream().write(wrongCommand);
        assertCloses(other);
        assertAnswers(good);
    }

    @Test
    void aClientThatEndsItsSendingSideGetsItsRepliesAndThenTheEnd() throws Exception {
        int count = 1_000;
        Socket ending = connect();
        ByteBuffer frames = ByteBuffer.allocate(count * HEADER_BYTES + HEADER_BYTES / 2);
        for (int i = 1; i <= count; i++) {
            frames.put(ping(i, HEADER_BYTES));
        }
        ending.getOutputStream().write(frames.array());
        ending.shutdownOutput();
        for (int i = 1; i <= count; i++) {
            assertThat(request(replyHeader(ending))).isEqualTo(i);
        }
        assertThat(ending.getInputStream().read()).as("the end").isEqualTo(-1);
    }

    @Test
    void aConnectionThatStopsInsideAFrameIsClosed() throws Exception {
        Socket idle = connect();
        Socket half = connect();
        half.getOutputStream().write(Arrays.copyOf(ping(1, 10_000), 5_000));
        assertCloses(half);
        awaitLog("did not go on with the frame that it began");
        // One that owes nothing may be silent for as long as it likes.
        assertAnswers(idle);
    }

    // ---- bounds

    @Test
    void aFrameWithoutMemoryIsRefusedAndMemoryComesBack() throws Exception {
        List<Socket> hogs = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            Socket hog = connect();
            hogs.add(hog);
            hog.getOutputStream().write(Arrays.copyOf(ping(1, FRAME_BYTES_MAX), 100_000));
        }
        // They are kept busy, so that they are not taken for stalled.
        Thread trickle = Thread.ofVirtual().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                for (Socket hog : hogs) {
                    try {
                        hog.getOutputStream().write(0);
                    } catch (IOException closed) {
                        return;
                    }
                }
                LockSupport.parkNanos(50_000_000);
            }
        });
        // The last of them finds no room, which tells that the others have taken theirs.
        awaitLog("no memory for a frame");
        Socket victim = connect();
        victim.getOutputStream().write(ping(5, FRAME_BYTES_MAX));
        byte[] reply = replyHeader(victim);
        assertThat(status(reply)).isEqualTo(58);
        assertThat(request(reply)).isEqualTo(5);
        trickle.interrupt();
        for (Socket hog : hogs) {
            hog.close();
        }
        for (int i = 0; i < 100; i++) {
            victim.getOutputStream().write(ping(i, HEADER_BYTES));
            if (status(replyHeader(victim)) == 0) {
                return;
            }
        }
        throw new AssertionError("memory did not come back");
    }

    @Test
    void aClientThatDoesNotReadIsNotReadEither() throws Exception {
        try (SocketChannel channel = SocketChannel.open(address())) {
            channel.configureBlocking(false);
            ByteBuffer many = ByteBuffer.allocate(1000 * HEADER_BYTES);
            for (int i = 0; i < 1000; i++) {
                many.put(ping(1, HEADER_BYTES));
            }
            long written = 0;
            long lastProgress = System.nanoTime();
            while (System.nanoTime() - lastProgress < SECOND) {
                int partly =
                        many.clear().position((int) (written % many.capacity())).remaining() == 0
                                ? 0
                                : channel.write(many);
                written += partly;
                if (partly > 0) {
                    lastProgress = System.nanoTime();
                }
                assertThat(written)
                        .as("bytes taken from a client that does not read")
                        .isLessThan(200L << 20);
            }
            assertAnswers(connect());
            assertThat(written).isGreaterThan(1 << 20);
        }
    }

    @Test
    void aClientThatNeverReadsIsClosed() throws Exception {
        Socket socket = connect();
        Thread writer = Thread.ofVirtual().start(() -> {
            byte[] ping = ping(1, HEADER_BYTES);
            try {
                while (true) {
                    socket.getOutputStream().write(ping);
                }
            } catch (IOException closed) {
                // What the test waits for.
            }
        });
        assertThat(writer.join(java.time.Duration.ofMillis(PATIENCE_MILLIS))).isTrue();
        awaitLog("did not read its replies");
        assertAnswers(connect());
    }

    @Test
    void connectionsAreSpreadOverTheShards() throws Exception {
        int shards = server.connectionCounts().size();
        for (int i = 0; i < 5 * shards; i++) {
            assertAnswers(connect());
        }
        assertThat(server.connectionCounts()).allMatch(count -> count == 5);
        for (Socket socket : sockets) {
            socket.close();
        }
        await("no connection is left", () -> server.connectionCounts().stream().allMatch(count -> count == 0));
    }

    // ---- starts and stops

    @Test
    void theEffectiveConfigurationNamesTheBoundPort() throws Exception {
        assertThat(Files.readString(directory.resolve("data/runtime/current_config.toml")))
                .contains("[tcp]\nenabled = true\naddress = \"127.0.0.1:"
                        + address().getPort() + "\"");
    }

    @Test
    void aDirectoryInUseIsRefusedWithItsUser() {
        assertThatThrownBy(() -> DataDirectory.open(directory.resolve("data")))
                .isInstanceOf(DataDirectory.Unusable.class)
                .hasMessageContaining(
                        "is in use by process " + ProcessHandle.current().pid());
    }

    @Test
    void aTakenPortIsRefusedWithItsUser() throws Exception {
        ServerConfiguration second = configuration(Map.of(
                "GALGO_PATH",
                directory.resolve("other").toString(),
                "GALGO_TCP_ADDRESS",
                "127.0.0.1:" + address().getPort()));
        assertThatThrownBy(() -> startServer(second, SECOND, SECOND))
                .isInstanceOf(Server.Failed.class)
                .hasMessageContaining("tcp.address = 127.0.0.1:" + address().getPort() + " cannot be bound")
                .hasMessageContaining(
                        Files.exists(Path.of("/proc/net/tcp"))
                                ? "process " + ProcessHandle.current().pid()
                                : "");
        DataDirectory.open(directory.resolve("other")).close();
    }

    @Test
    void aStoppedServerLeavesPortAndDirectoryAndStartsAgain() throws Exception {
        Socket open = connect();
        assertAnswers(open);
        InetSocketAddress old = address();
        assertThat(server.stop()).isTrue();
        assertCloses(open);
        assertThatThrownBy(() -> new Socket(old.getAddress(), old.getPort())).isInstanceOf(IOException.class);
        server = startServer(configuration(Map.of("GALGO_TCP_ADDRESS", "127.0.0.1:" + old.getPort())), SECOND, SECOND);
        assertAnswers(connect());
        assertThat(logLines())
                .filteredOn(line -> line.contains("custom root user"))
                .hasSize(1);
    }
}
