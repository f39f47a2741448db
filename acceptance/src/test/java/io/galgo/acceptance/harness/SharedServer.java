package io.galgo.acceptance.harness;

import io.galgo.torture.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// One server for all tests that need nothing of their own but names. Ends with the JVM.
public final class SharedServer {
    private static final AtomicInteger NAMES = new AtomicInteger();
    private static @Nullable ServerProcess server;

    private SharedServer() {}

    public static synchronized ServerProcess running() throws IOException, InterruptedException {
        ServerProcess running = server;
        if (running == null || !running.isAlive()) {
            Path folder = Files.createTempDirectory("galgo-acceptance-");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteTree(folder)));
            running = ServerProcess.start(Servers.on(folder.resolve("data")));
            server = running;
        }
        return running;
    }

    /// A name that no other test uses.
    public static String newName(String start) {
        return start + "-" + NAMES.incrementAndGet();
    }

    private static void deleteTree(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> {
                if (!file.delete()) {
                    file.deleteOnExit();
                }
            });
        } catch (IOException e) {
            System.err.println("cannot delete " + folder + ": " + e);
        }
    }
}
