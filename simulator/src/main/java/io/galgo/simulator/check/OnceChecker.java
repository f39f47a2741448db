package io.galgo.simulator.check;

import io.galgo.model.CommittedMetadata.Committed;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.Operation;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// A request under one number is answered with the same bytes each time it is answered for good; and what was
/// answered with 58 only is nowhere.
public final class OnceChecker {
    static final String SAME = "a repeated request gets the same answer";
    static final String REFUSED = "what was not accepted has no effect";

    private record Key(ClientId client, long session, long number, Operation operation, int life) {}

    private record Sender(ClientId client, long number) {}

    private final Map<Key, ByteBuffer> answers = new HashMap<>();
    private final Map<Sender, Exchange> exchanges = new HashMap<>();
    private final Map<Sender, Committed> committed = new HashMap<>();
    private long repeatsCount;
    private boolean isServerForgetful;
    private boolean isResized;

    /// Sends may be executed again when they are repeated.
    public void onForgetfulServer() {
        isServerForgetful = true;
    }

    /// Topics have another number of partitions, so that a key may belong to another one.
    public void onResized() {
        isResized = true;
    }

    public void onTransmitted(Exchange exchange) {
        if (exchange.request.command().operation().isMetadata()) {
            exchanges.put(new Sender(exchange.client, exchange.number), exchange);
        }
    }

    /// @param life of the process that answers
    public void onAnswered(Exchange exchange, Received answer, int life) {
        Operation operation = exchange.request.command().operation();
        if (!operation.isMetadata() && operation != Operation.SEND_MESSAGES) {
            return;
        }
        Sender sender = new Sender(exchange.client, exchange.number);
        if (operation.isMetadata()
                && answer.error() == Received.NOT_ACCEPTED
                && exchange.refusals >= exchange.transmissions
                && committed.containsKey(sender)) {
            throw new Violation(REFUSED, exchange + " was refused each time, and is " + committed.get(sender));
        }
        boolean isFinal = !answer.isEviction()
                && !answer.isOpen()
                && answer.error() != Received.NOT_ACCEPTED
                && answer.error() != Received.ALREADY_APPLIED
                && (answer.isOk() || operation.isMetadata());
        if (!isFinal || operation == Operation.CREATE_PERSONAL_ACCESS_TOKEN) {
            return;
        }
        // Only the log remembers beyond the end of a process.
        Key key = new Key(
                exchange.client,
                operation.isMetadata() ? exchange.session : 0,
                exchange.number,
                operation,
                operation.isMetadata() && answer.op() != 0 ? 0 : life);
        ByteBuffer body = answer.body();
        ByteBuffer before = answers.get(key);
        if (before == null) {
            ByteBuffer copy = ByteBuffer.allocate(body.remaining());
            answers.put(key, copy.put(body).flip());
            return;
        }
        repeatsCount++;
        // What was refused before it came into the log may go in when it is sent again.
        boolean isSend = operation == Operation.SEND_MESSAGES;
        boolean wasDecided = isSend ? !isServerForgetful && !hasMoved(exchange) : answer.op() != 0;
        if (wasDecided && !before.equals(body)) {
            throw new Violation(
                    SAME,
                    exchange + " got " + before.remaining() + " bytes first and now " + answer + " with "
                            + body.remaining());
        }
    }

    private boolean hasMoved(Exchange exchange) {
        Sending sending = exchange.sending;
        return sending != null && (sending.hasMoved() || (isResized && !sending.isPinned()));
    }

    /// An operation of a client got its place in the log.
    public void onCommitted(Committed operation) {
        if (operation.request() == null) {
            return;
        }
        Sender sender = new Sender(operation.client(), operation.number());
        committed.put(sender, operation);
        Exchange exchange = exchanges.get(sender);
        if (exchange != null && exchange.refusals >= exchange.transmissions) {
            throw new Violation(REFUSED, exchange + " was refused each time, and is " + operation);
        }
    }

    /// Answers that were compared with earlier ones.
    public long repeatsCount() {
        return repeatsCount;
    }
}
