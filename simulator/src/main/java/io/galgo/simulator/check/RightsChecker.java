package io.galgo.simulator.check;

import io.galgo.simulator.world.Violation;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Users do what they have the right to, and nothing else.
///
/// A request is judged when nothing was committed between its beginning and its answer; otherwise it depends on the
/// moment at which the right was looked at.
public final class RightsChecker {
    static final String PROMISE = "users may do what they have the right to, and nothing else";

    private static final int UNAUTHORIZED = 41;

    /// What may come of a request.
    ///
    /// @param op up to which everything was applied when it was sent
    private record Expected(long op, boolean isAllowed) {}

    private final Map<Exchange, Expected> expected = new HashMap<>();
    private long checks;
    private long refusals;

    /// Nobody has asked for anything yet.
    public RightsChecker() {}

    /// @param op up to which every shard has applied everything
    /// @param isAllowed whether the user may do it, null when that is not known
    public void onTransmitted(Exchange exchange, long op, @Nullable Boolean isAllowed) {
        if (isAllowed == null) {
            expected.remove(exchange);
        } else {
            expected.put(exchange, new Expected(op, isAllowed));
        }
    }

    /// @param op the last that any shard has applied
    public void onAnswered(Exchange exchange, Received answer, long op) {
        Expected told = expected.remove(exchange);
        if (told == null || told.op != op || answer.isEviction()) {
            return;
        }
        checks++;
        refusals += told.isAllowed ? 0 : 1;
        if (answer.isOk() && !told.isAllowed) {
            throw new Violation(PROMISE, exchange + " is done for a user who may not");
        }
        if (answer.error() == UNAUTHORIZED && told.isAllowed) {
            throw new Violation(PROMISE, exchange + " is refused to a user who may");
        }
    }

    public void onLost(Exchange exchange) {
        expected.remove(exchange);
    }

    /// Answers that were judged.
    public long checksCount() {
        return checks;
    }

    /// How many of them went to users who may not.
    public long refusalsCount() {
        return refusals;
    }
}
