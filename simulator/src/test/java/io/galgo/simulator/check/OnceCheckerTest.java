package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.model.CommittedMetadata.Committed;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Options;
import io.galgo.protocol.ReplyHeader;
import io.galgo.protocol.ResultSection;
import io.galgo.protocol.request.CreateStream;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class OnceCheckerTest {
    private static final ClientId CLIENT = new ClientId(1, 1);

    private final OnceChecker checker = new OnceChecker();
    private final Exchange exchange = new Exchange(1, CLIENT, 4, 7, new CreateStream("s", Options.NONE), null);

    private static Received answer(long op, int error, int payload) {
        int length = FrameHeader.BYTES + (error == 0 ? ResultSection.SUCCESS_BYTES + 4 : ResultSection.REJECTION_BYTES);
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        ReplyHeader.write(frame, 0, length, Operation.CREATE_STREAM.value(), CLIENT, 7);
        ReplyHeader.position(frame, 0, op, op);
        if (error == 0) {
            frame.putInt(FrameHeader.BYTES + ResultSection.SUCCESS_BYTES, payload);
        } else {
            ErrorCode code = error == 58 ? ErrorCode.TRANSIENT_NOT_ACCEPTED : ErrorCode.STREAM_NAME_ALREADY_EXISTS;
            ResultSection.writeRejection(frame, FrameHeader.BYTES, code);
        }
        return Received.of(frame);
    }

    private void transmit() {
        exchange.transmissions++;
        checker.onTransmitted(exchange);
    }

    @Test
    void anotherAnswerToARepeatIsNoticed() {
        transmit();
        checker.onAnswered(exchange, answer(9, 0, 1), 1);
        assertThatCode(() -> checker.onAnswered(exchange, answer(9, 0, 1), 1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> checker.onAnswered(exchange, answer(9, 0, 2), 1))
                .isInstanceOf(Violation.class);
    }

    @Test
    void anOperationThatIsCommittedAfterItWasRefusedIsNoticed() {
        transmit();
        exchange.refusals++;
        checker.onAnswered(exchange, answer(0, 58, 0), 1);
        assertThatThrownBy(() -> checker.onCommitted(committed())).isInstanceOf(Violation.class);
    }

    @Test
    void anOperationThatIsRefusedAfterItWasCommittedIsNoticed() {
        transmit();
        checker.onCommitted(committed());
        exchange.refusals++;
        assertThatThrownBy(() -> checker.onAnswered(exchange, answer(0, 58, 0), 1))
                .isInstanceOf(Violation.class);
    }

    @Test
    void anOperationMayBeCommittedWhenItWasSentAgainAfterARefusal() {
        transmit();
        exchange.refusals++;
        checker.onAnswered(exchange, answer(0, 58, 0), 1);
        transmit();
        assertThatCode(() -> checker.onCommitted(committed())).doesNotThrowAnyException();
    }

    private Committed committed() {
        return new Committed(9, Operation.CREATE_STREAM.value(), CLIENT, 0, 4, 7, 0, 1, exchange.request);
    }
}
