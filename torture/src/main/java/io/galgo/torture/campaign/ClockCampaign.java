package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.history.Payload;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Confirmation;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/// Somebody sets the wall clock of the machine, back and forth, while clients work and across restarts.
///
/// Beside everything that holds otherwise: no message of a topic whose messages expire may go while the process
/// runs, because none of them is really old.
final class ClockCampaign extends WorkCampaign {
    private static final long SECOND = 1_000_000_000L;
    private static final long[] JUMPS = {
        SECOND, 60 * SECOND, 3600 * SECOND, 86_400 * SECOND, 30 * 86_400 * SECOND, 3650 * 86_400 * SECOND
    };
    private static final long EXPIRY_MICROS = 3_600_000_000L;
    private static final Place EXPIRING = new Place("expiring", 0);
    private static final int MESSAGE_BYTES = 300;
    private static final int SENDS = 30;

    private @Nullable Preload preload;
    private @Nullable Path clock;
    private long jumps;

    @Override
    public String name() {
        return "clock";
    }

    @Override
    public String deed() {
        return "finds its wall clock set back and forth by up to ten years, at work and between starts";
    }

    @Override
    ServerSettings settings(Trial trial, Path data) throws IOException, InterruptedException, SkippedException {
        Preload library = preload;
        if (library == null) {
            library = Preload.compile("clock", trial);
            preload = library;
        }
        Path file = trial.newPath("clock");
        clock = file;
        set(file, 0);
        ServerSettings settings = library.with(trial.settings(data)).withVariable("TORTURE_CLOCK", file.toString());
        // So that retention has looked often while the clock was wrong.
        return trial.isGalgo()
                ? settings.withSegmentBytesMax(4096).withVariable("GALGO_DATA_MAINTENANCE_MESSAGES_INTERVAL", "50 ms")
                : settings;
    }

    private static void set(Path file, long nanos) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(0, nanos);
        if (!Files.exists(file)) {
            Files.write(file, bytes.array());
            return;
        }
        // In place: the servers have the file mapped.
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(bytes, 0);
        }
    }

    @Override
    ServerProcess round(Trial trial, Workload workload, ServerProcess server, String when)
            throws IOException, InterruptedException {
        Path file = Objects.requireNonNull(clock);
        Random random = trial.random();
        Shift shift = Shift.begin(workload, server, when, PATIENCE, WRITER_BYTES_MAX / 4);
        Ledger expiring = new Ledger();
        try (RawClient client = server.client()) {
            long first = send(client, expiring, workload.sequence());
            expiring.trimming(EXPIRING);
            expiring.trimmed(EXPIRING, first);
            int count = 3 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                long nanos = JUMPS[random.nextInt(JUMPS.length)] * (random.nextBoolean() ? 1 : -1);
                set(file, random.nextInt(4) == 0 ? 0 : nanos);
                jumps++;
                send(client, expiring, workload.sequence());
                pause(50 + random.nextInt(150));
            }
            expiring.check(EXPIRING, readFrom(client, first));
        } finally {
            trial.close(expiring);
        }
        mustLive(workload, server, when);
        if (random.nextBoolean()) {
            shift.finish();
            return server;
        }
        server.kill();
        shift.join();
        return trial.recovered(server.startAgain());
    }

    @Override
    void prepare(RawClient client) throws IOException {
        client.createTopic(
                Workload.STREAM,
                EXPIRING.topic(),
                1,
                Body.of().option("message_expiry", EXPIRY_MICROS).toBytes());
    }

    /// Sends some messages. Returns the offset of the first.
    private static long send(RawClient client, Ledger ledger, Sequence sequence) throws IOException {
        long first = -1;
        for (int i = 0; i < SENDS; i++) {
            long[] ids = {sequence.id(MESSAGE_BYTES)};
            ledger.sending(ids);
            Confirmation place = client.send(
                    Workload.STREAM, EXPIRING.topic(), Partitioning.to(0), List.of(Message.of(Payload.of(ids[0]))));
            ledger.acknowledged(EXPIRING, place.baseOffset(), ids);
            first = first < 0 ? place.baseOffset() : first;
        }
        return first;
    }

    private static List<PolledMessage> readFrom(RawClient client, long first) throws IOException {
        List<PolledMessage> all = new ArrayList<>();
        while (true) {
            Polled polled =
                    client.poll(Workload.STREAM, EXPIRING.topic(), 0, Strategy.offset(first + all.size()), 1000);
            if (polled.messages().isEmpty()) {
                return all;
            }
            all.addAll(polled.messages());
        }
    }

    @Override
    void tell(Trial trial) {
        trial.note(jumps + " jumps of the wall clock; the monotonic clock goes on, as on a machine whose time is set");
        jumps = 0;
        preload = null;
    }
}
