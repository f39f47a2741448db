package io.galgo.acceptance.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Bystander;
import io.galgo.acceptance.harness.Checkout;
import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.StreamDescription;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Whatever bytes arrive, the server lives on, other clients do not notice, and no memory stays behind.
///
/// How long and with which seed are system properties. Ten minutes for each way to reach files:
/// `./galgo test -pl acceptance -am -Dtest=LiveFuzzTest -Dsurefire.failIfNoSpecifiedTests=false
/// -Dgalgo.fuzz.seconds=600`
@ExtendWith(ServerLogs.class)
class LiveFuzzTest {
    private static final int SECONDS = Integer.getInteger("galgo.fuzz.seconds", 10);
    private static final long SEED = Long.getLong("galgo.fuzz.seed", 20_261_130);
    private static final int ATTACKERS = 4;
    private static final int STREAMS_BEFORE = 173;
    private static final long MEMORY_MAX = 1800L << 20;

    @ParameterizedTest
    @EnumSource(names = {"RING", "FALLBACK"})
    void noBytesHurtTheServerOrItsOtherClients(DiskBackend disk, @TempDir Path folder) throws Exception {
        if (Target.current().isReference() && disk == DiskBackend.FALLBACK) {
            return;
        }
        ServerSettings settings =
                Servers.on(folder.resolve("data")).withDisk(disk).withVariable("GALGO_MEMORY_POOL_SIZE", "512 MiB");
        ServerProcess server = ServerProcess.start(settings);
        List<Attacker> attackers = new ArrayList<>();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        try (server) {
            Bystander bystander = bystanderOfUnlikelyNumber(server);
            List<byte[]> spared = spared(server, bystander);
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            Corpus corpus = new Corpus();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < ATTACKERS; i++) {
                Attacker attacker = new Attacker(corpus, SEED + i, spared);
                attackers.add(attacker);
                threads.add(start("attacker " + i, failure, () -> attacker.attack(server.address(), until)));
            }
            threads.add(start("janitor", failure, () -> tidyUp(server, bystander.stream(), until)));
            while (System.nanoTime() < until && failure.get() == null) {
                bystander.step();
            }
            for (Thread thread : threads) {
                thread.join(60_000);
                assertThat(thread.isAlive())
                        .as("%s still runs", thread.getName())
                        .isFalse();
            }
            if (failure.get() != null) {
                throw new AssertionError("with seed " + SEED, failure.get());
            }
            bystander.mustBeUnharmed();
            for (Attacker attacker : attackers) {
                Figures.tell("fuzz, " + settings.disk() + ", seed " + SEED + ": " + attacker.figures());
            }
            Figures.tell("fuzz, " + settings.disk() + ": the bystander took " + bystander.sentCount()
                    + " steps, the server's peak memory was " + (server.peakMemory() >> 20) + " MiB");
            assertThat(server.peakMemory()).as("peak memory of the server").isLessThan(MEMORY_MAX);
            bystander.close();
            assertThat(server.stop()).as("exit code after SIGTERM").isZero();
            judgeLog(server.log());
        } catch (Throwable e) {
            tellLastFrames(attackers);
            throw e;
        }
    }

    private static void judgeLog(String log) {
        assertThat(log.lines().filter(line -> line.contains(" ERROR ") || line.contains("Exception")))
                .as("lines of the log that tell of a crash")
                .isEmpty();
        if (!Target.current().isReference()) {
            assertThat(log)
                    .as("what the log says at the end")
                    .contains("stopped; everything acknowledged is on disk")
                    .doesNotContain("buffers in use");
        }
    }

    /// Gives the bystander's stream a number that no small change to another number makes.
    private static Bystander bystanderOfUnlikelyNumber(ServerProcess server) throws IOException {
        try (RawClient client = server.client()) {
            for (int i = 0; i < STREAMS_BEFORE; i++) {
                client.createStream("before-" + i);
            }
            Bystander bystander = new Bystander(server);
            for (int i = 0; i < STREAMS_BEFORE; i++) {
                client.succeed(Operation.DELETE_STREAM, Body.of().id("before-" + i));
            }
            return bystander;
        }
    }

    private static List<byte[]> spared(ServerProcess server, Bystander bystander) throws IOException {
        try (RawClient client = server.client()) {
            StreamDescription stream = client.stream(bystander.stream()).orElseThrow();
            assertThat(stream.id()).isEqualTo(STREAMS_BEFORE);
            return List.of(
                    Body.of().id(stream.id()).toBytes(), bystander.stream().getBytes(StandardCharsets.UTF_8));
        }
    }

    /// Deletes what the attackers create, now and then, so that the disk does not fill.
    private static void tidyUp(ServerProcess server, String kept, long until) throws IOException {
        try (RawClient client = server.client()) {
            while (System.nanoTime() < until) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(700));
                for (StreamDescription stream : client.streams()) {
                    if (!stream.name().equals(kept)) {
                        ReplyFrame reply = client.persist(
                                Operation.DELETE_STREAM,
                                Body.of().id(stream.id()).toBytes());
                        if (!reply.isOk() && !reply.outcome().equals("REJECT 1009")) {
                            throw new AssertionError("a deletion was answered with " + reply.outcome());
                        }
                    }
                }
                if (!Target.current().isReference()) {
                    dismissUsers(client);
                }
            }
        }
    }

    /// Deletes all users but root, whose id is 0.
    private static void dismissUsers(RawClient client) throws IOException {
        Fields users = new Fields(client.ask(Code.USERS, new byte[0]).body());
        while (users.hasMore()) {
            long id = users.u32();
            users.u64();
            users.u8();
            users.name();
            users.raw(users.u32());
            if (id != 0) {
                ReplyFrame reply =
                        client.persist(Operation.DELETE_USER, Body.of().id(id).toBytes());
                if (!reply.isOk() && !reply.outcome().equals("REJECT 20")) {
                    throw new AssertionError("the deletion of a user was answered with " + reply.outcome());
                }
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static Thread start(String name, AtomicReference<@Nullable Throwable> failure, Work work) {
        return Thread.ofPlatform().name(name).start(() -> {
            try {
                work.run();
            } catch (IOException | RuntimeException | AssertionError e) {
                failure.compareAndSet(null, new AssertionError(name + ": " + e, e));
            }
        });
    }

    private static void tellLastFrames(List<Attacker> attackers) throws IOException {
        for (int i = 0; i < attackers.size(); i++) {
            Path file = Checkout.output("fuzz").resolve("last-frames-" + i + ".hex");
            Files.write(file, attackers.get(i).lastSent(), StandardCharsets.UTF_8);
            System.out.println("the last frames of attacker " + i + " are in " + file);
        }
    }
}
