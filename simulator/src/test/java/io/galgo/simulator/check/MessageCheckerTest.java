package io.galgo.simulator.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.model.CommittedMetadata.Place;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.MessageFrame;
import io.galgo.protocol.reply.SendConfirmation;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.simulator.check.Incarnations.Incarnation;
import io.galgo.simulator.world.End;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Each test forges a history that breaks one promise.
class MessageCheckerTest {
    private static final Incarnation PERSISTED = new Incarnation(new Place(0, 0, 0), 5, 0, true, true);
    private static final Incarnation REPLICATED = new Incarnation(new Place(0, 1, 0), 6, 0, false, false);
    private static final ClientId CLIENT = new ClientId(1, 1);

    private final MessageChecker checker = new MessageChecker();
    private long now;
    private long number;

    MessageCheckerTest() {
        checker.onStarted(1);
    }

    private Exchange send(Incarnation target, int count) {
        Sending sending = new Sending(
                ++number,
                Identifier.of(0),
                Identifier.of(target.place().topic()),
                target.place().partition(),
                count,
                20);
        Exchange send = new Exchange(1, CLIENT, 1, number, new BodilessRequest(CommandCode.PING), sending);
        transmit(send, target);
        return send;
    }

    private void transmit(Exchange send, Incarnation target) {
        send.begunNanos = ++now;
        send.transmittedNanos = now;
        send.transmissions++;
        checker.onTransmitted(send, target, 3);
    }

    private void confirm(Exchange send, Incarnation target, long base) {
        checker.onConfirmed(send, new SendConfirmation(0, target.place().topic(), 0, base), target, ++now);
    }

    private Exchange confirmed(Incarnation target, int count, long base) {
        Exchange send = send(target, count);
        confirm(send, target, base);
        return send;
    }

    private static Polled message(Exchange send, int index, long offset) {
        Sending sending = MessageChecker.sendingOf(send);
        ByteBuffer batch = sending.batch();
        int at = BatchHeader.BYTES;
        for (int i = 0; i < index; i++) {
            at += (int) MessageFrame.length(batch, at);
        }
        ByteBuffer payload = batch.slice(MessageFrame.payloadPosition(at), MessageFrame.payloadLength(batch, at));
        return new Polled(offset, 1_000 + offset, sending.number, index, payload);
    }

    private void poll(Incarnation met, PollingStrategy strategy, Polled... messages) {
        long current = 1_000;
        poll(met, strategy, current, messages);
    }

    private void poll(Incarnation met, PollingStrategy strategy, long current, Polled... messages) {
        Exchange poll = new Exchange(2, CLIENT, 1, 1, new BodilessRequest(CommandCode.PING), null);
        poll.begunNanos = ++now;
        checker.onPolled(poll, met, strategy, 0, current, List.of(messages), now);
    }

    private static void assertBroken(String promise, ThrowingCallable what) {
        assertThatThrownBy(what)
                .isInstanceOfSatisfying(
                        Violation.class,
                        violation -> org.assertj.core.api.Assertions.assertThat(violation.promise())
                                .isEqualTo(promise));
    }

    @Test
    void whatWasSentAndConfirmedIsServed() {
        Exchange first = confirmed(PERSISTED, 2, 0);
        Exchange second = confirmed(PERSISTED, 1, 2);
        assertThatCode(() -> poll(
                        PERSISTED,
                        PollingStrategy.FIRST,
                        message(first, 0, 0),
                        message(first, 1, 1),
                        message(second, 0, 2)))
                .doesNotThrowAnyException();
    }

    @Test
    void aConfirmedMessageThatIsMissingAtTheStartIsNoticed() {
        confirmed(PERSISTED, 1, 0);
        Exchange second = confirmed(PERSISTED, 1, 1);
        assertBroken(MessageChecker.LOST, () -> poll(PERSISTED, PollingStrategy.FIRST, message(second, 0, 1)));
    }

    @Test
    void aConfirmedMessageThatIsMissingInTheMiddleIsNoticed() {
        Exchange first = confirmed(PERSISTED, 1, 0);
        confirmed(PERSISTED, 1, 1);
        Exchange third = confirmed(PERSISTED, 1, 2);
        assertBroken(
                MessageChecker.LOST,
                () -> poll(PERSISTED, PollingStrategy.NEXT, message(first, 0, 0), message(third, 0, 2)));
    }

    @Test
    void aLogThatEndsBeforeAConfirmedMessageIsNoticed() {
        Exchange first = confirmed(PERSISTED, 1, 0);
        confirmed(PERSISTED, 1, 1);
        assertBroken(MessageChecker.LOST, () -> poll(PERSISTED, PollingStrategy.LAST, 0, message(first, 0, 0)));
    }

    @Test
    void aConfirmedMessageThatIsMissingWhenEverythingIsReadIsNoticed() {
        confirmed(PERSISTED, 1, 0);
        assertBroken(MessageChecker.LOST, () -> checker.onReadWhole(PERSISTED, new TreeMap<>(), ++now));
    }

    @Test
    void aConfirmedMessageMayBeGoneAfterAPowerLossOnlyWhereThatWasAgreed() {
        confirmed(PERSISTED, 1, 0);
        confirmed(REPLICATED, 1, 0);
        checker.onDied(End.POWER_LOSS, ++now);
        assertThatCode(() -> poll(REPLICATED, PollingStrategy.FIRST)).doesNotThrowAnyException();
        assertBroken(MessageChecker.LOST, () -> poll(PERSISTED, PollingStrategy.FIRST));
    }

    @Test
    void aConfirmedMessageThatIsGoneAfterAKillIsNoticed() {
        confirmed(REPLICATED, 1, 0);
        checker.onDied(End.KILL, ++now);
        assertBroken(MessageChecker.LOST, () -> poll(REPLICATED, PollingStrategy.FIRST));
    }

    @Test
    void anOffsetThatIsGivenAgainIsNoticedAlsoAfterAPowerLoss() {
        Exchange other = send(REPLICATED, 1);
        confirmed(REPLICATED, 1, 0);
        checker.onDied(End.POWER_LOSS, ++now);
        assertBroken(MessageChecker.CHANGED, () -> confirm(other, REPLICATED, 0));
    }

    @Test
    void anotherMessageAtAnOffsetThatWasPolledIsNoticed() {
        Exchange first = send(PERSISTED, 1);
        Exchange second = send(PERSISTED, 1);
        poll(PERSISTED, PollingStrategy.FIRST, message(first, 0, 0));
        assertBroken(MessageChecker.CHANGED, () -> poll(PERSISTED, PollingStrategy.FIRST, message(second, 0, 0)));
    }

    @Test
    void aChangedPayloadIsNoticed() {
        Exchange send = confirmed(PERSISTED, 1, 0);
        Polled good = message(send, 0, 0);
        ByteBuffer payload = ByteBuffer.allocate(good.payload().remaining() + 1);
        assertBroken(
                Polled.PROMISE,
                () -> poll(
                        PERSISTED, PollingStrategy.FIRST, new Polled(0, good.timestamp(), good.sending(), 0, payload)));
    }

    @Test
    void aMessageThatNobodySentIsNoticed() {
        Exchange send = confirmed(PERSISTED, 1, 0);
        Polled good = message(send, 0, 0);
        assertBroken(
                MessageChecker.PHANTOM,
                () -> poll(PERSISTED, PollingStrategy.FIRST, new Polled(0, 1, 999, 0, good.payload())));
    }

    @Test
    void aMessageThatWasRefusedIsNoticed() {
        Exchange send = send(PERSISTED, 1);
        checker.onRefused(send);
        assertBroken(MessageChecker.PHANTOM, () -> poll(PERSISTED, PollingStrategy.FIRST, message(send, 0, 0)));
    }

    @Test
    void aRepeatUnderTheSameNumberThatIsStoredTwiceIsNoticed() {
        Exchange send = confirmed(PERSISTED, 1, 0);
        transmit(send, PERSISTED);
        assertBroken(MessageChecker.COPIED, () -> confirm(send, PERSISTED, 1));
    }

    @Test
    void aRepeatInAnotherLifeOfTheServerMayBeStoredTwice() {
        Exchange send = confirmed(PERSISTED, 1, 0);
        checker.onStarted(2);
        transmit(send, PERSISTED);
        assertThatCode(() -> confirm(send, PERSISTED, 1)).doesNotThrowAnyException();
    }

    @Test
    void aGapIsNoticedUnlessSomethingExplainsIt() {
        Exchange first = confirmed(PERSISTED, 1, 0);
        Exchange second = confirmed(PERSISTED, 1, 7);
        assertBroken(
                MessageChecker.GAP,
                () -> poll(PERSISTED, PollingStrategy.FIRST, message(first, 0, 0), message(second, 0, 7)));
        checker.onDied(End.POWER_LOSS, ++now);
        assertThatCode(() -> poll(PERSISTED, PollingStrategy.FIRST, message(first, 0, 0), message(second, 0, 7)))
                .doesNotThrowAnyException();
    }

    @Test
    void messagesThatComeInAnotherOrderAreNoticed() {
        Exchange first = confirmed(PERSISTED, 2, 0);
        assertBroken(
                MessageChecker.GAP,
                () -> poll(PERSISTED, PollingStrategy.NEXT, message(first, 1, 1), message(first, 0, 0)));
    }

    @Test
    void aSendThatGetsAnOffsetBeforeOneThatWasToldIsNoticed() {
        confirmed(PERSISTED, 1, 4);
        assertBroken(MessageChecker.DISORDER, () -> confirmed(PERSISTED, 1, 3));
    }

    @Test
    void timesThatGoBackAreNoticed() {
        Exchange send = confirmed(PERSISTED, 2, 0);
        List<Polled> messages = new ArrayList<>(List.of(message(send, 0, 0), message(send, 1, 1)));
        Polled second = messages.get(1);
        Polled older = new Polled(1, 999, second.sending(), 1, second.payload());
        assertBroken(MessageChecker.TIME, () -> poll(PERSISTED, PollingStrategy.FIRST, messages.getFirst(), older));
    }

    @Test
    void aPartitionThatCannotBeReadIsNoticedUnlessItIsDamaged() {
        Exchange poll = new Exchange(2, CLIENT, 1, 1, new BodilessRequest(CommandCode.PING), null);
        assertBroken(MessageChecker.LOST, () -> checker.onUnreadable(poll, PERSISTED, 4039));
        checker.onDamage(new Place(0, 0, 0));
        assertThatCode(() -> checker.onUnreadable(poll, PERSISTED, 4039)).doesNotThrowAnyException();
    }

    private void pollInLife(int life, Polled message) {
        Exchange poll = new Exchange(2, CLIENT, 1, 1, new BodilessRequest(CommandCode.PING), null);
        poll.begunNanos = ++now;
        poll.life = life;
        checker.onPolled(poll, PERSISTED, PollingStrategy.FIRST, 0, 1_000, List.of(message), now);
    }

    @Test
    void aDeletedMessageThatComesBackWithALaterProcessIsNoticed() {
        Exchange first = confirmed(PERSISTED, 1, 0);
        Exchange second = confirmed(PERSISTED, 1, 1);
        checker.onShrinking(PERSISTED);
        pollInLife(1, message(second, 0, 1));
        assertThatCode(() -> pollInLife(1, message(first, 0, 0)))
                .as("a poll that was answered late")
                .doesNotThrowAnyException();
        assertBroken(MessageChecker.RETURNED, () -> pollInLife(2, message(first, 0, 0)));
    }

    private void waitInVain(Exchange poll, long offset) {
        long micros = 1_000_000;
        checker.onWaitedInVain(
                poll, PERSISTED, PollingStrategy.offset(offset), micros, poll.begunNanos + micros * 1_000);
    }

    @Test
    void aPollThatSleepsThroughAMessageIsNoticed() {
        Exchange poll = new Exchange(2, CLIENT, 1, 1, new BodilessRequest(CommandCode.PING), null);
        poll.begunNanos = ++now;
        poll.transmissions = 1;
        confirmed(PERSISTED, 1, 0);
        assertThatCode(() -> waitInVain(poll, 1))
                .as("a poll that waits for the next one")
                .doesNotThrowAnyException();
        assertBroken(MessageChecker.ASLEEP, () -> waitInVain(poll, 0));
    }
}
