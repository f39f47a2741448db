package io.galgo.torture.server;

import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One running server: its process, its data directory, its address, its log.
///
/// No process outlives the virtual machine that started it, whatever happens to the caller.
public final class ServerProcess implements AutoCloseable {
    private static final Duration READY_PATIENCE = Duration.ofMinutes(2);
    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
    private static final Pattern TCP_ADDRESS =
            Pattern.compile("(?ms)^\\[tcp]\\s*$.*?^address\\s*=\\s*[\"']([^\"']+):(\\d+)[\"']");
    private static final Set<ServerProcess> RUNNING = ConcurrentHashMap.newKeySet();
    private static final AtomicInteger STARTED = new AtomicInteger();

    /// Every process that was started and lives, whether it answers yet, or ever will. Its own lock.
    private static final Set<Process> LAUNCHED = new HashSet<>();

    private static boolean isEnding;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(ServerProcess::killAll));
        RawClient.onMissingReply(() -> RUNNING.forEach(ServerProcess::tellThreads));
    }

    private final ServerSettings settings;
    private final Process process;
    private final Path log;
    private final InetSocketAddress address;
    private final Duration startToAccept;
    private volatile boolean isBeingKilled;

    private ServerProcess(
            ServerSettings settings, Process process, Path log, InetSocketAddress address, Duration startToAccept) {
        this.settings = settings;
        this.process = process;
        this.log = log;
        this.address = address;
        this.startToAccept = startToAccept;
        RUNNING.add(this);
    }

    /// Starts a server and waits until it answers a ping.
    public static ServerProcess start(ServerSettings settings) throws IOException, InterruptedException {
        Path runtime = settings.data().resolve("runtime/current_config.toml");
        boolean isFresh = !Files.exists(settings.data());
        Files.deleteIfExists(runtime);
        Path log = newLog(settings);
        long started = System.nanoTime();
        Process process = launch(settings, log);
        try {
            while (true) {
                InetSocketAddress address = boundAddress(runtime, settings.port());
                if (address != null && answers(address)) {
                    Duration taken = Duration.ofNanos(System.nanoTime() - started);
                    settings.program().starts().accept(new ServerProgram.Start(settings, isFresh, taken));
                    return new ServerProcess(settings, process, log, address, taken);
                }
                if (!process.isAlive()) {
                    throw new AssertionError("the server ended with exit code " + process.exitValue()
                            + " instead of getting ready:\n" + tail(log));
                }
                if (System.nanoTime() - started > READY_PATIENCE.toNanos()) {
                    throw new AssertionError("the server was not ready within " + READY_PATIENCE + ":\n" + tail(log));
                }
                LockSupport.parkNanos(2_000_000);
            }
        } catch (Throwable e) {
            killTree(process);
            throw e;
        }
    }

    /// Starts a server that is expected to refuse, and waits for its end.
    public static Commands.Outcome startRefused(ServerSettings settings) throws IOException, InterruptedException {
        Path log = newLog(settings);
        Process process = launch(settings, log);
        try {
            if (!process.waitFor(READY_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("the server should have refused to start, but it runs:\n" + tail(log));
            }
            return new Commands.Outcome(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
        } finally {
            killTree(process);
        }
    }

    private static Process launch(ServerSettings settings, Path log) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(settings.command())
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        settings.prepare(builder.environment());
        Process process;
        // Whoever ends this virtual machine finds the process, or it is never started.
        synchronized (LAUNCHED) {
            if (isEnding) {
                throw new IOException("no server is started while everything ends");
            }
            process = builder.start();
            LAUNCHED.add(process);
        }
        CompletableFuture<Void> _ = process.onExit().thenRun(() -> {
            synchronized (LAUNCHED) {
                LAUNCHED.remove(process);
            }
        });
        return process;
    }

    private static void killAll() {
        List<Process> launched;
        synchronized (LAUNCHED) {
            isEnding = true;
            launched = List.copyOf(LAUNCHED);
        }
        RUNNING.forEach(ServerProcess::kill);
        launched.forEach(ServerProcess::killTree);
    }

    private static Path newLog(ServerSettings settings) throws IOException {
        Path folder = Files.createDirectories(settings.program().logs());
        return Files.createTempFile(folder, String.format("server-%03d-", STARTED.incrementAndGet()), ".log");
    }

    /// @param port 0 for any; another server may race for the directory, and its port is not ours
    private static @Nullable InetSocketAddress boundAddress(Path runtime, int port) throws IOException {
        if (!Files.exists(runtime)) {
            return null;
        }
        Matcher matcher = TCP_ADDRESS.matcher(Files.readString(runtime, StandardCharsets.UTF_8));
        if (!matcher.find() || matcher.group(2).equals("0")) {
            return null;
        }
        int bound = Integer.parseInt(matcher.group(2));
        return port == 0 || port == bound ? new InetSocketAddress(matcher.group(1), bound) : null;
    }

    private static boolean answers(InetSocketAddress address) {
        try (RawClient client = RawClient.connect(address)) {
            return client.ask(Code.PING, new byte[0]).isOk();
        } catch (IOException _) {
            return false;
        }
    }

    public InetSocketAddress address() {
        return address;
    }

    public ServerSettings settings() {
        return settings;
    }

    public Duration startToAccept() {
        return startToAccept;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// A connection that has logged in as root.
    public RawClient client() throws IOException {
        return RawClient.loggedIn(address);
    }

    /// SIGKILL, to the server and to whatever it started. Returns when all of them are gone.
    public void kill() {
        isBeingKilled = true;
        killTree(process);
        RUNNING.remove(this);
    }

    /// SIGKILL, to the server alone and without waiting: as soon as it can be after whatever made the caller do it.
    public void strike() {
        isBeingKilled = true;
        process.destroyForcibly();
    }

    /// Whether this process was told to kill it.
    public boolean isBeingKilled() {
        return isBeingKilled;
    }

    /// SIGTERM. Returns the exit code.
    public int stop() throws InterruptedException {
        process.destroy();
        return awaitExit();
    }

    /// Waits until the server has ended, for what was told to it. Returns the exit code.
    public int awaitExit() throws InterruptedException {
        if (!process.waitFor(STOP_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            kill();
            throw new AssertionError("the server did not stop within " + STOP_PATIENCE + ":\n" + logTail());
        }
        RUNNING.remove(this);
        return process.exitValue();
    }

    /// Starts again with the same settings, on the same port. The process must have ended.
    public ServerProcess startAgain() throws IOException, InterruptedException {
        if (process.isAlive()) {
            throw new IllegalStateException("the server still runs");
        }
        return start(settings.withPort(address.getPort()));
    }

    public String log() throws IOException {
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    public String logTail() {
        return tail(log);
    }

    /// Peak resident memory in bytes.
    public long peakMemory() throws IOException {
        return memory("VmHWM:");
    }

    /// Resident memory in bytes now.
    public long residentMemory() throws IOException {
        return memory("VmRSS:");
    }

    private long memory(String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid() + "/status"))) {
            if (line.startsWith(field)) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new AssertionError("the kernel tells no " + field + " of process " + pid());
    }

    /// Files, sockets and other handles that are open now.
    public long openHandles() throws IOException {
        try (Stream<Path> handles = Files.list(Path.of("/proc/" + pid() + "/fd"))) {
            return handles.count();
        }
    }

    /// SIGSTOP: the process stands still until [#resume].
    public void suspend() throws IOException, InterruptedException {
        signal("STOP");
    }

    /// SIGCONT.
    public void resume() throws IOException, InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws IOException, InterruptedException {
        Commands.run("kill", "-" + name, Long.toString(pid()));
    }

    @Override
    public void close() {
        kill();
    }

    /// Makes a JVM write what its threads do into its log, and adds what the kernel does for them: a sync that
    /// takes long is a worker thread of the ring that waits. The reference server is let alone.
    private void tellThreads() {
        if (!settings.program().isGalgo() || !process.isAlive()) {
            return;
        }
        try {
            Commands.run("kill", "-QUIT", Long.toString(pid()));
            LockSupport.parkNanos(1_000_000_000);
            Files.writeString(log, kernelThreads(), StandardCharsets.UTF_8, StandardOpenOption.APPEND);
        } catch (IOException | InterruptedException e) {
            System.err.println("cannot ask " + pid() + " for its threads: " + e);
        }
    }

    private String kernelThreads() throws IOException {
        StringBuilder text = new StringBuilder("threads as the kernel sees them: name, state, waits in\n");
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid() + "/task"))) {
            for (Path thread : threads.sorted().toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
                char state = stat.charAt(stat.lastIndexOf(')') + 2);
                text.append(name)
                        .append('\t')
                        .append(state)
                        .append('\t')
                        .append(Files.readString(thread.resolve("wchan")))
                        .append('\n');
            }
        }
        return text.toString();
    }

    /// The last lines of the logs of all servers that run now.
    public static String runningLogs() {
        StringBuilder text = new StringBuilder();
        for (ServerProcess server : RUNNING) {
            text.append("server on ")
                    .append(server.address)
                    .append(server.isAlive() ? ", alive" : ", DEAD")
                    .append(", log ")
                    .append(server.log)
                    .append(":\n")
                    .append(server.logTail());
        }
        return text.toString();
    }

    private static void killTree(Process root) {
        List<ProcessHandle> descendants = root.descendants().toList();
        root.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle handle : descendants) {
            handle.onExit().join();
        }
        // A handle of it may know of its end before the process itself says that it is no longer alive.
        root.onExit().join();
    }

    private static String tail(Path log) {
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            List<String> all = lines.map(line -> line.length() > 300 ? line.substring(0, 300) + "…" : line)
                    .toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - 40), all.size())) + "\n";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
