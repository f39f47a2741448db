package io.galgo.acceptance.differential;

import io.galgo.acceptance.differential.Arguments.Argument;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.recording.ReplyFields;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Fields;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/// Sends the requests of one script to a server of its own, one after the other, each after the reply to the last.
///
/// | edit | how the frame departs from what a published client would send |
/// |---|---|
/// | `@cut=2` `@append=hex:00` `@flip=-1` `@body=hex:` | without the last bytes; with more; with a byte inverted; with
/// another body |
/// | `@client=c2` `@client=zero` | another client id: that of a connection, or zero; a login keeps it |
/// | `@session=` `@request=` `@operation=` | another number; a request with a number of its own takes none |
/// | `@checksum=none` `@checksum=wrong` `@checksum=right` | of the request; by default only partition writes and reads
/// have none |
/// | `@until=messages_count:0` | the request again until the reply has that field, for what happens in the background |
/// | `@unsent` | the recorded server is spared this one: it would stop |
final class Runner implements AutoCloseable {
    private static final Duration SILENCE_OF_REFERENCE = Duration.ofSeconds(5);
    private static final Duration SILENCE = Duration.ofSeconds(25);
    private static final Duration UNTIL = Duration.ofSeconds(10);
    private static final long UNTIL_PAUSE_NANOS = 20_000_000;

    private final Script script;
    private final Map<String, RawClient> connections = new HashMap<>();
    private final Map<String, String> variables = new HashMap<>();
    private final List<Transcript.Entry> entries = new ArrayList<>();
    private ServerProcess server;

    private Runner(Script script, ServerProcess server) {
        this.script = script;
        this.server = server;
    }

    /// Runs the script against a new server.
    static Transcript run(Script script, Path folder) throws IOException, InterruptedException {
        ServerSettings settings = Servers.on(folder.resolve("data"));
        String prefix = settings.program().isGalgo() ? "GALGO_" : "IGGY_";
        for (Map.Entry<String, String> setting : script.settings().entrySet()) {
            settings = settings.withVariable(
                    prefix + setting.getKey().replace('.', '_').toUpperCase(Locale.ROOT), setting.getValue());
        }
        try (Runner runner = new Runner(script, ServerProcess.start(settings))) {
            for (Step step : script.steps()) {
                try {
                    runner.run(step);
                } catch (IOException | AssertionError e) {
                    throw new AssertionError(
                            script.place(step) + ": " + e + "\nThe server's log ends with\n" + runner.server.logTail(),
                            e);
                }
            }
            return new Transcript(runner.entries);
        }
    }

    private void run(Step step) throws IOException, InterruptedException {
        switch (step) {
            case Step.Request request -> entries.add(new Transcript.Entry(request.text(), replyTo(request)));
            case Step.Close close -> forget(close.connection());
            case Step.Restart _ -> {
                List.copyOf(connections.keySet()).forEach(this::forget);
                server.stop();
                server = server.startAgain();
            }
        }
    }

    private Map<String, String> replyTo(Step.Request request) throws IOException {
        String place = script.place(request);
        Arguments edits = new Arguments(place, resolved(place, request.edits()));
        if (edits.has("unsent") && isReference()) {
            return new LinkedHashMap<>(Map.of("outcome", Transcript.NOT_SENT));
        }
        Optional<Value> until = edits.find("until");
        long deadline = System.nanoTime() + UNTIL.toNanos();
        while (true) {
            Exchange exchange = exchange(request, edits);
            edits.mustBeUsedUp();
            boolean isDone = until.isEmpty()
                    || System.nanoTime() > deadline
                    || exchange.has(
                            until.get().text().replaceFirst(":.*", ""),
                            until.get().behindColon().text());
            if (isDone) {
                for (Argument kept : request.kept()) {
                    variables.put(kept.name(), exchange.value(kept.value().text()));
                }
                return exchange.comparable();
            }
            LockSupport.parkNanos(UNTIL_PAUSE_NANOS);
        }
    }

    private Exchange exchange(Step.Request request, Arguments edits) throws IOException {
        String place = script.place(request);
        RawClient client = connections.get(request.connection());
        if (client == null) {
            client = RawClient.connect(server.address());
            connections.put(request.connection(), client);
        }
        Requests.Encoded encoded =
                Requests.encode(request.command(), new Arguments(place, resolved(place, request.arguments())));
        RequestFrame frame = frame(client, encoded, edits);
        remember(request.connection(), client);
        try {
            client.transmit(frame.toBytes());
            Optional<ReplyFrame> reply = client.receiveWithin(isReference() ? SILENCE_OF_REFERENCE : SILENCE);
            if (reply.isEmpty()) {
                return new Exchange("silence", Optional.empty());
            }
            if (frame.operation() == Operation.REGISTER && reply.get().isOk()) {
                takeSession(client, reply.get());
                remember(request.connection(), client);
            }
            return new Exchange("", Optional.of(ReplyFields.ofOutcome(frame, reply.get())));
        } catch (EOFException | SocketException _) {
            forget(request.connection());
            return new Exchange("closed", Optional.empty());
        }
    }

    /// A reply, or what came in its place.
    private record Exchange(String instead, Optional<ReplyFields> fields) {
        boolean has(String name, String value) {
            return fields.isPresent() && fields.get().has(name, value);
        }

        String value(String name) {
            return fields.flatMap(known -> known.find(name)).orElse("0");
        }

        Map<String, String> comparable() {
            return fields.isPresent() ? fields.get().comparable() : new LinkedHashMap<>(Map.of("outcome", instead));
        }
    }

    /// A login on a connection that is bound already returns its session, which goes on counting.
    private static void takeSession(RawClient client, ReplyFrame reply) {
        Fields login = new Fields(reply.payload());
        login.u32();
        if (login.u64() != client.session()) {
            client.onLoggedIn(reply);
        }
    }

    private RequestFrame frame(RawClient client, Requests.Encoded encoded, Arguments edits) {
        byte[] body = edited(encoded.body(), edits);
        int operation = (int) edits.number("operation", encoded.operation());
        Optional<byte[]> id = edits.find("client").map(this::clientId);
        Optional<Value> number = edits.find("request");
        RequestFrame frame;
        if (operation == Operation.REGISTER) {
            id.ifPresent(client::useClientId);
            frame = client.register(body);
        } else if (operation == Operation.NON_REPLICATED) {
            frame = client.read(encoded.code(), body);
        } else if (number.isPresent()) {
            frame = new RequestFrame(client.clientId(), 0, 0, operation, client.session(), 0, body);
        } else {
            frame = client.write(operation, body);
        }
        frame = new RequestFrame(
                id.orElse(frame.client()),
                frame.checksum(),
                number.map(Value::number).orElse(frame.request()),
                operation,
                edits.number("session", frame.session()),
                frame.code(),
                body);
        boolean isStamped = operation != Operation.NON_REPLICATED && operation < Operation.SEND;
        return switch (edits.text("checksum", isStamped ? "right" : "none")) {
            case "right" -> frame.stamped();
            case "wrong" -> frame.stamped().withChecksum(RequestFrame.checksumOf(body) ^ 1);
            case "none" -> frame.withChecksum(0);
            default -> throw edits.wrong("a checksum is right, wrong or none");
        };
    }

    private static byte[] edited(byte[] encoded, Arguments edits) {
        byte[] body = edits.find("body").map(Value::bytes).orElse(encoded);
        int length = body.length - (int) edits.number("cut", 0);
        byte[] more = edits.find("append").map(Value::bytes).orElse(new byte[0]);
        byte[] edited = Arrays.copyOf(body, length + more.length);
        System.arraycopy(more, 0, edited, length, more.length);
        edits.find("flip").ifPresent(at -> {
            int index = Integer.parseInt(at.text());
            edited[index < 0 ? edited.length + index : index] ^= (byte) 0xFF;
        });
        return edited;
    }

    private byte[] clientId(Value value) {
        if (value.text().equals("zero")) {
            return new byte[16];
        }
        String known = variables.get(value.text() + ".client");
        return known == null ? value.bytes() : Value.of(known).bytes();
    }

    private List<Argument> resolved(String place, List<Argument> arguments) {
        return arguments.stream()
                .map(argument -> new Argument(argument.name(), argument.value().resolved(place, variables)))
                .toList();
    }

    private void remember(String connection, RawClient client) {
        variables.put(connection + ".client", "hex:" + HexFormat.of().formatHex(client.clientId()));
        variables.put(connection + ".session", Long.toUnsignedString(client.session()));
    }

    private void forget(String connection) {
        RawClient client = connections.remove(connection);
        if (client != null) {
            client.close();
        }
    }

    private boolean isReference() {
        return !server.settings().program().isGalgo();
    }

    @Override
    public void close() {
        List.copyOf(connections.keySet()).forEach(this::forget);
        server.close();
    }
}
