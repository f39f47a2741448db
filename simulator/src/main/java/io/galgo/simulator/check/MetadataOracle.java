package io.galgo.simulator.check;

import io.galgo.broker.metadata.MetadataReply;
import io.galgo.broker.metadata.Outcome;
import io.galgo.model.CommittedMetadata;
import io.galgo.model.CommittedMetadata.Committed;
import io.galgo.model.Difference;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.Operation;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.simulator.world.Life;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// All shards apply the same metadata operations in the same order, in every life of the process; each of them ends
/// as the specification says, and its client is told just that.
public final class MetadataOracle {
    static final String MODEL = "a metadata operation ends as the specification says";
    static final String ORDER = "all shards apply the same operations in the same order";
    static final String LOST = "a committed metadata operation is never lost";
    static final String REPLY = "a client is told what its operation ended with";

    private static final int TOKEN_EXISTS = 51;

    /// What an operation ended with.
    ///
    /// @param fingerprint of its bytes
    private record Ended(int fingerprint, int error, int eviction, ByteBuffer payload, Committed committed) {
        boolean isSame(Ended other) {
            return fingerprint == other.fingerprint
                    && error == other.error
                    && eviction == other.eviction
                    && payload.equals(other.payload);
        }

        @Override
        public String toString() {
            String end = eviction != 0 ? "evicted " + eviction : error != 0 ? "error " + error : "OK";
            return committed + " ended with " + end + " and " + payload.remaining() + " bytes";
        }
    }

    private final CommittedMetadata metadata = new CommittedMetadata();
    private final TreeMap<Long, Ended> ended = new TreeMap<>();
    private final Map<Integer, Long> appliedByShard = new HashMap<>();
    private int shardsCount = 1;
    private long comparedReplies;

    public CommittedMetadata metadata() {
        return metadata;
    }

    /// @param shards how many there are from now on
    public void onShardsCount(int shards) {
        shardsCount = shards;
    }

    /// Whether a process found less than was committed.
    boolean isShort(Life life) {
        return !ended.isEmpty() && life.recoveredOp() < ended.lastKey();
    }

    /// A process begins, with what it found.
    ///
    /// @param found hears of operations that nobody knew to be committed, in order
    public void onStarted(Life life, Consumer<Committed> found) {
        long known = ended.isEmpty() ? 0 : ended.lastKey();
        if (life.recoveredOp() < known) {
            throw new Violation(
                    LOST,
                    "op " + known + " was applied and the next process found no more than " + life.recoveredOp() + ": "
                            + ended.get(known));
        }
        for (Life.Replayed replayed : life.replayed()) {
            Committed fresh = take(-1, replayed.op(), replayed.operation(), replayed.outcome());
            if (fresh != null) {
                found.accept(fresh);
            }
        }
        for (int shard = 0; shard < shardsCount; shard++) {
            appliedByShard.put(shard, life.recoveredOp());
        }
    }

    /// @return the operation when it was applied for the first time anywhere, else null
    public @Nullable Committed onApplied(int shard, long op, ByteBuffer operation, Outcome outcome) {
        long before = appliedByShard.getOrDefault(shard, 0L);
        if (op <= before) {
            throw new Violation(ORDER, "shard " + shard + " applies op " + op + " behind op " + before);
        }
        Long missed = ended.higherKey(before);
        if (missed != null && missed < op) {
            throw new Violation(ORDER, "shard " + shard + " applies op " + op + " and never applied op " + missed);
        }
        appliedByShard.put(shard, op);
        return take(shard, op, operation, outcome);
    }

    /// The op up to which all shards have applied everything.
    public long appliedEverywhere() {
        long least = Long.MAX_VALUE;
        for (int shard = 0; shard < shardsCount; shard++) {
            least = Math.min(least, appliedByShard.getOrDefault(shard, 0L));
        }
        return least;
    }

    private @Nullable Committed take(int shard, long op, ByteBuffer operation, Outcome outcome) {
        Ended known = ended.get(op);
        if (known != null) {
            Ended again = ended(operation, outcome, known.committed);
            if (!again.isSame(known)) {
                throw new Violation(ORDER, "op " + op + " on shard " + shard + " is " + again + ", and was " + known);
            }
            return null;
        }
        if (!ended.isEmpty() && op < ended.lastKey()) {
            throw new Violation(ORDER, "op " + op + " turns up behind op " + ended.lastKey());
        }
        int error = outcome instanceof Outcome.Decided decided ? code(decided.reply()) : 0;
        int eviction =
                outcome instanceof Outcome.Evicted evicted ? evicted.reason().value() : 0;
        ByteBuffer payload = outcome instanceof Outcome.Decided decided
                ? ByteBuffer.wrap(decided.reply().payload())
                : null;
        Committed committed;
        try {
            committed = metadata.apply(op, operation.duplicate(), error, eviction, payload);
        } catch (Difference e) {
            throw new Violation(MODEL, String.valueOf(e.getMessage()), e);
        }
        ended.put(op, ended(operation, outcome, committed));
        return committed;
    }

    private static int code(MetadataReply reply) {
        io.galgo.protocol.ErrorCode error = reply.error();
        return error == null ? 0 : error.code();
    }

    private static Ended ended(ByteBuffer operation, Outcome outcome, Committed committed) {
        int fingerprint = operation.duplicate().hashCode();
        return switch (outcome) {
            case Outcome.Decided decided ->
                new Ended(
                        fingerprint,
                        code(decided.reply()),
                        0,
                        ByteBuffer.wrap(decided.reply().payload()),
                        committed);
            case Outcome.Evicted evicted ->
                new Ended(fingerprint, 0, evicted.reason().value(), ByteBuffer.allocate(0), committed);
            case Outcome.Unknown _ -> throw new Violation(MODEL, "op " + committed.op() + " is unknown to the server");
        };
    }

    /// A client was answered to a metadata command or a login.
    public void onAnswered(Exchange exchange, Received answer) {
        if (answer.isEviction()
                || answer.error() == Received.NOT_COMMITTED
                || answer.error() == Received.NOT_ACCEPTED) {
            return;
        }
        Operation operation = exchange.request.command().operation();
        if (operation == Operation.REGISTER) {
            checkLogin(exchange, answer);
            return;
        }
        boolean isToken = exchange.request instanceof CreatePersonalAccessToken;
        boolean isSecretRepeated = isToken && answer.error() == TOKEN_EXISTS;
        if (!operation.isMetadata() || isSecretRepeated || answer.error() == Received.ALREADY_APPLIED) {
            // A repeat that is not answered as the first time.
            return;
        }
        Ended told = ended.get(answer.op());
        if (told == null
                || !told.committed.client().equals(exchange.client)
                || told.committed.number() != exchange.number) {
            // What is refused before it gets a place in the order has none in its answer.
            if (answer.op() != 0) {
                throw new Violation(REPLY, exchange + " is told that it was op " + answer.op() + ", which is " + told);
            }
            if (answer.isOk()) {
                throw new Violation(REPLY, exchange + " is told a success and has no place in the log");
            }
            return;
        }
        comparedReplies++;
        boolean isSame = told.error == answer.error()
                && (isToken || !answer.isOk() || answer.payload().equals(told.payload));
        if (!isSame) {
            throw new Violation(
                    REPLY,
                    exchange + " is told " + answer + " with "
                            + answer.payload().remaining() + " bytes, and " + told);
        }
    }

    private void checkLogin(Exchange login, Received answer) {
        if (!answer.isOk()) {
            return;
        }
        LoginReply reply = LoginReply.decode(answer.payload());
        Ended told = reply == null ? null : ended.get(reply.session());
        boolean isRight = told != null
                && told.error == 0
                && told.eviction == 0
                && told.committed.kind() == Operation.REGISTER.value()
                && told.committed.client().equals(login.client)
                && reply != null
                && told.committed.userId() == reply.userId();
        if (!isRight) {
            throw new Violation(REPLY, login + " is told " + reply + ", and that op is " + told);
        }
        comparedReplies++;
    }

    /// The session that an operation gave a client, for the text of failures.
    public long session(ClientId client) {
        return metadata.session(client);
    }

    public long operationsCount() {
        return ended.size();
    }

    public long comparedReplies() {
        return comparedReplies;
    }
}
