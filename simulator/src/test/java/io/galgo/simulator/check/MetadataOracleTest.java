package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.broker.metadata.MetadataOperation;
import io.galgo.broker.metadata.Outcome;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.EvictionReason;
import io.galgo.simulator.world.Life;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Forges what shards apply. Nobody is logged in, so a logout ends with eviction 1.
class MetadataOracleTest {
    private static final Outcome NO_SESSION = new Outcome.Evicted(EvictionReason.NO_SESSION);

    private final MetadataOracle oracle = new MetadataOracle();

    MetadataOracleTest() {
        oracle.onShardsCount(2);
    }

    private static ByteBuffer logout(long number) {
        return MetadataOperation.logout(new ClientId(1, 1), 1, number, 0, 0, 1_000 + number);
    }

    private static void assertBroken(String promise, org.assertj.core.api.ThrowableAssert.ThrowingCallable what) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        Violation.class,
                        violation -> assertThat(violation.promise()).isEqualTo(promise));
    }

    @Test
    void anOutcomeThatIsNotTheModelsIsNoticed() {
        assertBroken(
                MetadataOracle.MODEL,
                () -> oracle.onApplied(0, 1, logout(1), new Outcome.Evicted(EvictionReason.SESSION_ERROR)));
    }

    @Test
    void aShardThatAppliesAnotherOperationIsNoticed() {
        assertThat(oracle.onApplied(0, 1, logout(1), NO_SESSION)).isNotNull();
        assertThat(oracle.onApplied(1, 1, logout(1), NO_SESSION)).isNull();
        oracle.onApplied(0, 2, logout(2), NO_SESSION);
        assertBroken(MetadataOracle.ORDER, () -> oracle.onApplied(1, 2, logout(3), NO_SESSION));
    }

    @Test
    void aShardThatAppliesAnOperationTwiceIsNoticed() {
        oracle.onApplied(0, 1, logout(1), NO_SESSION);
        assertBroken(MetadataOracle.ORDER, () -> oracle.onApplied(0, 1, logout(1), NO_SESSION));
    }

    @Test
    void aShardThatLeavesAnOperationOutIsNoticed() {
        oracle.onApplied(0, 1, logout(1), NO_SESSION);
        oracle.onApplied(0, 2, logout(2), NO_SESSION);
        assertBroken(MetadataOracle.ORDER, () -> oracle.onApplied(1, 2, logout(2), NO_SESSION));
    }

    @Test
    void aProcessThatFindsLessThanWasAppliedIsNoticed() {
        oracle.onApplied(0, 1, logout(1), NO_SESSION);
        oracle.onApplied(0, 2, logout(2), NO_SESSION);
        Life life = new Life(2, false, 1, List.of(), true);
        assertBroken(MetadataOracle.LOST, () -> oracle.onStarted(life, _ -> {}));
    }

    @Test
    void whatAProcessFindsBeyondThatIsHeardOf() {
        oracle.onApplied(0, 1, logout(1), NO_SESSION);
        List<Long> found = new ArrayList<>();
        oracle.onStarted(
                new Life(
                        2,
                        false,
                        0,
                        List.of(
                                new Life.Replayed(1, logout(1), NO_SESSION),
                                new Life.Replayed(2, logout(2), NO_SESSION)),
                        true),
                committed -> found.add(committed.op()));
        assertThat(found).containsExactly(2L);
        assertThat(oracle.appliedEverywhere()).isEqualTo(2);
    }
}
