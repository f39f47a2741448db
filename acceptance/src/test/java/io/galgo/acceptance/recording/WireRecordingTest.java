package io.galgo.acceptance.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.acceptance.recording.Recording.Exchange;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The requests of a recorded session of the published Python client, sent again to a fresh server, get the replies
/// of the recording.
///
/// `differences.tsv` lists the fields that are meant to differ, each with its reason. What differs and is not listed
/// fails, and so does what is listed and does not differ.
@ExtendWith(ServerLogs.class)
class WireRecordingTest {
    private static final int SESSION_AT = 184;
    private static final String MISSING = "(missing)";

    @Test
    void repliesEqualTheRecordedOnesInEveryField(@TempDir Path folder) throws Exception {
        List<Difference> differences = new ArrayList<>();
        List<Exchange> exchanges = Recording.ofPythonClient().exchanges();
        try (ServerProcess server = ServerProcess.start(Servers.on(folder.resolve("data")))) {
            Replay replay = new Replay(server);
            for (Exchange exchange : exchanges) {
                differences.addAll(compare(exchange, replay.repeat(exchange)));
            }
            replay.close();
        }
        List<Excuse> excuses = Target.current().isReference() ? List.of() : excuses();
        Set<Excuse> used = new LinkedHashSet<>();
        List<Difference> unexcused = new ArrayList<>();
        for (Difference difference : differences) {
            List<Excuse> fitting =
                    excuses.stream().filter(excuse -> excuse.covers(difference)).toList();
            used.addAll(fitting);
            if (fitting.isEmpty()) {
                unexcused.add(difference);
            }
        }
        assertThat(unexcused)
                .as("differences that differences.tsv does not list")
                .isEmpty();
        assertThat(used).as("lines of differences.tsv that still occur").containsExactlyInAnyOrderElementsOf(excuses);
    }

    @Test
    void aReplyWithOneOtherByteIsSeen() throws Exception {
        for (Exchange exchange : Recording.ofPythonClient().exchanges()) {
            byte[] body = exchange.reply().body().clone();
            if (exchange.request().code() != 100 || body.length <= 16) {
                continue;
            }
            body[body.length - 1] ^= 1;
            assertThat(compare(exchange, new ReplyFrame(exchange.reply().header(), body)))
                    .as("differences of exchange %s with a flipped byte", exchange.number())
                    .isNotEmpty();
        }
    }

    /// Sends the recorded requests over connections as they were, with the session that this server gave.
    private static final class Replay {
        private final ServerProcess server;
        private final Map<Integer, RawClient> connections = new HashMap<>();
        private final Map<Integer, Long> sessions = new HashMap<>();

        Replay(ServerProcess server) {
            this.server = server;
        }

        ReplyFrame repeat(Exchange exchange) throws IOException {
            RawClient client = connections.get(exchange.connection());
            if (client == null) {
                close();
                client = RawClient.connect(server.address());
                connections.put(exchange.connection(), client);
            }
            byte[] header = exchange.request().header().clone();
            ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
            if (fields.getLong(SESSION_AT) != 0) {
                fields.putLong(SESSION_AT, sessions.getOrDefault(exchange.connection(), 0L));
            }
            client.transmit(header);
            client.transmit(exchange.request().body());
            ReplyFrame reply = client.receive();
            if (exchange.request().operation() == 1 && reply.isOk()) {
                Fields login = new Fields(reply.payload());
                login.u32();
                sessions.put(exchange.connection(), login.u64());
            }
            return reply;
        }

        void close() {
            connections.values().forEach(RawClient::close);
            connections.clear();
        }
    }

    /// A field in which a reply is not what was recorded.
    private record Difference(int number, String request, String field, String recorded, String ours) {}

    /// A line of `differences.tsv`: a field that is meant to differ, wherever it occurs. The first two are regular
    /// expressions; a value `*` stands for any.
    private record Excuse(Pattern request, Pattern field, String recorded, String ours) {
        boolean covers(Difference difference) {
            return request.matcher(difference.request).matches()
                    && field.matcher(difference.field).matches()
                    && (recorded.equals("*") || recorded.equals(difference.recorded))
                    && (ours.equals("*") || ours.equals(difference.ours));
        }
    }

    private static List<Difference> compare(Exchange exchange, ReplyFrame reply) {
        Map<String, String> recorded = ReplyFields.of(exchange.request(), exchange.reply());
        Map<String, String> ours = ReplyFields.of(exchange.request(), reply);
        Set<String> names = new LinkedHashSet<>(recorded.keySet());
        names.addAll(ours.keySet());
        List<Difference> differences = new ArrayList<>();
        for (String name : names) {
            String before = recorded.getOrDefault(name, MISSING);
            String now = ours.getOrDefault(name, MISSING);
            if (!before.equals(now)) {
                differences.add(
                        new Difference(exchange.number(), exchange.request().name(), name, before, now));
            }
        }
        return differences;
    }

    private static List<Excuse> excuses() throws IOException {
        List<Excuse> excuses = new ArrayList<>();
        for (String line : table("differences.tsv")) {
            String[] cells = line.split("\t", -1);
            assertThat(cells).as("cells of \"%s\" in differences.tsv", line).hasSize(5);
            assertThat(cells[4]).as("reason of \"%s\" in differences.tsv", line).isNotBlank();
            excuses.add(new Excuse(Pattern.compile(cells[0]), Pattern.compile(cells[1]), cells[2], cells[3]));
        }
        return excuses;
    }

    private static List<String> table(String name) throws IOException {
        try (InputStream resource = WireRecordingTest.class.getResourceAsStream("/recording/" + name)) {
            if (resource == null) {
                throw new AssertionError("there is no resource recording/" + name);
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}
