package io.galgo.acceptance.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Code;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What clients can have as much of as they like costs the server a bounded amount of memory and handles.
@ExtendWith(ServerLogs.class)
class UnboundedResourcesTest {
    private static final int NAMES = Integer.getInteger("galgo.resources.names", 100_000);
    private static final int MESSAGES = Integer.getInteger("galgo.resources.messages", 1_000_000);
    private static final int CONNECTIONS = Integer.getInteger("galgo.resources.connections", 300);
    private static final int PIPELINED = 100;
    private static final String STREAM = "unbounded";
    private static final String TOPIC = "events";

    /// What the heap, the caches and the allocator may take on top of what they have after a warm-up. Without a
    /// bound somewhere, what is done here takes much more.
    private static final long GROWTH_BYTES_MAX = 256L << 20;

    @TempDir
    Path folder;

    @BeforeEach
    void onlyGalgo() {
        Assumptions.assumeFalse(Target.current().isReference(), "the bounds are Galgo's");
    }

    private ServerSettings settings() {
        return Servers.on(folder.resolve("data")).withVariable("GALGO_MEMORY_POOL_SIZE", "512 MiB");
    }

    private static void tell(String what, ServerProcess server, long memoryBefore, long handlesBefore)
            throws IOException {
        Figures.tell(what + ": resident memory " + (memoryBefore >> 20) + " -> " + (server.residentMemory() >> 20)
                + " MiB, handles " + handlesBefore + " -> " + server.openHandles());
    }

    @Test
    void aHundredThousandConsumerNamesCostNothing() throws Exception {
        try (ServerProcess server = ServerProcess.start(settings());
                RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(STREAM, TOPIC, 1);
            client.send(STREAM, TOPIC, Partitioning.to(0), "one");
            Map<String, Integer> outcomes = new TreeMap<>();
            poll(client, 0, NAMES / 10, outcomes);
            long memory = server.residentMemory();
            long handles = server.openHandles();
            poll(client, NAMES / 10, NAMES, outcomes);
            tell(NAMES + " consumer names", server, memory, handles);
            assertThat(outcomes.get("OK"))
                    .as("names whose offset was stored: %s", outcomes)
                    .isEqualTo(Math.min(NAMES, 4096));
            assertThat(outcomes.keySet()).as("answers").containsOnly("OK", "DENY 3024");
            assertThat(server.residentMemory()).isLessThan(memory + GROWTH_BYTES_MAX);
            assertThat(server.openHandles()).isLessThanOrEqualTo(handles + 8);
        }
    }

    /// Polls under names that nobody used before, each of which wants an offset to be stored.
    private static void poll(RawClient client, int from, int to, Map<String, Integer> outcomes) throws IOException {
        for (int first = from; first < to; first += PIPELINED) {
            int end = Math.min(to, first + PIPELINED);
            for (int i = first; i < end; i++) {
                byte[] body = RawClient.pollBody(
                        Body.of().consumer("consumer number " + i), STREAM, TOPIC, 0, Strategy.first(), 1, true);
                client.transmit(client.read(Code.POLL, body).toBytes());
            }
            for (int i = first; i < end; i++) {
                outcomes.merge(client.receive().outcome(), 1, Integer::sum);
            }
        }
    }

    @Test
    void moreConnectionsThanHandlesAreRefusedAndTheServerRecovers() throws Exception {
        try (ServerProcess server = ServerProcess.start(settings().withOpenFilesMax(256));
                RawClient first = server.client()) {
            first.createStream(STREAM);
            first.createTopic(STREAM, TOPIC, 2);
            List<RawClient> clients = new ArrayList<>();
            int refused = 0;
            try {
                for (int i = 0; i < CONNECTIONS; i++) {
                    try {
                        RawClient client = RawClient.connect(server.address());
                        if (client.ask(Code.PING, new byte[0]).isOk()) {
                            clients.add(client);
                        }
                    } catch (IOException _) {
                        refused++;
                    }
                }
                Figures.tell(CONNECTIONS + " connections with 256 handles: " + clients.size() + " served, " + refused
                        + " refused, handles " + server.openHandles());
                assertThat(refused).as("connections that were turned away").isPositive();
                assertThat(clients.size() + refused).isEqualTo(CONNECTIONS);
                assertThat(server.isAlive()).isTrue();
                assertThat(server.openHandles()).isLessThan(256);
                // Whoever is connected works on, also on files that were not open before.
                first.send(STREAM, TOPIC, Partitioning.to(0), "while all handles are taken");
                first.send(STREAM, TOPIC, Partitioning.to(1), "while all handles are taken");
                assertThat(first.storeOffset(Body.of().consumer(1), STREAM, TOPIC, 0, 0)
                                .outcome())
                        .isEqualTo("OK");
                assertThat(server.log()).as("what people are told").contains("connection");
            } finally {
                clients.forEach(RawClient::close);
            }
            RawClient later = null;
            for (long end = System.nanoTime() + 20_000_000_000L; later == null; ) {
                try {
                    later = server.client();
                } catch (IOException e) {
                    assertThat(System.nanoTime())
                            .as("nanoseconds until it accepts again")
                            .isLessThan(end);
                    LockSupport.parkNanos(10_000_000);
                }
            }
            assertThat(later.poll(STREAM, TOPIC, 0, Strategy.first(), 10).texts())
                    .containsExactly("while all handles are taken");
            later.close();
        }
    }

    @Test
    void oneByteMessagesByTheMillionLeaveMemoryAndHandlesAsTheyWere() throws Exception {
        try (ServerProcess server = ServerProcess.start(settings().withSegmentBytesMax(1 << 20));
                RawClient client = server.client()) {
            client.createStream(STREAM);
            client.createTopic(STREAM, TOPIC, 4);
            send(client, MESSAGES / 4);
            long memory = server.residentMemory();
            long handles = server.openHandles();
            send(client, MESSAGES - MESSAGES / 4);
            tell(MESSAGES + " messages of one byte", server, memory, handles);
            assertThat(client.topic(STREAM, TOPIC).orElseThrow().messagesCount())
                    .as("messages")
                    .isEqualTo(MESSAGES);
            assertThat(server.residentMemory()).isLessThan(memory + GROWTH_BYTES_MAX);
            assertThat(server.openHandles()).isLessThan(handles + 300);
            client.succeed(Operation.DELETE_STREAM, Body.of().id(STREAM));
            long end = System.nanoTime() + 20_000_000_000L;
            while (server.openHandles() > handles + 8 && System.nanoTime() < end) {
                LockSupport.parkNanos(10_000_000);
            }
            assertThat(server.openHandles()).as("after the stream was deleted").isLessThanOrEqualTo(handles + 8);
        }
    }

    /// A twentieth of them alone in their batches, the rest by the thousand.
    private static void send(RawClient client, int count) throws IOException {
        List<Message> single = List.of(Message.of("x"));
        List<Message> thousand = Collections.nCopies(1_000, Message.of("x"));
        int singles = count / 20;
        int left = count;
        while (left > 0) {
            int pipelined = 0;
            while (left > 0 && pipelined < 16) {
                List<Message> batch = singles > 0 ? single : thousand.subList(0, Math.min(1_000, left));
                singles--;
                left -= batch.size();
                byte[] body = RawClient.sendBody(STREAM, TOPIC, Partitioning.to(pipelined % 4), batch);
                client.transmit(client.write(Operation.SEND, body).toBytes());
                pipelined++;
            }
            for (int i = 0; i < pipelined; i++) {
                ReplyFrame reply = client.receive();
                assertThat(reply.outcome()).as("a send").isEqualTo("OK");
            }
        }
    }
}
