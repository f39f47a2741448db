package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.simulator.world.Violation;
import org.junit.jupiter.api.Test;

class DeadlineCheckerTest {
    private final DeadlineChecker checker = new DeadlineChecker(100);
    private final Exchange exchange =
            new Exchange(1, new ClientId(1, 1), 1, 1, new BodilessRequest(CommandCode.PING), null);

    @Test
    void aRequestThatIsNeitherAnsweredNorLostIsNoticedOnceNothingIsBroken() {
        checker.onTransmitted(exchange, 10);
        assertThatCode(() -> checker.check(1_000)).doesNotThrowAnyException();
        checker.onHealed(1_000);
        assertThatCode(() -> checker.check(1_100)).doesNotThrowAnyException();
        assertThatThrownBy(() -> checker.check(1_101)).isInstanceOf(Violation.class);
    }

    @Test
    void aClientThatWaitedInVainIsNoticed() {
        checker.onHealed(0);
        checker.onTransmitted(exchange, 10);
        assertThatThrownBy(() -> checker.onTimedOut(exchange, 111)).isInstanceOf(Violation.class);
    }

    @Test
    void aRequestThatWasSentTwiceWantsTwoAnswers() {
        checker.onHealed(0);
        checker.onTransmitted(exchange, 10);
        checker.onTransmitted(exchange, 10);
        checker.onAnswered(exchange);
        assertThatThrownBy(() -> checker.check(111)).isInstanceOf(Violation.class);
        checker.onAnswered(exchange);
        assertThatCode(() -> checker.check(111)).doesNotThrowAnyException();
    }

    @Test
    void aRequestWhoseConnectionIsGoneWantsNoAnswer() {
        checker.onHealed(0);
        checker.onTransmitted(exchange, 10);
        checker.onLost(exchange);
        assertThatCode(() -> checker.check(1_000)).doesNotThrowAnyException();
    }
}
