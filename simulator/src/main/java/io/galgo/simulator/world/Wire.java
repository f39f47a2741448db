package io.galgo.simulator.world;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// One connection, from the client's kernel to the server's.
///
/// Each direction is a stream: what arrives does so in order. The end of a stream arrives behind what was sent; a
/// reset overtakes it.
final class Wire implements Channel {
    private static final long NO_ANSWER_NANOS = 2_000_000_000L;
    private static final int FRAGMENTS_MAX = 12;

    private enum State {
        CONNECTING,
        OPEN,
        /// By the client; its kernel still answers.
        CLOSED,
        /// The client does not exist any more, and nobody answers in its place.
        ABANDONED,
        /// By the other end, or the network. The client knows.
        ENDED
    }

    private final Network network;
    private final Universe universe;
    private final SimulatedMachine machine;
    private final Endpoint endpoint;
    private final int number;
    private final ArrayDeque<byte[]> unread = new ArrayDeque<>();
    private State state = State.CONNECTING;
    private boolean isReading = true;
    private boolean isOutputEnded;
    private boolean isEndUnread;
    private boolean isBroken;
    private @Nullable ServerEnd server;
    private @Nullable SimulatedProcess process;
    private long lastUp;
    private long lastDown;
    private long stalledUpUntil;
    private long stalledDownUntil;

    Wire(Network network, SimulatedMachine machine, Endpoint endpoint, int number) {
        this.network = network;
        this.universe = network.universe();
        this.machine = machine;
        this.endpoint = endpoint;
        this.number = number;
    }

    int number() {
        return number;
    }

    Network network() {
        return network;
    }

    // ---- connecting

    void begin() {
        later(network.delay(), this::onSyn);
    }

    private void onSyn() {
        if (state != State.CONNECTING) {
            network.forget(this);
            return;
        }
        SimulatedProcess listening = machine.processOrNull();
        if (listening == null || !listening.isListening()) {
            later(machine.isPowered() ? network.delay() : NO_ANSWER_NANOS, this::onReset);
            return;
        }
        process = listening;
        int shard = network.random().nextInt(universe.swarm().shards());
        listening.deliver(() -> {
            ServerEnd end = new ServerEnd(this, listening, shard);
            server = end;
            end.accept();
        });
        later(network.delay(), () -> {
            if (state == State.CONNECTING) {
                state = State.OPEN;
                universe.digest().add(number);
                endpoint.onConnected();
            }
        });
    }

    private void later(long nanos, Runnable event) {
        universe.schedule().after(nanos, event);
    }

    // ---- the client's side

    @Override
    public void send(ByteBuffer bytes) {
        if (state != State.OPEN || isOutputEnded) {
            return;
        }
        ByteBuffer left = bytes.duplicate();
        int most = Math.max(network.settings().fragmentBytesMax(), left.remaining() / FRAGMENTS_MAX + 1);
        while (left.hasRemaining()) {
            byte[] fragment = new byte[1 + network.random().nextInt(Math.min(most, left.remaining()))];
            if (left.remaining() - fragment.length < 16 || network.random().nextInt(3) == 0) {
                fragment = new byte[Math.min(most, left.remaining())];
            }
            left.get(fragment);
            carryUp(fragment);
        }
    }

    private void carryUp(byte[] fragment) {
        network.spoil(fragment);
        up(() -> {
            if (!isServed()) {
                onNobodyListens();
                return;
            }
            universe.digest().add(fragment);
            onServer(end -> end.onBytes(fragment));
        });
    }

    private void up(Runnable arrival) {
        long at = Math.max(Math.max(lastUp + 1, stalledUpUntil), universe.nowNanos() + network.delay());
        lastUp = at;
        universe.schedule().at(at, arrival);
    }

    /// What arrives for a process that stands still waits in the kernel.
    private void onServer(java.util.function.Consumer<ServerEnd> arrival) {
        SimulatedProcess serving = process;
        if (serving != null) {
            serving.deliver(() -> {
                ServerEnd end = server;
                if (end != null) {
                    arrival.accept(end);
                }
            });
        }
    }

    private boolean isServed() {
        return process != null && process.isAlive();
    }

    /// Bytes came to a machine whose process is another one, or none.
    private void onNobodyListens() {
        if (machine.isPowered()) {
            later(network.delay(), this::onReset);
        }
    }

    @Override
    public void close() {
        switch (state) {
            case CONNECTING, OPEN -> {
                boolean wasOpen = state == State.OPEN;
                state = State.CLOSED;
                unread.clear();
                if (wasOpen && !isOutputEnded) {
                    isOutputEnded = true;
                    carryEnd();
                } else if (!wasOpen) {
                    // The handshake is half done; the server may have a connection that nobody uses.
                    carryEnd();
                }
                // What the server sends from now on is answered by a reset, and so is what was not read.
                if (wasOpen && server == null) {
                    network.forget(this);
                }
            }
            case CLOSED, ABANDONED, ENDED -> {}
        }
    }

    private void carryEnd() {
        up(() -> {
            if (isServed()) {
                onServer(ServerEnd::onInputEnd);
            } else {
                network.forget(this);
            }
        });
    }

    @Override
    public void endOutput() {
        if (state == State.OPEN && !isOutputEnded) {
            isOutputEnded = true;
            carryEnd();
        }
    }

    @Override
    public void abandon() {
        if (state == State.CONNECTING || state == State.OPEN) {
            state = State.ABANDONED;
            unread.clear();
        }
    }

    @Override
    public void stopReading() {
        isReading = false;
    }

    @Override
    public void resumeReading() {
        if (!isReading) {
            isReading = true;
            later(0, this::readOn);
        }
    }

    private void readOn() {
        while (isReading && state == State.OPEN && !unread.isEmpty()) {
            read(unread.remove());
        }
        if (isReading && state == State.OPEN && isEndUnread) {
            end();
        }
    }

    private void read(byte[] bytes) {
        later(network.delay(), () -> onServer(end -> end.onAcknowledged(bytes.length)));
        endpoint.onBytes(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    }

    @Override
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isWhole() {
        boolean isBeingAccepted = process == null;
        return state == State.OPEN && !isBroken && (isBeingAccepted || isServed());
    }

    private void end() {
        state = State.ENDED;
        unread.clear();
        // The client's kernel closes with it: a client that got the end of the stream has nothing more to say.
        if (!isOutputEnded) {
            isOutputEnded = true;
            carryEnd();
        }
        if (process == null || !isServed()) {
            network.forget(this);
        }
        endpoint.onClosed();
    }

    /// The connection is refused, or was reset.
    private void onReset() {
        if (state == State.CONNECTING || state == State.OPEN) {
            state = State.ENDED;
            unread.clear();
            isOutputEnded = true;
            endpoint.onClosed();
        }
        network.forget(this);
    }

    // ---- the server's side

    /// Carries bytes of the server.
    void carryDown(byte[] fragment) {
        network.spoil(fragment);
        down(() -> {
            switch (state) {
                case CONNECTING, OPEN -> {
                    if (state == State.OPEN && isReading && unread.isEmpty()) {
                        universe.digest().add(fragment);
                        read(fragment);
                    } else {
                        unread.add(fragment);
                    }
                }
                case CLOSED, ENDED -> later(network.delay(), () -> onServer(ServerEnd::onReset));
                case ABANDONED -> {}
            }
        });
    }

    private void down(Runnable arrival) {
        long at = Math.max(Math.max(lastDown + 1, stalledDownUntil), universe.nowNanos() + network.delay());
        lastDown = at;
        universe.schedule().at(at, arrival);
    }

    /// The server sends no more.
    void carryDownEnd() {
        down(() -> {
            switch (state) {
                case OPEN -> {
                    if (isReading && unread.isEmpty()) {
                        end();
                    } else {
                        isEndUnread = true;
                    }
                }
                case CONNECTING -> onReset();
                case CLOSED, ENDED, ABANDONED -> {}
            }
        });
    }

    /// The server threw the connection away.
    void carryDownReset() {
        later(network.delay(), this::onResetUnlessAbandoned);
    }

    private void onResetUnlessAbandoned() {
        if (state == State.ABANDONED) {
            network.forget(this);
        } else {
            onReset();
        }
    }

    void onServerGone() {
        if (state == State.CLOSED || state == State.ENDED || state == State.ABANDONED) {
            network.forget(this);
        }
    }

    // ---- what happens to it

    /// @param direction 0 up, 1 down, 2 both
    void stall(long nanos, int direction) {
        if (direction != 1) {
            stalledUpUntil = universe.nowNanos() + nanos;
        }
        if (direction != 0) {
            stalledDownUntil = universe.nowNanos() + nanos;
        }
    }

    void heal() {
        stalledUpUntil = 0;
        stalledDownUntil = 0;
        // Whoever waits on a connection that has no other end is told so in the end.
        SimulatedProcess serving = process;
        ServerEnd end = server;
        boolean isHalf = isBroken || (serving != null && (!serving.isAlive() || (end != null && end.isGone())));
        if (isHalf && state == State.OPEN) {
            later(network.delay(), this::onReset);
        }
    }

    /// @param ends 0 both hear of it, 1 the client only, 2 the server only. The other one does when it sends.
    void breakDown(int ends) {
        isBroken = true;
        if (ends != 2) {
            later(network.delay(), this::onResetKeepingServer);
        }
        if (ends != 1) {
            later(network.delay(), () -> onServer(ServerEnd::onReset));
        }
    }

    private void onResetKeepingServer() {
        if (state == State.OPEN) {
            state = State.ENDED;
            unread.clear();
            isOutputEnded = true;
            endpoint.onClosed();
        }
    }

    void sweep(SimulatedProcess sweeping) {
        ServerEnd end = server;
        if (end != null && end.isOf(sweeping)) {
            end.sweep();
        }
    }

    void drop(SimulatedProcess exiting) {
        ServerEnd end = server;
        if (end != null && end.isOf(exiting)) {
            end.drop();
        }
    }

    void onProcessEnded(SimulatedProcess ended, End how) {
        SimulatedProcess served = process;
        if (served == null || !served.equals(ended)) {
            return;
        }
        server = null;
        if (how == End.POWER_LOSS) {
            if (state != State.OPEN && state != State.CONNECTING) {
                network.forget(this);
            }
            return;
        }
        // The kernel of a dead process still sends what it was given, and then the end.
        carryDownEnd();
        if (state == State.ABANDONED || state == State.CLOSED || state == State.ENDED) {
            network.forget(this);
        }
    }
}
