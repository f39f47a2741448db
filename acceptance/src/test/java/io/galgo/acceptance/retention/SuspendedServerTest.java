package io.galgo.acceptance.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A process that stood still for a while does not know how much time has passed until it looks.
@ExtendWith(ServerLogs.class)
class SuspendedServerTest {
    private static final String STREAM = "suspended";
    private static final String TOPIC = "events";
    private static final long EXPIRY_MICROS = 2_000_000;

    /// How long it stands still: `-Dgalgo.suspend.millis=60000` for a whole minute.
    private static final long SUSPENDED_MILLIS = Long.getLong("galgo.suspend.millis", 3_000);

    @TempDir
    Path folder;

    @Test
    void nothingYoungerThanItsExpiryGoesAndWhatIsOlderDoes() throws Exception {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server has no such segments");
        try (ServerProcess server = ServerProcess.start(Servers.on(folder.resolve("data"))
                        .withSegmentBytesMax(1)
                        .withVariable("GALGO_DATA_MAINTENANCE_MESSAGES_INTERVAL", "50 ms"));
                RawClient client = server.client();
                RawClient waiting = server.client();
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            client.createStream(STREAM);
            client.createTopic(
                    STREAM,
                    TOPIC,
                    1,
                    Body.of().option("message_expiry", EXPIRY_MICROS).toBytes());
            for (int i = 0; i < 20; i++) {
                client.send(STREAM, TOPIC, Partitioning.to(0), "before " + i);
            }
            server.suspend();
            Future<?> sending = executor.submit(
                    () -> waiting.send(STREAM, TOPIC, Partitioning.to(0), "sent to a server that stands still"));
            LockSupport.parkNanos(SUSPENDED_MILLIS * 1_000_000);
            server.resume();
            sending.get();
            Map<Long, Long> seen = new TreeMap<>();
            long youngest = 0;
            long end = System.nanoTime() + 1_000_000_000L;
            for (int i = 0; System.nanoTime() < end; i++) {
                youngest = client.send(STREAM, TOPIC, Partitioning.to(0), "since " + i)
                        .baseOffset();
                Polled polled = client.poll(STREAM, TOPIC, 0, Strategy.first(), 100_000);
                long after = System.currentTimeMillis() * 1000;
                assertThat(polled.offsets())
                        .as("a message that was just confirmed")
                        .contains(youngest);
                seen.forEach((offset, timestamp) -> {
                    if (timestamp + EXPIRY_MICROS > after) {
                        assertThat(polled.offsets())
                                .as("offset %s is %s us old", offset, after - timestamp)
                                .contains(offset);
                    }
                });
                for (PolledMessage message : polled.messages()) {
                    seen.put(message.offset(), message.timestamp());
                }
            }
            assertThat(seen.values().stream().filter(time -> time + EXPIRY_MICROS > System.currentTimeMillis() * 1000))
                    .as("messages that were young while it was looked")
                    .isNotEmpty();
            // What was there before is old by now, and the first look tells.
            Polled polled = client.poll(STREAM, TOPIC, 0, Strategy.first(), 100_000);
            assertThat(polled.offsets()).as("the twenty from before").allMatch(offset -> offset >= 20);
            assertThat(polled.currentOffset()).isEqualTo(youngest);
        }
    }
}
