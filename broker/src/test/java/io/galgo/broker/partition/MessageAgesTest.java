package io.galgo.broker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MessageAgesTest {
    private static final long SECOND = 1_000_000;
    private static final long MINUTE = 60 * SECOND;

    private long wall = 1_700_000_000_000_000L;
    private long nanos = 5_000;
    private final MessageAges ages = new MessageAges(wall, nanos);

    private void pass(long micros) {
        wall += micros;
        nanos += micros * 1000;
        ages.update(wall, nanos);
    }

    private void setWall(long byMicros) {
        wall += byMicros;
        ages.update(wall, nanos);
    }

    @Test
    void aMessageGrowsOldWithTheClock() {
        long sent = wall;
        pass(MINUTE);
        assertThat(ages.ageMicros(sent)).isEqualTo(MINUTE);
    }

    @Test
    void aStoppedProcessFindsItsMessagesOlder() {
        long sent = wall;
        pass(60 * MINUTE);
        assertThat(ages.ageMicros(sent)).isEqualTo(60 * MINUTE);
    }

    @Test
    void aWallClockThatJumpsForwardMakesNothingOlder() {
        long sent = wall;
        pass(MINUTE);
        setWall(60 * MINUTE);
        assertThat(ages.ageMicros(sent)).isEqualTo(MINUTE);
        long later = wall + 1;
        pass(MINUTE);
        assertThat(ages.ageMicros(sent)).as("from before the jump").isEqualTo(2 * MINUTE);
        assertThat(ages.ageMicros(later)).as("from behind the jump").isEqualTo(MINUTE - 1);
    }

    @Test
    void jumpsAddUp() {
        long first = wall;
        setWall(10 * MINUTE);
        long second = wall + 1;
        pass(MINUTE);
        setWall(20 * MINUTE);
        assertThat(ages.ageMicros(first)).isEqualTo(MINUTE);
        assertThat(ages.ageMicros(second)).isEqualTo(MINUTE - 1);
    }

    @Test
    void aWallClockThatGoesBackKeepsMessagesLonger() {
        long sent = wall;
        pass(MINUTE);
        setWall(-10 * MINUTE);
        assertThat(ages.ageMicros(sent)).isNegative();
        pass(11 * MINUTE);
        assertThat(ages.ageMicros(sent)).isEqualTo(2 * MINUTE);
    }

    @Test
    void clocksThatDriftSlowlyAreNoJump() {
        long sent = wall;
        for (int i = 0; i < 100; i++) {
            wall += SECOND / 100;
            pass(SECOND);
        }
        assertThat(ages.ageMicros(sent)).isEqualTo(101 * SECOND);
    }

    @Test
    void soManyJumpsThatTheyAreTakenTogetherMakeNothingOlder() {
        long sent = wall;
        for (int i = 0; i < 1000; i++) {
            setWall(2 * SECOND);
            pass(SECOND);
        }
        assertThat(ages.ageMicros(sent)).isEqualTo(1000 * SECOND);
        assertThat(ages.ageMicros(wall)).isLessThanOrEqualTo(0);
    }
}
