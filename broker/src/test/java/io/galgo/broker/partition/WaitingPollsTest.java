package io.galgo.broker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.broker.partition.PollRequest.Start;
import io.galgo.protocol.ClientId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What is looked at of the polls that wait at one partition.
class WaitingPollsTest {
    private static final int POLLS = 5_000;

    private final TestHost host = new TestHost();
    private final WaitSlots slots = new WaitSlots(10 * POLLS);
    private final WaitingPolls waiting = new WaitingPolls(host, slots, _ -> {});

    private PollRequest poll(Start start, int consumerKey) {
        return new PollRequest(
                new Target(0, 0, 0, 1, 1),
                host,
                0,
                start,
                0,
                10,
                1_000,
                null,
                consumerKey,
                false,
                new PollWait(1_000, 0, ClientId.NONE, 1));
    }

    private List<PollRequest> waitForOffsets(int count) {
        List<PollRequest> polls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            PollRequest poll = poll(Start.OFFSET, i);
            assertThat(waiting.addForOffset(poll, i)).isTrue();
            polls.add(poll);
        }
        return polls;
    }

    @Test
    void aCommitLooksAtThoseAloneThatItMayServe() {
        List<PollRequest> polls = waitForOffsets(POLLS);
        int looks = 0;
        for (int next = 0; next <= POLLS; next++) {
            List<PollRequest> due = waiting.due(next, 0);
            looks += due.size();
            for (PollRequest poll : due) {
                assertThat(waiting.remove(poll)).isTrue();
            }
            assertThat(due).as("due below %s", next).isEqualTo(next == 0 ? List.of() : List.of(polls.get(next - 1)));
        }
        assertThat(looks).as("polls that were looked at").isEqualTo(POLLS);
    }

    @Test
    void aNewBatchLooksAtThoseAloneWhoseTimeHasCome() {
        List<PollRequest> polls = new ArrayList<>();
        for (int i = 0; i < POLLS; i++) {
            PollRequest poll = poll(Start.TIMESTAMP, i);
            assertThat(waiting.addForTime(poll, 1_000 + i)).isTrue();
            polls.add(poll);
        }
        assertThat(waiting.due(POLLS, 999)).isEmpty();
        assertThat(waiting.due(POLLS, 1_001)).containsExactly(polls.get(0), polls.get(1));
    }

    @Test
    void aStoredOffsetLooksAtThePollsOfItsConsumerAlone() {
        List<PollRequest> polls = waitForOffsets(POLLS);
        PollRequest second = poll(Start.NEXT, 7);
        assertThat(waiting.addForOffset(second, 3)).isTrue();
        assertThat(waiting.of(false, 7)).containsExactly(polls.get(7), second);
        assertThat(waiting.of(true, 7)).as("a group of that number").isEmpty();
        waiting.remove(second);
        waiting.remove(polls.get(7));
        assertThat(waiting.of(false, 7)).isEmpty();
    }

    @Test
    void pollsThatWaitForTheSameAreServedInTheOrderInWhichTheyCame() {
        List<PollRequest> polls = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            PollRequest poll = poll(Start.NEXT, -i);
            assertThat(waiting.addForOffset(poll, 5)).isTrue();
            polls.add(poll);
        }
        assertThat(waiting.due(6, 0)).isEqualTo(polls);
    }

    @Test
    void onePartitionMayHaveAQuarterOfTheSlots() {
        WaitSlots few = new WaitSlots(8_000);
        WaitingPolls here = new WaitingPolls(host, few, _ -> {});
        int count = 0;
        while (here.addForOffset(poll(Start.OFFSET, count), 0)) {
            count++;
        }
        assertThat(count).isEqualTo(2_000);
        WaitingPolls there = new WaitingPolls(host, few, _ -> {});
        assertThat(there.addForOffset(poll(Start.OFFSET, 0), 0))
                .as("at another partition")
                .isTrue();
        assertThat(new WaitSlots(500).partitionCountMax()).as("of few slots").isEqualTo(500);
    }

    @Test
    void aPollKeepsItsSlotUntilItIsAnswered() {
        WaitSlots one = new WaitSlots(1);
        WaitingPolls here = new WaitingPolls(host, one, _ -> {});
        PollRequest first = poll(Start.NEXT, 1);
        assertThat(here.addForOffset(first, 0)).isTrue();
        here.remove(first);
        assertThat(here.addForOffset(poll(Start.NEXT, 2), 0))
                .as("while the first one is read")
                .isFalse();
        assertThat(here.addForOffset(first, 1)).as("the first one again").isTrue();
        assertThat(host.waiting).as("told once").containsExactly(first);
        here.remove(first);
        one.onAnswered(first);
        assertThat(host.timers).as("timers that are left").isEmpty();
        assertThat(one.count()).isZero();
        assertThat(here.addForOffset(poll(Start.NEXT, 2), 0)).isTrue();
    }
}
