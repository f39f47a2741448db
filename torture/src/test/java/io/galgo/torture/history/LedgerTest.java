package io.galgo.torture.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.wire.PolledMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The checker of the campaigns is itself checked: it must see each kind of damage, and no other.
class LedgerTest {
    private static final Place PLACE = new Place("events", 1);
    private static final long A = Payload.id(1, 10);
    private static final long B = Payload.id(2, 100);
    private static final long C = Payload.id(3, 8);

    private final Ledger ledger = new Ledger();

    @Test
    void whatWasAcknowledgedAndIsThereIsFine() {
        acknowledge(0, A, B);
        ledger.check(PLACE, contents(A, B));
        assertThat(ledger.violations()).isEmpty();
    }

    @Test
    void aLostMessageIsSeen() {
        acknowledge(0, A, B);
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations()).containsExactly(PLACE + " offset 1 is lost");
    }

    @Test
    void aLostMessageOfAnEarlierRoundIsSeen() {
        acknowledge(0, A);
        ledger.check(PLACE, contents(A));
        ledger.endRound();
        ledger.check(PLACE, contents());
        assertThat(ledger.violations()).containsExactly(PLACE + " offset 0 is lost");
    }

    @Test
    void whatWasDeletedWithItsSegmentMayBeGone() {
        acknowledge(0, A, B);
        ledger.trimming(PLACE);
        ledger.check(PLACE, List.of(message(1, Payload.of(B))));
        assertThat(ledger.violations()).isEmpty();
    }

    @Test
    void whatWasDeletedAndComesBackIsSeen() {
        acknowledge(0, A, B);
        ledger.trimming(PLACE);
        ledger.trimmed(PLACE, 1);
        ledger.check(PLACE, contents(A, B));
        assertThat(ledger.violations()).singleElement().asString().contains("begins with offset 0 again");
    }

    @Test
    void aLossBehindWhatWasDeletedIsSeen() {
        acknowledge(0, A, B, C);
        ledger.trimming(PLACE);
        ledger.check(PLACE, List.of(message(1, Payload.of(B))));
        assertThat(ledger.violations()).containsExactly(PLACE + " offset 2 is lost");
    }

    @Test
    void anotherContentUnderAnAcknowledgedOffsetIsSeen() {
        acknowledge(0, A);
        acknowledge(1, B);
        ledger.check(PLACE, contents(A, A));
        assertThat(ledger.violations()).singleElement().asString().contains("offset 1 came back as " + A);
    }

    @Test
    void aFlippedByteIsSeen() {
        acknowledge(0, B);
        byte[] payload = Payload.of(B);
        payload[50] ^= 1;
        ledger.check(PLACE, List.of(message(0, payload)));
        assertThat(ledger.violations()).singleElement().asString().contains("offset 0 came back damaged");
    }

    @Test
    void anOffsetThatIsIssuedTwiceIsSeen() {
        acknowledge(0, A);
        acknowledge(0, B);
        assertThat(ledger.violations()).singleElement().asString().contains("offset 0 was acknowledged as " + B);
    }

    @Test
    void aMessageThatWasReadMustStay() {
        ledger.sending(new long[] {A});
        ledger.read(PLACE, contents(A));
        ledger.check(PLACE, contents());
        assertThat(ledger.violations()).containsExactly(PLACE + " offset 0 is lost");
    }

    @Test
    void anUnacknowledgedBatchMayBeThereOrNot() {
        ledger.sending(new long[] {A, B});
        ledger.check(PLACE, contents());
        ledger.check(PLACE, contents(A, B));
        assertThat(ledger.violations()).isEmpty();
    }

    @Test
    void aSecondCopyInAnotherPartitionIsSeen() {
        ledger.sending(new long[] {A});
        ledger.check(PLACE, contents(A));
        ledger.check(new Place("events", 2), contents(A));
        assertThat(ledger.violations()).singleElement().asString().contains("nobody sent");
    }

    @Test
    void halfABatchIsSeen() {
        ledger.sending(new long[] {A, B});
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations())
                .singleElement()
                .asString()
                .contains("1 messages of an unacknowledged batch of 2");
    }

    @Test
    void aBatchOfWhichAPartWasReadBeforeItsAcknowledgementIsWhole() {
        ledger.sending(new long[] {A, B});
        ledger.read(PLACE, contents(A));
        ledger.check(PLACE, contents(A, B));
        assertThat(ledger.violations()).isEmpty();
    }

    @Test
    void aBatchOfWhichAPartWasReadAndTheRestIsGoneIsSeen() {
        ledger.sending(new long[] {A, B});
        ledger.read(PLACE, contents(A));
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations()).singleElement().asString().contains("1 messages of an unacknowledged batch");
    }

    @Test
    void aBatchThatWasGoneMustNotComeBack() {
        ledger.sending(new long[] {A});
        ledger.check(PLACE, contents());
        ledger.endRound();
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations()).singleElement().asString().contains("was gone before");
    }

    @Test
    void aRefusedBatchMustNotAppear() {
        ledger.sending(new long[] {A});
        ledger.refused(new long[] {A});
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations()).singleElement().asString().contains("nobody sent");
    }

    @Test
    void aGapIsSeen() {
        acknowledge(0, A);
        acknowledge(2, B);
        ledger.check(PLACE, List.of(message(0, Payload.of(A)), message(2, Payload.of(B))));
        assertThat(ledger.violations()).singleElement().asString().contains("offset 2 where 1 is expected");
    }

    @Test
    void aPowerCutTakesNothingThatWasPromisedToSurviveIt() {
        acknowledge(0, A, B);
        ledger.powerCut(PLACE, true);
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations()).containsExactly(PLACE + " offset 1 is lost");
    }

    @Test
    void aPowerCutMayTakeWhatWasNotPromisedOnce() {
        acknowledge(0, A, B);
        ledger.powerCut(PLACE, false);
        ledger.check(PLACE, contents(A));
        assertThat(ledger.violations()).isEmpty();
        assertThat(ledger.tally().forgone()).isEqualTo(1);
        ledger.check(PLACE, contents());
        assertThat(ledger.violations()).containsExactly(PLACE + " offset 0 is lost");
    }

    @Test
    void offsetsMayBeSkippedAfterAPowerCutAndNotBefore() {
        acknowledge(0, A);
        ledger.powerCut(PLACE, true);
        acknowledge(9, B);
        ledger.check(PLACE, List.of(message(0, Payload.of(A)), message(9, Payload.of(B))));
        assertThat(ledger.violations()).isEmpty();
    }

    @Test
    void anOffsetThatWasLostWithThePowerAndIsGivenAgainIsSeen() {
        acknowledge(0, A, B);
        ledger.powerCut(PLACE, false);
        ledger.check(PLACE, contents(A));
        acknowledge(1, C);
        assertThat(ledger.violations()).singleElement().asString().contains("had been given before the power cut");
    }

    @Test
    void whatThePowerTookMustNotComeBack() {
        acknowledge(0, A, B);
        ledger.powerCut(PLACE, false);
        ledger.check(PLACE, contents(A));
        ledger.check(PLACE, contents(A, B));
        assertThat(ledger.violations()).singleElement().asString().contains("which was gone before");
    }

    @Test
    void whatIsMissingBesideDamageIsCountedAndNotMore() {
        acknowledge(0, A, B);
        assertThat(ledger.inspect(PLACE, contents(A), true)).isEqualTo(1);
        assertThat(ledger.violations()).isEmpty();
        assertThat(ledger.tally().unavailable()).isEqualTo(1);
    }

    @Test
    void whatIsMissingWithoutDamageIsSeen() {
        acknowledge(0, A, B);
        ledger.inspect(PLACE, contents(A), false);
        assertThat(ledger.violations()).singleElement().asString().contains("its files were left alone");
    }

    @Test
    void otherBytesBesideDamageAreSeen() {
        acknowledge(0, A, B);
        ledger.inspect(PLACE, contents(A, A), true);
        assertThat(ledger.violations()).singleElement().asString().contains("served with other bytes");
    }

    @Test
    void payloadsDifferInEveryPart() {
        assertThat(Payload.of(C)).hasSize(8);
        assertThat(Payload.of(B)).hasSize(100);
        assertThat(Payload.isWhole(Payload.of(B))).isTrue();
        assertThat(Payload.isWhole(java.util.Arrays.copyOf(Payload.of(B), 99))).isFalse();
        assertThat(Payload.of(Payload.id(4, 100))).isNotEqualTo(Payload.of(B));
    }

    private void acknowledge(long baseOffset, long... ids) {
        ledger.sending(ids);
        ledger.acknowledged(PLACE, baseOffset, ids);
    }

    private static List<PolledMessage> contents(long... ids) {
        List<PolledMessage> messages = new ArrayList<>();
        for (long id : ids) {
            messages.add(message(messages.size(), Payload.of(id)));
        }
        return messages;
    }

    private static PolledMessage message(long offset, byte[] payload) {
        return new PolledMessage(offset, 1, 1, new byte[16], payload, new byte[0]);
    }
}
