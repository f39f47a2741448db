package io.galgo.simulator.check;

import io.galgo.protocol.request.AwaitMessages;
import io.galgo.simulator.world.Violation;
import java.util.LinkedHashMap;
import java.util.Map;

/// Once nothing is broken any more, every request is answered in time, or its connection is closed.
public final class DeadlineChecker {
    static final String PROMISE = "every request is answered or its connection closed";

    private final long limitNanos;
    private final Map<Exchange, Integer> waiting = new LinkedHashMap<>();
    private final Map<Exchange, Long> sinceNanos = new LinkedHashMap<>();
    private long healedNanos = -1;

    /// @param limitNanos how long an answer may take when nothing is broken
    public DeadlineChecker(long limitNanos) {
        this.limitNanos = limitNanos;
    }

    public void onTransmitted(Exchange exchange, long nowNanos) {
        waiting.merge(exchange, 1, Integer::sum);
        sinceNanos.put(exchange, nowNanos);
    }

    public void onAnswered(Exchange exchange) {
        Integer left = waiting.computeIfPresent(exchange, (_, count) -> count - 1);
        if (left != null && left <= 0) {
            onLost(exchange);
        }
    }

    public void onLost(Exchange exchange) {
        waiting.remove(exchange);
        sinceNanos.remove(exchange);
    }

    /// Who could answer is gone.
    public void onDied() {
        waiting.clear();
        sinceNanos.clear();
    }

    /// Nothing is broken from now on.
    public void onHealed(long nowNanos) {
        healedNanos = nowNanos;
    }

    /// Something is broken again.
    public void onBroken() {
        healedNanos = -1;
    }

    /// A client gave up waiting.
    public void onTimedOut(Exchange exchange, long nowNanos) {
        check(exchange, nowNanos);
        onLost(exchange);
    }

    /// Looks at everything that waits.
    public void check(long nowNanos) {
        if (healedNanos >= 0) {
            for (Exchange exchange : waiting.keySet()) {
                check(exchange, nowNanos);
            }
        }
    }

    private void check(Exchange exchange, long nowNanos) {
        Long sent = sinceNanos.get(exchange);
        if (healedNanos < 0 || sent == null) {
            return;
        }
        long since = Math.max(sent, healedNanos);
        long wait = exchange.request instanceof AwaitMessages await ? await.waitMicrosMax() * 1_000 : 0;
        if (nowNanos - since > limitNanos + wait) {
            throw new Violation(
                    PROMISE,
                    exchange + " was sent " + (nowNanos - sent) / 1_000_000 + " ms ago, nothing is broken for "
                            + (nowNanos - healedNanos) / 1_000_000 + " ms");
        }
    }

    public int waitingCount() {
        return waiting.size();
    }
}
