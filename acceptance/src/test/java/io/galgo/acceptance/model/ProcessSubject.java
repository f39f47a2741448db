package io.galgo.acceptance.model;

import io.galgo.model.Subject;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// A server process under the model's eyes. It dies by SIGKILL.
final class ProcessSubject implements Subject, AutoCloseable {
    private static final int CONSUMER_OFFSETS_MAX = 3;
    private static final int FRAME_BYTES_MAX = 64 << 20;
    private static final long SETTLE_NANOS = 20_000_000;
    private static final int WORK_NANOS_MAX = 3_000_000;

    private ServerProcess server;
    private final List<RawClient> clients = new ArrayList<>();

    ProcessSubject(ServerSettings settings) throws IOException, InterruptedException {
        server = ServerProcess.start(settings.withVariable("GALGO_ROOT_USERNAME", ROOT_NAME)
                .withVariable("GALGO_ROOT_PASSWORD", ROOT_PASSWORD)
                .withVariable("GALGO_PARTITION_CONSUMER_OFFSETS_MAX", Integer.toString(CONSUMER_OFFSETS_MAX)));
    }

    private final class SocketWire implements Wire {
        private final RawClient client;
        private final ServerProcess process = server;

        SocketWire(RawClient client) {
            this.client = client;
        }

        @Override
        public void transmit(ByteBuffer frame) {
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            try {
                client.transmit(bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public @Nullable ByteBuffer receive() {
            try {
                ReplyFrame frame = client.receive();
                ByteBuffer bytes = ByteBuffer.allocate(frame.header().length + frame.body().length)
                        .order(ByteOrder.LITTLE_ENDIAN);
                return bytes.put(frame.header()).put(frame.body()).flip();
            } catch (IOException _) {
                return null;
            }
        }

        @Override
        public @Nullable ByteBuffer arrived() {
            try {
                // From a process that is gone nothing more can come than what has arrived.
                return process != server || client.hasArrived() ? receive() : null;
            } catch (IOException _) {
                return null;
            }
        }

        @Override
        public void close() {
            clients.remove(client);
            client.close();
        }
    }

    @Override
    public Wire connect() {
        try {
            RawClient client = RawClient.connect(server.address());
            clients.add(client);
            return new SocketWire(client);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void settle() {
        LockSupport.parkNanos(SETTLE_NANOS);
    }

    @Override
    public void work(SplittableRandom random) {
        LockSupport.parkNanos(random.nextInt(WORK_NANOS_MAX));
    }

    @Override
    public boolean pass(int seconds) {
        return false;
    }

    @Override
    public void restart(End end) {
        try {
            if (!server.isAlive()) {
                throw new AssertionError("the server died by itself:\n" + server.logTail());
            }
            switch (end) {
                case STOP -> {
                    int code = server.stop();
                    if (code != 0) {
                        throw new AssertionError("the server stopped with exit code " + code);
                    }
                }
                case KILL -> server.kill();
                case POWER_LOSS -> throw new IllegalArgumentException("no test takes the power from this machine");
            }
            server = server.startAgain();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public long nowMicros() {
        return System.currentTimeMillis() * 1000;
    }

    @Override
    public int frameBytesMax() {
        return FRAME_BYTES_MAX;
    }

    @Override
    public int consumerOffsetsMax() {
        return CONSUMER_OFFSETS_MAX;
    }

    @Override
    public String log() {
        return server.logTail();
    }

    @Override
    public boolean isPrompt() {
        return false;
    }

    @Override
    public void close() {
        clients.forEach(RawClient::close);
        server.close();
    }
}
