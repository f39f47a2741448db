package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.model.CommittedMetadata.Place;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.simulator.check.Incarnations.Incarnation;
import io.galgo.simulator.check.OffsetChecker.Register;
import io.galgo.simulator.world.End;
import io.galgo.simulator.world.Violation;
import org.junit.jupiter.api.Test;

/// Each test forges a history of one stored offset.
class OffsetCheckerTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Register PERSISTED =
            new Register(new Incarnation(new Place(0, 0, 0), 5, 0, true, true), false, "1");
    private static final Register REPLICATED =
            new Register(new Incarnation(new Place(0, 1, 0), 6, 0, false, false), false, "1");

    private final OffsetChecker checker = new OffsetChecker();
    private long now;

    private Exchange exchange() {
        Exchange exchange = new Exchange(1, new ClientId(1, 1), 1, 1, new BodilessRequest(CommandCode.PING), null);
        now += SECOND;
        exchange.begunNanos = now;
        return exchange;
    }

    private Exchange storing(Register register, long value) {
        Exchange store = exchange();
        checker.onWriting(store, register, value, now);
        return store;
    }

    private void stored(Register register, long value) {
        Exchange store = storing(register, value);
        now += SECOND;
        checker.onWritten(store, now);
    }

    private void polled(Register register, long last) {
        Exchange poll = exchange();
        checker.onPolling(poll, register, now);
        now += SECOND;
        checker.onPolled(poll, register, last, now);
    }

    private void read(Register register, long value) {
        Exchange read = exchange();
        now += SECOND;
        checker.onRead(read, register, value, now);
    }

    private void assertIllegal(Register register, long value) {
        assertThatThrownBy(() -> read(register, value)).isInstanceOf(Violation.class);
    }

    @Test
    void theOffsetStoredLastIsReadAndNoOther() {
        read(PERSISTED, OffsetChecker.NONE);
        stored(PERSISTED, 4);
        stored(PERSISTED, 9);
        assertIllegal(PERSISTED, 4);
        assertIllegal(PERSISTED, OffsetChecker.NONE);
        assertIllegal(PERSISTED, 7);
        read(PERSISTED, 9);
    }

    @Test
    void whatIsBeingStoredMayBeReadAndThenNothingBeforeIt() {
        stored(PERSISTED, 4);
        storing(PERSISTED, 9);
        read(PERSISTED, 4);
        read(PERSISTED, 9);
        assertIllegal(PERSISTED, 4);
    }

    @Test
    void whatWasLostMayHappenForAWhileOnly() {
        Exchange lost = storing(PERSISTED, 9);
        checker.onLost(lost, now);
        now += 60 * SECOND;
        stored(PERSISTED, 4);
        assertIllegal(PERSISTED, 9);
        read(PERSISTED, 4);
    }

    @Test
    void whatWasRefusedIsNeverRead() {
        Exchange refused = storing(PERSISTED, 9);
        checker.onRefused(refused);
        assertIllegal(PERSISTED, 9);
    }

    @Test
    void whatAPollStoresMayBeReadAndForgottenByAKill() {
        stored(PERSISTED, 4);
        polled(PERSISTED, 6);
        read(PERSISTED, 6);
        checker.onDied(End.KILL, now);
        read(PERSISTED, 4);
    }

    @Test
    void whatWasConfirmedIsStillThereAfterAKill() {
        stored(REPLICATED, 4);
        stored(REPLICATED, 6);
        checker.onDied(End.KILL, now);
        assertIllegal(REPLICATED, 4);
        read(REPLICATED, 6);
    }

    @Test
    void aPowerLossTakesOnlyWhatIsNotPersisted() {
        stored(REPLICATED, 4);
        stored(REPLICATED, 6);
        stored(PERSISTED, 4);
        stored(PERSISTED, 6);
        checker.onDied(End.POWER_LOSS, now);
        assertThatCode(() -> read(REPLICATED, 4)).doesNotThrowAnyException();
        assertIllegal(PERSISTED, 4);
        read(PERSISTED, 6);
    }

    @Test
    void aDeletionIsNotUndone() {
        stored(PERSISTED, 4);
        stored(PERSISTED, OffsetChecker.NONE);
        assertIllegal(PERSISTED, 4);
    }
}
