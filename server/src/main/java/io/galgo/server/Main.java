package io.galgo.server;

import io.galgo.server.configuration.CommandLine;
import io.galgo.server.configuration.RootCredentials;
import io.galgo.server.configuration.ServerConfiguration;
import io.galgo.server.configuration.Variables;
import io.galgo.server.disk.Causes;
import io.galgo.server.logging.ServerLog;
import io.galgo.server.machine.Machine;
import io.galgo.server.machine.Posix;
import io.galgo.server.network.ConnectionLimits;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The program `./galgo server`.
public final class Main {
    private static final long STARTED_NANOS = System.nanoTime();

    /// What a server keeps is nobody else's business.
    private static final int FILE_MASK = 0077;

    /// A terminal and a launcher may both pass one Ctrl-C on. Only a signal that comes later is a second wish.
    private static final long SECOND_SIGNAL_NANOS = 1_000_000_000L;

    /// With fewer not even everything that a server is made of can be loaded.
    private static final long HANDLES_MIN = 64;

    private static final long HANDLES_ENOUGH = 1_024;

    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_USAGE = 2;
    private static final String COMPATIBLE_RELEASE = "0.9.0";

    /// The log, once there is one; what goes wrong before goes to standard error.
    private volatile @Nullable ServerLog log;

    private volatile @Nullable Server server;

    /// When the end began, null before.
    private final AtomicReference<@Nullable Long> endingNanos = new AtomicReference<>();

    private Main() {}

    public static void main(String[] arguments) {
        CommandLine commandLine;
        try {
            commandLine = CommandLine.parse(arguments);
        } catch (CommandLine.Malformed malformed) {
            System.err.println("galgo server: " + malformed.getMessage());
            System.err.println("galgo server: not started; see ./galgo help server");
            System.exit(EXIT_USAGE);
            return;
        }
        if (commandLine.help()) {
            System.out.println(CommandLine.usage());
        } else if (commandLine.version()) {
            System.out.println("galgo " + version() + ", compatible with Iggy " + COMPATIBLE_RELEASE);
            System.out.println("server " + COMPATIBLE_RELEASE);
        } else {
            new Main().run(commandLine);
        }
    }

    /// The version that this program was built as.
    private static String version() {
        ModuleDescriptor descriptor = Main.class.getModule().getDescriptor();
        Optional<ModuleDescriptor.Version> version = descriptor == null ? Optional.empty() : descriptor.version();
        return version.map(Object::toString).orElse("unknown");
    }

    private void run(CommandLine commandLine) {
        Thread.setDefaultUncaughtExceptionHandler((_, thrown) -> onBug(thrown));
        Posix.setFileMask(FILE_MASK);
        Path directory = Path.of("").toAbsolutePath();
        Variables variables = Variables.load(System.getenv(), directory);
        List<String> warnings = new ArrayList<>();
        if (commandLine.defaultRootCredentials()) {
            fillRootCredentials(variables, warnings);
        }
        Machine machine = Machine.detect();
        if (machine.openFilesMax() < HANDLES_MIN) {
            System.err.println("galgo server: not started; the limit of open files is " + machine.openFilesMax()
                    + ", and a server needs " + HANDLES_MIN + " at least; raise it (ulimit -n 65536)");
            System.exit(EXIT_REFUSED);
        }
        ServerConfiguration configuration;
        try {
            configuration = ServerConfiguration.load(commandLine, variables, directory, machine, "Galgo " + version());
        } catch (ServerConfiguration.Refused refused) {
            refused.warnings().forEach(line -> System.err.println("WARN  " + line));
            refused.problems().forEach(line -> System.err.println("ERROR " + line));
            System.err.println("galgo server: not started");
            System.exit(EXIT_REFUSED);
            return;
        }
        warnings.addAll(configuration.warnings());
        try {
            start(commandLine, variables, machine, configuration, warnings);
        } catch (Server.Failed | DataDirectory.Unusable failed) {
            refuse(String.valueOf(failed.getMessage()), log == null ? warnings : List.of());
        } catch (InterruptedException interrupted) {
            refuse("the start was interrupted", List.of());
        } catch (RuntimeException | Error bug) {
            onBug(bug);
        }
    }

    private static void fillRootCredentials(Variables variables, List<String> warnings) {
        String flag = "--with-default-root-credentials";
        boolean isNameSet = variables.setIfUnset("ROOT_USERNAME", "iggy", flag);
        boolean isPasswordSet = variables.setIfUnset("ROOT_PASSWORD", "iggy", flag);
        warnings.add(
                isNameSet || isPasswordSet
                        ? "INSECURE: " + flag
                                + " is set; the first user of a new data directory has well-known credentials"
                        : flag + " is ignored: both root variables are set");
    }

    private void start(
            CommandLine commandLine,
            Variables variables,
            Machine machine,
            ServerConfiguration configuration,
            List<String> warnings)
            throws Server.Failed, DataDirectory.Unusable, InterruptedException {
        DataDirectory data = DataDirectory.open(configuration.dataPath());
        if (commandLine.fresh()) {
            data.wipe(configuration.ownNames());
            warnings.add("--fresh: everything in " + data.path() + " was deleted");
        }
        String foreign = data.foreignEntry(configuration.ownNames());
        if (foreign != null) {
            warnings.add("the data directory " + data.path() + " holds \"" + foreign
                    + "\", which is not of this server, and no data of it yet; is it the right one?");
        }
        data.prepare(configuration.runtimePath());
        ServerLog opened;
        try {
            opened = ServerLog.start(configuration.logging(), Posix.isTerminal(1));
        } catch (IOException failed) {
            throw new DataDirectory.Unusable(
                    "the directory of log files cannot be used: " + Causes.of(configuration.dataPath(), failed));
        }
        log = opened;
        opened.info("Galgo " + version() + ", speaks as Apache Iggy " + COMPATIBLE_RELEASE + "; process "
                + ProcessHandle.current().pid() + ", Java " + Runtime.version());
        configuration.notes().forEach(opened::info);
        warnings.forEach(opened::warn);
        opened.info("data in " + data.path() + ", up to " + (configuration.memoryBytesMax() >> 20)
                + " MiB of memory for messages");
        tellHandles(opened, machine, configuration);
        ConnectionLimits limits = ConnectionLimits.of(
                configuration.tcp().frameBytesMax(), configuration.tcp().closeGraceNanos());
        if (commandLine.resetRootPassword()) {
            Server.resetRoot(configuration, machine, data, RootCredentials.of(variables), limits, opened, this::onBug);
            opened.info("done; start the server without --reset-root-password");
            opened.close();
            System.exit(0);
        }
        Signals.listen(this::onSignal);
        server = Server.start(configuration, machine, data, RootCredentials.of(variables), limits, opened, this::onBug);
        // The process may be older: its launcher may have built something first.
        opened.info("ready in " + (System.nanoTime() - STARTED_NANOS) / 1_000_000 + " ms");
    }

    private static void tellHandles(ServerLog log, Machine machine, ServerConfiguration configuration) {
        long handles = machine.openFilesMax();
        log.info("room for " + configuration.tcp().connectionsMax() + " connections, by the limit of " + handles
                + " open files (ulimit -n)");
        if (handles < HANDLES_ENOUGH) {
            log.warn("the limit of open files is " + handles + ": this is enough to try things out, and nothing more;"
                    + " raise it before the start (ulimit -n 65536, or LimitNOFILE=65536 of a service)");
        }
    }

    // ---- endings

    private void refuse(String sentence, List<String> warnings) {
        ServerLog opened = log;
        if (opened != null) {
            opened.error(sentence);
            opened.close();
        }
        warnings.forEach(line -> System.err.println("WARN  " + line));
        System.err.println("galgo server: " + sentence);
        Runtime.getRuntime().halt(EXIT_REFUSED);
    }

    private void onSignal(String name) {
        ServerLog opened = log;
        long now = System.nanoTime();
        Long first = endingNanos.compareAndExchange(null, now);
        if (first != null) {
            if (now - first < SECOND_SIGNAL_NANOS) {
                return;
            }
            if (opened != null) {
                opened.warn(name + " again: stopping at once");
                opened.close();
            }
            Runtime.getRuntime().halt(EXIT_REFUSED);
        }
        // The thread that hears signals is a daemon, and a daemon's child is one too: the process would end with
        // the last shard, before the end was told and the directory given back.
        Thread stop = new Thread(() -> stop(name), "stop");
        stop.setDaemon(false);
        stop.start();
    }

    private void stop(String name) {
        ServerLog opened = log;
        Server running = server;
        boolean inTime = true;
        try {
            if (opened != null) {
                opened.info(name + ": stopping; once more after a second to stop at once");
            }
            if (running != null) {
                inTime = running.stop();
            }
        } catch (InterruptedException interrupted) {
            inTime = false;
        }
        if (opened != null) {
            if (inTime) {
                tellStopped(opened, running);
            } else {
                opened.error("not everything could be finished in time (sharding.shutdown_join_timeout)");
            }
            opened.close();
        }
        System.exit(inTime ? 0 : EXIT_REFUSED);
    }

    private static void tellStopped(ServerLog log, @Nullable Server server) {
        long buffersInUse = server == null ? 0 : server.buffersInUse();
        if (buffersInUse > 0) {
            log.warn("buffers in use at stop: " + buffersInUse + ", so memory was not given back");
        }
        if (server == null) {
            log.info("stopped before the start was over");
        } else if (server.isEverythingOnDisk()) {
            log.info("stopped; everything acknowledged is on disk");
        } else {
            log.warn("stopped; what was acknowledged is with the operating system, and not all of it could be synced:"
                    + " see above, and let the machine write it before it is switched off");
        }
    }

    /// Something that must never happen did. A node that missed a step must not go on.
    private void onBug(Throwable thrown) {
        try {
            String line = "stopping at once, because of a bug on thread "
                    + Thread.currentThread().getName() + ": " + thrown;
            ServerLog opened = log;
            if (opened != null) {
                opened.bug(line, thrown);
                opened.close();
            } else {
                System.err.println("galgo server: " + line);
                thrown.printStackTrace();
            }
        } finally {
            Runtime.getRuntime().halt(EXIT_REFUSED);
        }
    }
}
