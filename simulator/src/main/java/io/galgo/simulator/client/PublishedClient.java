package io.galgo.simulator.client;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.RequestHeader;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.Request;
import io.galgo.simulator.check.Exchange;
import io.galgo.simulator.check.History;
import io.galgo.simulator.check.Received;
import io.galgo.simulator.check.Sending;
import io.galgo.simulator.world.Channel;
import io.galgo.simulator.world.Endpoint;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Tally;
import io.galgo.simulator.world.Violation;
import io.galgo.simulator.world.World;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A client as they are published (spec sdk B, C.4): keeps a connection, logs in on it, numbers its requests,
/// repeats what is answered with 57 or 58, gives up after a while, connects again.
///
/// Requests wait in a queue until there is a connection. What was on its way when one broke has an unknown outcome
/// and is not sent again, except reads, and by a client that [Habits#resumes].
final class PublishedClient {
    static final String CONVERSATION = "a connection carries the answers to its requests, in their order";

    /// A request that its program waits for.
    private static final class Asked {
        final Request request;
        final @Nullable Sending sending;
        final Consumer<Ending> done;

        @Nullable Exchange exchange;

        long firstSentNanos = -1;
        boolean isOver;

        Asked(Request request, @Nullable Sending sending, Consumer<Ending> done) {
            this.request = request;
            this.sending = sending;
            this.done = done;
        }
    }

    /// @param isRepeat whether it was sent only because some clients send things twice
    private record Transmission(Asked asked, Exchange exchange, boolean isRepeat, long sentNanos) {}

    private final World world;
    private final History history;
    private final SplittableRandom random;
    private final int index;
    private final Habits habits;
    private final Credentials credentials;
    private final boolean isNetworkHonest;
    private final ArrayDeque<Asked> queue = new ArrayDeque<>();
    private final ArrayDeque<Transmission> inFlight = new ArrayDeque<>();
    private ClientId id = ClientId.NONE;
    private long session;
    private long number;
    private @Nullable Line line;
    private boolean isReady;
    private boolean isWanted;
    private boolean isRefusedForGood;
    private boolean isQuiet;
    private long logins;
    /// Requests that are to be repeated after a pause.
    private int pausing;
    private final List<Runnable> onLogin = new ArrayList<>();

    PublishedClient(
            World world, History history, SplittableRandom random, int index, Habits habits, Credentials credentials) {
        this.world = world;
        this.history = history;
        this.random = random;
        this.index = index;
        this.habits = habits;
        this.credentials = credentials;
        this.isNetworkHonest = !world.swarm().isOn(FaultClass.BIT_FLIP);
    }

    /// What to do after each login, beside what was asked for before.
    void onLogin(Runnable action) {
        onLogin.add(action);
    }

    int index() {
        return index;
    }

    ClientId id() {
        return id;
    }

    long session() {
        return session;
    }

    /// Begins to keep a connection.
    void start() {
        isWanted = true;
        dial();
    }

    /// Asks for something. The program hears exactly once how it ended.
    void ask(Request request, Consumer<Ending> done) {
        ask(request, null, done);
    }

    void ask(Request request, @Nullable Sending sending, Consumer<Ending> done) {
        queue.add(new Asked(request, sending, done));
        if (isRefusedForGood) {
            // Not at once, since whoever asks may ask again.
            world.after(habits.reconnectNanos(), this::giveUp);
        }
        pump();
    }

    /// Requests that are not over.
    int waitingCount() {
        int waiting = queue.size() + pausing;
        for (Transmission transmission : inFlight) {
            waiting += transmission.isRepeat || transmission.asked.isOver ? 0 : 1;
        }
        return waiting;
    }

    boolean isReady() {
        return isReady;
    }

    /// Whether the server does not want this user any more.
    boolean isRefusedForGood() {
        return isRefusedForGood;
    }

    /// Sends no heartbeats any more.
    void quieten() {
        isQuiet = true;
    }

    /// Gives up the connection, in one of the ways in which programs do: says goodbye, closes, or is just gone.
    void leave() {
        isWanted = false;
        Line left = line;
        if (left == null) {
            return;
        }
        switch (random.nextInt(3)) {
            case 0 -> {
                if (isReady && inFlight.isEmpty() && queue.isEmpty()) {
                    ask(new BodilessRequest(CommandCode.LOGOUT), _ -> hangUp(true));
                    return;
                }
                hangUp(true);
            }
            case 1 -> hangUp(true);
            default -> hangUp(false);
        }
    }

    /// Loses its connection and comes back.
    void stumble() {
        if (line != null) {
            hangUp(random.nextBoolean());
        }
    }

    /// Ends for good, without a trace.
    void close() {
        isWanted = false;
        hangUp(true);
        giveUp();
    }

    private void giveUp() {
        for (int count = queue.size(); count > 0; count--) {
            end(queue.remove(), new Ending(Ending.Kind.UNKNOWN, null));
        }
    }

    /// Sends bytes that are no request.
    void blurt(ByteBuffer bytes) {
        Line used = line;
        if (used != null && used.channel != null) {
            used.channel.send(bytes);
        }
    }

    void stopReading() {
        Line used = line;
        if (used != null && used.channel != null) {
            used.channel.stopReading();
        }
    }

    void resumeReading() {
        Line used = line;
        if (used != null && used.channel != null) {
            used.channel.resumeReading();
        }
    }

    // Connection

    private void hangUp(boolean isOrderly) {
        Line left = line;
        if (left != null && left.channel != null) {
            if (isOrderly) {
                left.channel.close();
            } else {
                left.channel.abandon();
            }
            onLineLost(left);
        }
    }

    /// The server broke the protocol, or the network its bytes.
    private void onNonsense(String what) {
        if (isNetworkHonest) {
            throw new Violation(CONVERSATION, what);
        }
        hangUp(true);
    }

    private void dial() {
        if (isRefusedForGood) {
            giveUp();
        }
        if (isWanted && line == null && !isRefusedForGood) {
            Line dialled = new Line();
            line = dialled;
            dialled.channel = world.connect(dialled);
        }
    }

    private void onLineLost(Line lost) {
        if (line != lost) {
            return;
        }
        line = null;
        isReady = false;
        List<Transmission> unanswered = new ArrayList<>(inFlight);
        inFlight.clear();
        List<Asked> again = new ArrayList<>();
        for (Transmission transmission : unanswered) {
            world.tally().onCommand(transmission.asked.request.command(), Tally.UNANSWERED);
            history.onLost(transmission.exchange);
            Asked asked = transmission.asked;
            if (asked.isOver || transmission.isRepeat || again.contains(asked)) {
                continue;
            }
            Operation operation = asked.request.command().operation();
            if (operation == Operation.REGISTER || operation == Operation.LOGOUT) {
                end(asked, new Ending(Ending.Kind.UNKNOWN, null));
            } else if (operation == Operation.NON_REPLICATED || habits.resumes()) {
                if (operation == Operation.NON_REPLICATED) {
                    asked.exchange = null;
                }
                again.add(asked);
            } else {
                end(asked, new Ending(Ending.Kind.UNKNOWN, null));
            }
        }
        for (int i = again.size() - 1; i >= 0; i--) {
            queue.addFirst(again.get(i));
        }
        if (isWanted) {
            world.after(habits.reconnectNanos(), this::dial);
        }
    }

    /// One connection and what has to be forgotten with it.
    private final class Line implements Endpoint {
        final FrameAssembler frames = new FrameAssembler();

        @Nullable Channel channel;

        @Override
        public void onConnected() {
            if (line == this) {
                login(this);
            }
        }

        @Override
        public void onBytes(ByteBuffer bytes) {
            frames.add(bytes);
            try {
                for (ByteBuffer frame = frames.next(); frame != null && line == this; frame = frames.next()) {
                    onAnswer(Received.of(frame));
                }
            } catch (IllegalArgumentException e) {
                onNonsense("client " + index + " gets " + e.getMessage());
            }
        }

        @Override
        public void onClosed() {
            onLineLost(this);
        }
    }

    // Login

    private void login(Line on) {
        if (id.isNone() || !habits.keepsId()) {
            id = new ClientId(random.nextLong() | 1, random.nextLong());
            number = 0;
        }
        session = 0;
        Asked asked = new Asked(credentials.login(), null, ending -> onLoginEnded(on, ending));
        transmit(asked, false);
    }

    private void onLoginEnded(Line on, Ending ending) {
        if (line != on) {
            return;
        }
        if (!ending.isDone()) {
            Received answer = ending.answer();
            // Wrong credentials are forgotten; whatever else it is may be better the next time.
            isRefusedForGood = credentials.areFixed()
                    && answer != null
                    && answer.isEviction()
                    && answer.eviction() != 12
                    && answer.eviction() != 13;
            if (answer != null && answer.eviction() == 12) {
                id = ClientId.NONE;
            }
            hangUp(true);
            return;
        }
        LoginReply reply = LoginReply.decode(ending.reply().payload());
        if (reply == null || reply.session() == 0) {
            onNonsense("client " + index + " gets no login reply");
            return;
        }
        session = reply.session();
        isReady = true;
        logins++;
        heartbeat(on, logins);
        onLogin.forEach(Runnable::run);
        pump();
    }

    private void heartbeat(Line on, long login) {
        world.after(habits.heartbeatNanos(), () -> {
            if (line == on && logins == login && isReady && !isQuiet) {
                if (inFlight.isEmpty() && queue.isEmpty()) {
                    ask(new BodilessRequest(CommandCode.PING), _ -> {});
                }
                heartbeat(on, login);
            }
        });
    }

    // Requests

    private void pump() {
        while (isReady && !queue.isEmpty() && inFlight.size() + pausing < habits.inFlightMax()) {
            transmit(queue.remove(), false);
        }
    }

    private void transmit(Asked asked, boolean isRepeat) {
        Line used = line;
        if (used == null || used.channel == null) {
            return;
        }
        Operation operation = asked.request.command().operation();
        boolean isNumbered = operation != Operation.NON_REPLICATED && operation != Operation.REGISTER;
        Exchange exchange = asked.exchange;
        if (exchange == null || !exchange.client.equals(id)) {
            // The first time, or under an identity of which the server knows nothing.
            long taken = operation == Operation.REGISTER ? 0 : isNumbered ? ++number : number + 1;
            exchange = new Exchange(index, id, session, taken, asked.request, asked.sending);
            asked.exchange = exchange;
        }
        exchange.session = session;
        if (asked.firstSentNanos < 0) {
            asked.firstSentNanos = world.nowNanos();
        }
        ByteBuffer frame = frame(exchange, operation);
        history.onTransmitted(exchange);
        Transmission transmission = new Transmission(asked, exchange, isRepeat, world.nowNanos());
        inFlight.add(transmission);
        used.channel.send(frame);
        world.after(habits.timeoutNanos(), () -> onTimeout(used, transmission));
        if (isNumbered && !isRepeat && random.nextInt(1000) < habits.repeatPerMille()) {
            transmit(asked, true);
        }
    }

    private ByteBuffer frame(Exchange exchange, Operation operation) {
        int length = FrameHeader.BYTES + exchange.request.encodedBytes();
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        int code = operation == Operation.NON_REPLICATED
                ? exchange.request.command().code()
                : 0;
        RequestHeader.write(frame, 0, length, operation, exchange.client, exchange.session, exchange.number, code);
        frame.position(FrameHeader.BYTES);
        exchange.request.put(frame);
        frame.flip();
        if (habits.isStamped()) {
            RequestHeader.stampChecksum(frame, 0);
        }
        return frame;
    }

    private void onTimeout(Line on, Transmission transmission) {
        if (line == on && inFlight.contains(transmission)) {
            Channel used = on.channel;
            // A client cannot tell a server that does not answer from one that is gone; a checker can.
            if (used != null && used.isWhole()) {
                history.onTimedOut(transmission.exchange);
            }
            hangUp(true);
        }
    }

    private void onAnswer(Received answer) {
        if (answer.isEviction()) {
            onEvicted(answer);
            return;
        }
        Transmission transmission = inFlight.poll();
        if (transmission == null) {
            onNonsense("client " + index + " gets " + answer + " and has asked nothing");
            return;
        }
        Exchange exchange = transmission.exchange;
        if (answer.number() != exchange.number) {
            inFlight.addFirst(transmission);
            onNonsense(exchange + " is answered with " + answer + " to number " + answer.number());
            return;
        }
        world.tally().onCommand(exchange.request.command(), outcome(answer));
        history.onAnswered(exchange, answer);
        if (!transmission.isRepeat && !transmission.asked.isOver) {
            decide(transmission.asked, answer);
        }
        pump();
    }

    private void decide(Asked asked, Received answer) {
        boolean isTransient = answer.error() == Received.NOT_COMMITTED || answer.error() == Received.NOT_ACCEPTED;
        if (isTransient && world.nowNanos() - asked.firstSentNanos < habits.budgetNanos()) {
            Line used = line;
            pausing++;
            world.after(Habits.REPEAT_NANOS, () -> {
                pausing--;
                if (line == used && !asked.isOver) {
                    transmit(asked, false);
                } else if (!asked.isOver) {
                    // The connection broke in the pause.
                    end(asked, new Ending(Ending.Kind.UNKNOWN, null));
                }
            });
            return;
        }
        Ending.Kind kind =
                answer.isOk() ? Ending.Kind.DONE : answer.isOpen() ? Ending.Kind.UNKNOWN : Ending.Kind.REFUSED;
        end(asked, new Ending(kind, answer));
    }

    /// The session is over, and nothing more will be answered on this connection. Only of a login it is clear what
    /// the eviction says about it: with others it may have crossed.
    private void onEvicted(Received answer) {
        Transmission transmission = inFlight.peek();
        if (transmission != null && transmission.exchange.request.command().operation() == Operation.REGISTER) {
            inFlight.remove();
            world.tally().onCommand(transmission.exchange.request.command(), outcome(answer));
            history.onAnswered(transmission.exchange, answer);
            end(transmission.asked, new Ending(Ending.Kind.REFUSED, answer));
        }
        if (line != null) {
            hangUp(true);
        }
    }

    private static String outcome(Received answer) {
        return answer.isOk()
                ? Tally.DONE
                : answer.isEviction() ? "eviction " + answer.eviction() : String.valueOf(answer.error());
    }

    private static void end(Asked asked, Ending ending) {
        asked.isOver = true;
        asked.done.accept(ending);
    }

    @Override
    public String toString() {
        String where = line == null ? "not connected" : isReady ? "logged in" : "connected";
        return "client " + index + " of " + credentials + ", " + where + ", " + queue.size() + " waiting, "
                + inFlight.size() + " on the way, " + pausing + " to be repeated";
    }
}
