package io.galgo.server;

import io.galgo.server.configuration.CommandLine;
import io.galgo.server.configuration.RootCredentials;
import io.galgo.server.configuration.ServerConfiguration;
import io.galgo.server.configuration.Variables;
import io.galgo.server.logging.ServerLog;
import io.galgo.server.machine.Machine;
import io.galgo.server.machine.Posix;
import io.galgo.server.network.ConnectionLimits;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The program `./galgo server`.
public final class Main {
    private static final int EXIT_REFUSED = 1;
    private static final int EXIT_USAGE = 2;
    private static final String COMPATIBLE_RELEASE = "0.9.0";

    /// The log, once there is one; what goes wrong before goes to standard error.
    private volatile @Nullable ServerLog log;

    private volatile @Nullable Server server;
    private final AtomicBoolean isEnding = new AtomicBoolean();

    private Main() {}

    public static void main(String[] arguments) {
        CommandLine commandLine;
        try {
            commandLine = CommandLine.parse(arguments);
        } catch (CommandLine.Malformed malformed) {
            System.err.println("galgo server: " + malformed.getMessage());
            System.err.println();
            System.err.println(CommandLine.usage());
            System.exit(EXIT_USAGE);
            return;
        }
        if (commandLine.help()) {
            System.out.println(CommandLine.usage());
        } else if (commandLine.version()) {
            System.out.println("server " + COMPATIBLE_RELEASE);
            System.out.println("galgo " + version());
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
        Path directory = Path.of("").toAbsolutePath();
        Variables variables = Variables.load(System.getenv(), directory);
        List<String> warnings = new ArrayList<>();
        if (commandLine.defaultRootCredentials()) {
            fillRootCredentials(variables, warnings);
        }
        Machine machine = Machine.detect();
        ServerConfiguration configuration;
        try {
            configuration = ServerConfiguration.load(commandLine, variables, directory, machine, "Galgo " + version());
        } catch (ServerConfiguration.Refused refused) {
            refused.warnings().forEach(System.err::println);
            refused.problems().forEach(System.err::println);
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
        data.prepare(configuration.runtimePath());
        ServerLog opened;
        try {
            opened = ServerLog.start(configuration.logging(), Posix.isTerminal(1));
        } catch (IOException failed) {
            throw new DataDirectory.Unusable("the log directory cannot be made: " + failed.getMessage());
        }
        log = opened;
        opened.info("Galgo " + version() + ", speaks as Apache Iggy " + COMPATIBLE_RELEASE + "; process "
                + ProcessHandle.current().pid() + ", Java " + Runtime.version());
        configuration.notes().forEach(opened::info);
        warnings.forEach(opened::warn);
        opened.info("data in " + data.path() + ", up to " + (configuration.memoryBytesMax() >> 20)
                + " MiB of memory for messages");
        Signals.listen(this::onSignal);
        server = Server.start(
                configuration,
                machine,
                data,
                RootCredentials.of(variables),
                ConnectionLimits.of(
                        configuration.tcp().frameBytesMax(), configuration.tcp().closeGraceNanos()),
                opened,
                this::onBug);
        opened.info("ready in " + millisSinceStart() + " ms");
    }

    private static long millisSinceStart() {
        Instant now = Instant.now();
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, now).toMillis())
                .orElse(0L);
    }

    // ---- endings

    private void refuse(String sentence, List<String> warnings) {
        ServerLog opened = log;
        if (opened != null) {
            opened.error(sentence);
            opened.close();
        }
        warnings.forEach(System.err::println);
        System.err.println("galgo server: " + sentence);
        Runtime.getRuntime().halt(EXIT_REFUSED);
    }

    private void onSignal(String name) {
        ServerLog opened = log;
        if (isEnding.getAndSet(true)) {
            if (opened != null) {
                opened.warn(name + " again: stopping at once");
                opened.close();
            }
            Runtime.getRuntime().halt(EXIT_REFUSED);
        }
        // The thread that hears signals is a daemon, and a daemon's child is one too: the process would end with the
        // last shard, before the end was told and the directory given back.
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
                opened.info(name + ": stopping");
            }
            if (running != null) {
                inTime = running.stop();
            }
        } catch (InterruptedException interrupted) {
            inTime = false;
        }
        if (opened != null) {
            if (inTime) {
                tellStopped(opened, running == null ? 0 : running.buffersInUse());
            } else {
                opened.error("not everything could be finished in time (sharding.shutdown_join_timeout)");
            }
            opened.close();
        }
        System.exit(inTime ? 0 : EXIT_REFUSED);
    }

    private static void tellStopped(ServerLog log, long buffersInUse) {
        String text = "stopped; buffers in use at stop: " + buffersInUse;
        if (buffersInUse == 0) {
            log.info(text);
        } else {
            log.warn(text + ", so memory was not given back");
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
