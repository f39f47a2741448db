package io.galgo.simulator;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.ProtocolVersion;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.RequestHeader;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Channel;
import io.galgo.simulator.world.Concern;
import io.galgo.simulator.world.Endpoint;
import io.galgo.simulator.world.Observer;
import io.galgo.simulator.world.Phase;
import io.galgo.simulator.world.SimulatedMachine;
import io.galgo.simulator.world.World;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The simplest clients there are: each logs in, makes stream and topic, sends and polls by turns, and begins again
/// with
/// a new connection when something does not work.
final class PlainCast implements Cast {
    private static final Identifier S = Identifier.of("s");
    private static final Identifier T = Identifier.of("t");
    private static final long TIMEOUT_NANOS = 2_000_000_000L;

    private final World world;
    private final SplittableRandom random;
    private final List<Client> clients = new ArrayList<>();
    private boolean isStopping;
    long sent;
    long polled;

    PlainCast(World world) {
        this.world = world;
        this.random = world.random(Concern.CLIENTS);
    }

    @Override
    public List<Observer> observers() {
        return List.of();
    }

    @Override
    public void enter(Phase phase) {
        if (phase == Phase.WARM_UP) {
            for (int i = 0; i < world.swarm().clients(); i++) {
                Client client = new Client(new ClientId(i + 1, 77));
                clients.add(client);
                world.after(i, client::connect);
            }
        }
        isStopping = phase == Phase.QUIESCE || phase == Phase.AUDIT;
    }

    @Override
    public boolean isAtRest() {
        for (Client client : clients) {
            if (!client.isStopped) {
                return false;
            }
        }
        return true;
    }

    private final class Client implements Endpoint {
        private final ClientId id;
        private final ByteBuffer received = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
        private @Nullable Channel channel;
        private long session;
        private long number;
        private int stage;
        private int asked;
        private boolean isStopped;

        Client(ClientId id) {
            this.id = id;
        }

        void connect() {
            received.clear();
            stage = 0;
            number = 0;
            session = 0;
            channel = world.connect(this);
            expect();
        }

        private void expect() {
            asked++;
            int mine = asked;
            world.after(TIMEOUT_NANOS, () -> {
                if (mine == asked && !isStopped) {
                    if (channel != null) {
                        channel.abandon();
                    }
                    again();
                }
            });
        }

        private void again() {
            asked++;
            channel = null;
            if (isStopping) {
                isStopped = true;
            } else {
                world.after(random.nextLong(50_000_000L), this::connect);
            }
        }

        @Override
        public void onConnected() {
            ask(new PasswordLogin(
                    ProtocolVersion.CURRENT,
                    "test",
                    "1",
                    SimulatedMachine.ROOT_NAME,
                    SimulatedMachine.ROOT_PASSWORD,
                    ""));
        }

        @Override
        public void onClosed() {
            again();
        }

        @Override
        public void onBytes(ByteBuffer bytes) {
            received.put(bytes);
            int begin = 0;
            while (received.position() - begin >= FrameHeader.BYTES
                    && received.position() - begin >= FrameHeader.size(received, begin)) {
                int length = (int) FrameHeader.size(received, begin);
                ByteBuffer frame = received.slice(begin, length).order(ByteOrder.LITTLE_ENDIAN);
                begin += length;
                onFrame(frame);
            }
            int left = received.position() - begin;
            received.put(0, received, begin, left).position(left);
        }

        private void onFrame(ByteBuffer frame) {
            if (channel == null) {
                return;
            }
            boolean isReply = FrameHeader.command(frame, 0) == FrameHeader.COMMAND_REPLY;
            if (!isReply || (ReplyHeader.status(frame, 0) != 0 && stage == 0)) {
                channel.close();
                again();
                return;
            }
            if (stage == 0) {
                ByteBuffer body = frame.slice(FrameHeader.BYTES + 4, frame.capacity() - FrameHeader.BYTES - 4)
                        .order(ByteOrder.LITTLE_ENDIAN);
                LoginReply reply = LoginReply.decode(body);
                session = reply == null ? 0 : reply.session();
            }
            if (stage == 3 && ReplyHeader.status(frame, 0) == 0) {
                sent++;
            }
            if (stage == 4 && ReplyHeader.status(frame, 0) == 0) {
                polled += PollHeader.messagesCount(frame, FrameHeader.BYTES);
            }
            stage = stage == 4 ? 3 : stage + 1;
            if (isStopping) {
                channel.close();
                again();
                return;
            }
            asked++;
            int mine = asked;
            world.after(random.nextLong(20_000_000L), () -> {
                if (asked == mine) {
                    ask(
                            switch (stage) {
                                case 1 -> new CreateStream("s", Options.NONE);
                                case 2 -> new CreateTopic(S, 3, "t", Options.NONE);
                                case 3 -> send();
                                default ->
                                    new PollMessages(
                                            ConsumerRef.consumer(Identifier.of("worker")),
                                            S,
                                            T,
                                            OptionalPartition.of(random.nextInt(3)),
                                            PollingStrategy.NEXT,
                                            10,
                                            true);
                            });
                }
            });
        }

        private SendMessages send() {
            ByteBuffer batch = batch(new byte[random.nextInt(1, 400)]);
            return new SendMessages(
                    S, T, Partitioning.partition(random.nextInt(3)), 1, true, batch, 0, batch.remaining());
        }

        private void ask(Request request) {
            if (channel == null) {
                return;
            }
            Operation operation = request.command().operation();
            boolean isRead = operation == Operation.NON_REPLICATED;
            boolean isLogin = operation == Operation.REGISTER;
            if (!isRead && !isLogin) {
                number++;
            }
            ByteBuffer body = request.toBuffer();
            int length = FrameHeader.BYTES + body.remaining();
            ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
            RequestHeader.write(
                    frame,
                    0,
                    length,
                    operation,
                    id,
                    isLogin ? 0 : session,
                    isLogin ? 0 : isRead ? number + 1 : number,
                    isRead ? request.command().code() : 0);
            frame.put(FrameHeader.BYTES, body, body.position(), body.remaining());
            channel.send(frame);
            expect();
        }
    }

    static ByteBuffer batch(byte[] payload) {
        int length = BatchHeader.BYTES + MessageFrame.HEADER_BYTES + payload.length;
        ByteBuffer batch = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        BatchHeader.write(batch, 0, 0, 0, 0, 1_600_000_000_000_000L, length, 1);
        MessageFrame.write(batch, BatchHeader.BYTES, 7, 1, 0, 0, 0, payload.length);
        batch.put(MessageFrame.payloadPosition(BatchHeader.BYTES), payload);
        MessageFrame.stampChecksum(batch, BatchHeader.BYTES);
        BatchHeader.checksum(batch, 0, new BatchChecksum().of(batch, 0));
        return batch;
    }
}
