package io.galgo.broker.shard;

import io.galgo.model.Subject;
import io.galgo.storage.disk.MemoryDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A [TestNode] under the model's eyes: everything happens in one thread, in an order that a seed draws.
final class NodeSubject implements Subject {
    private static final int CONSUMER_OFFSETS_MAX = 3;
    /// No request is answered later than that.
    private static final int ANSWER_SECONDS_MAX = 15;

    private static final int LOG_TOLD = 12;

    private final SplittableRandom random;
    private final TestNode node;

    NodeSubject(long seed) {
        this.random = new SplittableRandom(~seed);
        this.node = new TestNode(
                1 + random.nextInt(3),
                Settings.with(TestNode.SETTINGS, "consumerOffsetsMax", CONSUMER_OFFSETS_MAX),
                seed);
    }

    private final class NodeWire implements Wire {
        private final TestClient client;

        NodeWire(TestClient client) {
            this.client = client;
        }

        @Override
        public void transmit(ByteBuffer frame) {
            client.deliver(frame);
        }

        @Override
        public @Nullable ByteBuffer receive() {
            for (int second = 0; second <= ANSWER_SECONDS_MAX; second++) {
                do {
                    ByteBuffer frame = client.link.next();
                    if (frame != null) {
                        return frame;
                    }
                } while (node.step(random));
                node.clock.advance(1_000_000_000L);
            }
            return null;
        }

        @Override
        public @Nullable ByteBuffer arrived() {
            return client.link.next();
        }

        @Override
        public void close() {
            client.link.cut();
            node.clients.remove(client);
        }
    }

    @Override
    public Wire connect() {
        return new NodeWire(node.connect(random.nextInt(node.shardsCount())));
    }

    @Override
    public void settle() {
        pass(1);
    }

    @Override
    public void work(SplittableRandom source) {
        int steps = source.nextInt(40);
        for (int i = 0; i < steps && node.step(source); i++) {
            // Each step is one thing that happens.
        }
    }

    @Override
    public boolean pass(int seconds) {
        node.run();
        for (int i = 0; i < seconds; i++) {
            node.clock.advance(1_000_000_000L);
            node.run();
        }
        return true;
    }

    @Override
    public void restart(End end) {
        switch (end) {
            case STOP -> node.stopAndRestart();
            case KILL -> node.killAndRestart();
            case POWER_LOSS -> {
                MemoryDisk.PowerLoss[] extents = MemoryDisk.PowerLoss.values();
                node.losePowerAndRestart(extents[random.nextInt(extents.length)]);
            }
        }
    }

    @Override
    public long nowMicros() {
        return node.clock.wallMicros();
    }

    @Override
    public int frameBytesMax() {
        return TestNode.SETTINGS.frameBytesMax();
    }

    @Override
    public int consumerOffsetsMax() {
        return CONSUMER_OFFSETS_MAX;
    }

    @Override
    public String log() {
        List<String> lines = new ArrayList<>(node.log.warnings);
        lines.addAll(node.log.errors);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TOLD), lines.size()));
    }

    @Override
    public boolean isPrompt() {
        return true;
    }

    /// All that is left at the end is given back.
    void assertNothingIsHeld() {
        node.run();
        node.assertNoMemoryIsHeld();
    }
}
