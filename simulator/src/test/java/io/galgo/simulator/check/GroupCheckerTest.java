package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.ClientId;
import io.galgo.simulator.world.Violation;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupCheckerTest {
    private static final ClientId ONE = new ClientId(1, 1);
    private static final ClientId OTHER = new ClientId(1, 2);

    private final GroupChecker checker = new GroupChecker();

    @Test
    void twoOwnersOfAPartitionInOneGenerationAreNoticed() {
        checker.onAssigned("0/0/1", 3, List.of(0, 1), ONE, 0);
        assertThatCode(() -> checker.onAssigned("0/0/1", 4, List.of(1), OTHER, 0))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> checker.onAssigned("0/0/1", 3, List.of(1), OTHER, 0))
                .isInstanceOf(Violation.class);
    }

    @Test
    void twoMembersThatAreServedFromAPartitionBetweenTwoChangesAreNoticed() {
        checker.onServed("0/0/1", 7, 0, ONE);
        checker.onServed("0/0/1", 7, 1, OTHER);
        checker.onServed("0/0/1", 8, 0, OTHER);
        assertThatThrownBy(() -> checker.onServed("0/0/1", 7, 0, OTHER)).isInstanceOf(Violation.class);
    }

    @Test
    void aGenerationThatGoesBackIsNoticed() {
        checker.onAssigned("0/0/1", 5, List.of(0), ONE, 0);
        assertThatThrownBy(() -> checker.onAssigned("0/0/1", 4, List.of(), OTHER, checker.generation("0/0/1")))
                .isInstanceOf(Violation.class);
    }
}
