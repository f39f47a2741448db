package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.request.GetStream;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class RightsCheckerTest {
    private static final Received DONE = new Received(frame(), 0, 0);
    private static final Received UNAUTHORIZED = new Received(frame(), 41, 0);

    private final RightsChecker checker = new RightsChecker();
    private final Exchange exchange = new Exchange(0, new ClientId(1, 2), 3, 4, new GetStream(Identifier.of(0)), null);

    private static ByteBuffer frame() {
        ByteBuffer frame = ByteBuffer.allocate(FrameHeader.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        ReplyHeader.write(frame, 0, FrameHeader.BYTES, Operation.NON_REPLICATED.value(), new ClientId(1, 2), 4);
        return frame;
    }

    @Test
    void whatIsDoneForOneWhoMayNotIsNoticed() {
        checker.onTransmitted(exchange, 7, false);
        assertThatThrownBy(() -> checker.onAnswered(exchange, DONE, 7))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("who may not");
    }

    @Test
    void aRefusalToOneWhoMayIsNoticed() {
        checker.onTransmitted(exchange, 7, true);
        assertThatThrownBy(() -> checker.onAnswered(exchange, UNAUTHORIZED, 7))
                .isInstanceOf(Violation.class)
                .hasMessageContaining("who may");
    }

    @Test
    void whatIsRightIsCounted() {
        checker.onTransmitted(exchange, 7, true);
        checker.onAnswered(exchange, DONE, 7);
        checker.onTransmitted(exchange, 7, false);
        checker.onAnswered(exchange, UNAUTHORIZED, 7);
        assertThat(checker.checksCount()).isEqualTo(2);
        assertThat(checker.refusalsCount()).isEqualTo(1);
    }

    @Test
    void whatMayHaveChangedMeanwhileIsNotJudged() {
        checker.onTransmitted(exchange, 7, false);
        checker.onAnswered(exchange, DONE, 8);
        checker.onTransmitted(exchange, 7, null);
        checker.onAnswered(exchange, DONE, 7);
        checker.onTransmitted(exchange, 7, false);
        checker.onLost(exchange);
        checker.onAnswered(exchange, DONE, 7);
        assertThat(checker.checksCount()).isZero();
    }
}
