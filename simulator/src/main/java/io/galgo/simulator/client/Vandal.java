package io.galgo.simulator.client;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.RequestHeader;
import io.galgo.simulator.world.Channel;
import io.galgo.simulator.world.Endpoint;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.World;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Somebody who connects and sends anything but requests: garbage, half a frame and then nothing, headers that lie.
/// What it gets back is nobody's concern.
final class Vandal implements Endpoint {
    private static final List<Operation> OPERATIONS = List.of(Operation.values());
    private static final List<CommandCode> COMMANDS = List.of(CommandCode.values());
    private static final long PAUSE_NANOS = 400_000_000;

    private final World world;
    private final SplittableRandom random;
    private @Nullable Channel channel;
    private boolean isStopped;
    private boolean isConnected;

    Vandal(World world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    void start() {
        if (!isStopped) {
            isConnected = false;
            channel = world.connect(this);
        }
    }

    void stop() {
        isStopped = true;
        Channel used = channel;
        if (used != null) {
            used.close();
        }
        channel = null;
    }

    @Override
    public void onConnected() {
        isConnected = true;
        act();
    }

    @Override
    public void onBytes(ByteBuffer bytes) {}

    @Override
    public void onClosed() {
        channel = null;
        world.after(PAUSE_NANOS, this::start);
    }

    private void act() {
        Channel used = channel;
        if (used == null || isStopped || !isConnected) {
            return;
        }
        world.tally().onFault(FaultClass.RUDE_CLIENT);
        switch (random.nextInt(6)) {
            case 5 -> {
                // Room is kept for what never comes, until somebody has had enough.
                used.send(giant());
                return;
            }
            case 0 -> used.send(garbage(1 + random.nextInt(2_000)));
            case 1 -> {
                ByteBuffer frame = frame();
                frame.limit(1 + random.nextInt(frame.remaining() - 1));
                used.send(frame);
            }
            case 2 -> used.endOutput();
            case 3 -> {
                ByteBuffer frame = frame();
                for (int i = 0; i < 3; i++) {
                    frame.put(random.nextInt(frame.remaining()), (byte) random.nextInt(256));
                }
                used.send(frame);
            }
            default -> {
                used.abandon();
                channel = null;
                world.after(PAUSE_NANOS, this::start);
                return;
            }
        }
        world.after(PAUSE_NANOS, this::act);
    }

    private ByteBuffer garbage(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// The beginning of a frame as large as may be.
    private ByteBuffer giant() {
        int most = world.swarm().settings().frameBytesMax();
        ByteBuffer whole = frame(most - random.nextInt(most / 4));
        whole.limit(FrameHeader.BYTES + random.nextInt(64));
        return whole;
    }

    private ByteBuffer frame() {
        return frame(FrameHeader.BYTES + random.nextInt(300));
    }

    private ByteBuffer frame(int length) {
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
        CommandCode command = COMMANDS.get(random.nextInt(COMMANDS.size()));
        RequestHeader.write(
                frame,
                0,
                length,
                operation,
                new ClientId(random.nextLong(), random.nextLong()),
                random.nextInt(3),
                random.nextInt(3),
                command.code());
        return frame;
    }
}
