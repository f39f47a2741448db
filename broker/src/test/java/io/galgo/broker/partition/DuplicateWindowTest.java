package io.galgo.broker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.ClientId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DuplicateWindowTest {
    private static final Writer ANNE = new Writer(new ClientId(1, 1), 0);
    private static final Writer BERT = new Writer(new ClientId(2, 2), 0);
    private static final Writer CARL = new Writer(new ClientId(3, 3), 0);

    private final DuplicateWindow window = new DuplicateWindow(2);

    @Test
    void aCommittedWriteIsKnownWithItsResult() {
        window.remember(ANNE, 7, 100, 55);
        assertThat(window.find(ANNE, 7, 100)).isEqualTo(55);
    }

    @Test
    void otherContentUnderTheSameNumberIsAnotherWrite() {
        window.remember(ANNE, 7, 100, 55);
        assertThat(window.find(ANNE, 7, 101)).isEqualTo(DuplicateWindow.UNKNOWN);
        window.remember(ANNE, 7, 101, 56);
        assertThat(window.find(ANNE, 7, 101)).as("the newest under the number").isEqualTo(56);
        assertThat(window.find(ANNE, 7, 100)).as("the one before it").isEqualTo(DuplicateWindow.UNKNOWN);
    }

    @Test
    void writersAreToldApartByClientAndUser() {
        window.remember(ANNE, 7, 100, 55);
        assertThat(window.find(BERT, 7, 100)).isEqualTo(DuplicateWindow.UNKNOWN);
        assertThat(window.find(new Writer(ANNE.client(), 1), 7, 100)).isEqualTo(DuplicateWindow.UNKNOWN);
    }

    @Test
    void theLast128NumbersAreKept() {
        for (long number = 1; number <= 200; number++) {
            window.remember(ANNE, number, number, number);
        }
        assertThat(window.find(ANNE, 72, 72)).as("the 129th").isEqualTo(DuplicateWindow.UNKNOWN);
        assertThat(window.find(ANNE, 73, 73)).as("the 128th").isEqualTo(73);
        assertThat(window.find(ANNE, 200, 200)).isEqualTo(200);
    }

    @Test
    void aLateNumberWithinTheWindowIsRememberedAndOneBehindItIsNot() {
        window.remember(ANNE, 200, 1, 1);
        window.remember(ANNE, 100, 2, 2);
        window.remember(ANNE, 72, 3, 3);
        assertThat(window.find(ANNE, 100, 2)).isEqualTo(2);
        assertThat(window.find(ANNE, 72, 3)).isEqualTo(DuplicateWindow.UNKNOWN);
    }

    @Test
    void theWriterWhoseLatestWriteIsOldestIsForgotten() {
        window.remember(ANNE, 1, 1, 1);
        window.remember(BERT, 1, 1, 1);
        window.remember(ANNE, 2, 2, 2);
        window.remember(CARL, 1, 1, 1);
        assertThat(window.find(BERT, 1, 1)).isEqualTo(DuplicateWindow.UNKNOWN);
        assertThat(window.find(ANNE, 2, 2)).isEqualTo(2);
        assertThat(window.writersCount()).isEqualTo(2);
        assertThat(window.oldestWriter()).isEqualTo(ANNE);
    }

    @Test
    void agreesWithAPlainMapOnRandomNumbers() {
        for (long seed = 1; seed <= 100; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            DuplicateWindow tested = new DuplicateWindow(1);
            Map<Long, Long> model = new LinkedHashMap<>();
            long highest = 0;
            long base = random.nextBoolean() ? 1 : Long.MAX_VALUE - 5_000;
            for (int step = 0; step < 3_000; step++) {
                long number = base + random.nextInt(1 + step / 4);
                long content = random.nextInt(3);
                if (number > highest) {
                    highest = number;
                }
                if (number > highest - DuplicateWindow.NUMBERS) {
                    model.put(number, content);
                }
                tested.remember(ANNE, number, content, number);
                long asked = base + random.nextInt(1 + step / 4);
                boolean isKnown = asked > highest - DuplicateWindow.NUMBERS
                        && Long.valueOf(1).equals(model.get(asked));
                assertThat(tested.find(ANNE, asked, 1))
                        .as("number %s, seed %s, step %s", asked, seed, step)
                        .isEqualTo(isKnown ? asked : DuplicateWindow.UNKNOWN);
            }
        }
    }
}
