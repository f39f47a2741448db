package io.galgo.acceptance.groups;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Twenty clients join, leave and die while messages come in: every partition has exactly one owner at any time, no
/// message is skipped, and none is delivered twice while nothing was lost with a member.
///
/// How long and with which seed are system properties. A minute for each way to reach files:
/// `./galgo test -pl acceptance -am -Dtest=GroupChurnTest -Dsurefire.failIfNoSpecifiedTests=false
/// -Dgalgo.groups.seconds=60`
@ExtendWith(ServerLogs.class)
class GroupChurnTest {
    private static final int SECONDS = Integer.getInteger("galgo.groups.seconds", 8);
    private static final long SEED = Long.getLong("galgo.groups.seed", 20_261_130);
    private static final int CLIENTS = 20;
    private static final int SURVIVORS = 5;
    private static final int PARTITIONS = 8;
    private static final int MESSAGES_MAX = 200_000;
    private static final String STREAM = "churn";
    private static final String TOPIC = "events";

    @ParameterizedTest
    @EnumSource(names = {"RING", "FALLBACK"})
    void everyPartitionHasOneOwnerWhoeverComesAndGoes(DiskBackend disk, @TempDir Path folder) throws Exception {
        if (Target.current().isReference()) {
            return;
        }
        ServerSettings settings = Servers.on(folder.resolve("data"))
                .withDisk(disk)
                .withVariable("GALGO_HEARTBEAT_INTERVAL", "2 s")
                .withVariable("GALGO_CONSUMER_GROUP_REBALANCING_TIMEOUT", "3 s");
        try (ServerProcess server = ServerProcess.start(settings)) {
            new Churn(server).run();
        } catch (Throwable e) {
            throw new AssertionError("with seed " + SEED + " (-Dgalgo.groups.seed=" + SEED + "): " + e, e);
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static final class Churn {
        private final ServerProcess server;
        private final long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private final List<GroupLedger> ledgers = List.of(
                new GroupLedger("automatic", true, PARTITIONS, MESSAGES_MAX),
                new GroupLedger("manual", false, PARTITIONS, MESSAGES_MAX));
        private final long[] sent = new long[PARTITIONS];
        private final List<RawClient> silent = Collections.synchronizedList(new ArrayList<>());
        private final AtomicInteger lives = new AtomicInteger();
        private final AtomicInteger observations = new AtomicInteger();

        Churn(ServerProcess server) {
            this.server = server;
        }

        void run() throws Exception {
            try (RawClient admin = server.client()) {
                admin.createStream(STREAM);
                admin.createTopic(STREAM, TOPIC, PARTITIONS);
                for (GroupLedger ledger : ledgers) {
                    ReplyFrame created = admin.change(
                            Operation.CREATE_GROUP,
                            Body.of().id(STREAM).id(TOPIC).name(ledger.group()));
                    assertThat(created.outcome()).isEqualTo("OK");
                }
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    SplittableRandom random = new SplittableRandom(SEED + i);
                    threads.add(start("client " + i, () -> liveAndDie(random)));
                }
                threads.add(start("producer", this::produce));
                threads.add(start("observer", this::observe));
                for (Thread thread : threads) {
                    thread.join(TimeUnit.SECONDS.toMillis(SECONDS + 60));
                    assertThat(thread.isAlive())
                            .as("%s still runs", thread.getName())
                            .isFalse();
                }
                if (failure.get() != null) {
                    throw new AssertionError(failure.get());
                }
                finish(admin);
                long messages = 0;
                for (long count : sent) {
                    messages += count;
                }
                Figures.tell("groups, seed " + SEED + ": " + lives.get() + " lives of " + CLIENTS + " clients, "
                        + messages + " messages, " + observations.get() + " looks at the groups, "
                        + ledgers.getLast().twiceCount() + " messages delivered again to a new owner");
            } finally {
                silent.forEach(RawClient::close);
            }
        }

        private Thread start(String name, Work work) {
            return Thread.ofVirtual().name(name).start(() -> {
                try {
                    work.run();
                } catch (IOException | RuntimeException | AssertionError e) {
                    failure.compareAndSet(null, new AssertionError(name + ": " + e, e));
                }
            });
        }

        private boolean goesOn() {
            return System.nanoTime() < until && failure.get() == null;
        }

        // Nobody dies with a request unanswered: what such a client was served could not be told from what was
        // lost.

        private void liveAndDie(SplittableRandom random) throws IOException {
            while (goesOn()) {
                lives.incrementAndGet();
                RawClient client = server.client();
                GroupConsumer consumer = new GroupConsumer(client, STREAM, TOPIC);
                for (GroupLedger ledger : ledgers) {
                    consumer.join(ledger);
                }
                for (int rounds = 1 + random.nextInt(60); rounds > 0 && goesOn(); rounds--) {
                    for (GroupLedger ledger : ledgers) {
                        consumer.consume(ledger, random);
                    }
                    LockSupport.parkNanos(random.nextInt(20_000_000));
                }
                die(consumer, random);
            }
        }

        private void die(GroupConsumer consumer, SplittableRandom random) throws IOException {
            RawClient client = consumer.client();
            switch (random.nextInt(5)) {
                case 0 -> {
                    for (GroupLedger ledger : ledgers) {
                        consumer.leave(ledger);
                    }
                    client.close();
                }
                case 1 -> {
                    client.logout();
                    client.close();
                }
                case 2 -> {
                    client.closeByReset();
                    client.close();
                }
                case 3 -> silent.add(client);
                default -> client.close();
            }
        }

        private void produce() throws IOException {
            SplittableRandom random = new SplittableRandom(SEED - 1);
            try (RawClient client = server.client()) {
                while (goesOn()) {
                    int partition = random.nextInt(PARTITIONS);
                    int count = (int) Math.min(1 + random.nextInt(5), MESSAGES_MAX - sent[partition]);
                    if (count > 0) {
                        String[] payloads = new String[count];
                        Arrays.fill(payloads, "partition " + partition);
                        client.send(STREAM, TOPIC, Partitioning.to(partition), payloads);
                        sent[partition] += count;
                    }
                    LockSupport.parkNanos(500_000);
                }
            }
        }

        private void observe() throws IOException {
            try (RawClient client = server.client()) {
                while (goesOn()) {
                    for (GroupLedger ledger : ledgers) {
                        look(client, ledger);
                        observations.incrementAndGet();
                    }
                    LockSupport.parkNanos(2_000_000);
                }
            }
        }

        /// Checks that each partition has one owner if there are members.
        ///
        /// @return how many members there are
        private long look(RawClient client, GroupLedger ledger) throws IOException {
            ReplyFrame reply =
                    client.ask(Code.GROUP, Body.of().id(STREAM).id(TOPIC).id(ledger.group()));
            assertThat(reply.outcome()).isEqualTo("OK");
            Fields fields = new Fields(reply.payload());
            fields.u32();
            fields.u32();
            long members = fields.u32();
            fields.name();
            List<Integer> owned = new ArrayList<>();
            for (long i = 0; i < members; i++) {
                fields.u32();
                for (long count = fields.u32(); count > 0; count--) {
                    owned.add((int) fields.u32());
                }
            }
            fields.mustEnd();
            Collections.sort(owned);
            assertThat(owned)
                    .as("owned partitions of %s with %s members", ledger.group(), members)
                    .isEqualTo(members == 0 ? List.of() : all());
            return members;
        }

        private static List<Integer> all() {
            return IntStream.range(0, PARTITIONS).boxed().toList();
        }

        /// A few new members are left when all others are gone, and receive the rest.
        private void finish(RawClient admin) throws IOException {
            List<GroupConsumer> survivors = new ArrayList<>();
            try {
                for (int i = 0; i < SURVIVORS; i++) {
                    GroupConsumer survivor = new GroupConsumer(server.client(), STREAM, TOPIC);
                    survivors.add(survivor);
                    for (GroupLedger ledger : ledgers) {
                        survivor.join(ledger);
                    }
                }
                SplittableRandom random = new SplittableRandom(SEED - 2);
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (!isFinished(admin, survivors)) {
                    assertThat(System.nanoTime())
                            .as(
                                    "when not all members were gone or not all messages received after a minute: %s",
                                    gaps())
                            .isLessThan(deadline);
                    for (GroupConsumer survivor : survivors) {
                        for (GroupLedger ledger : ledgers) {
                            survivor.consume(ledger, random);
                        }
                    }
                }
            } finally {
                survivors.forEach(survivor -> survivor.client().close());
            }
        }

        private boolean isFinished(RawClient admin, List<GroupConsumer> survivors) throws IOException {
            for (GroupLedger ledger : ledgers) {
                if (look(admin, ledger) != SURVIVORS) {
                    return false;
                }
                List<Integer> told = new ArrayList<>();
                for (GroupConsumer survivor : survivors) {
                    told.addAll(survivor.sync(ledger));
                }
                Collections.sort(told);
                if (!told.equals(all())) {
                    return false;
                }
            }
            return gaps().isEmpty();
        }

        private List<String> gaps() {
            List<String> gaps = new ArrayList<>();
            for (GroupLedger ledger : ledgers) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    long missing = ledger.missing(partition, sent[partition]);
                    if (missing >= 0) {
                        gaps.add(ledger.group() + " " + partition + "/" + missing);
                    }
                }
            }
            return gaps;
        }
    }
}
