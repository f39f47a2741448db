package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartitionLogTest {
    private final LogFixture fixture = new LogFixture();

    @Test
    void whatWasAppendedIsRead() {
        fixture.append("a", "b");
        fixture.append("c");
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c");
        assertThat(fixture.offsets(1)).containsExactly(1L, 2L);
        fixture.close();
    }

    @Test
    void whatWasAppendedIsReadFromTheDisk() {
        fixture.append("a", "b");
        fixture.append("c");
        fixture.log.evictTail(Long.MAX_VALUE);
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c");
        assertThat(fixture.offsets(1)).containsExactly(1L, 2L);
        fixture.close();
    }

    @Test
    void aCleanStopLosesNothingAndLeavesNoJump() {
        fixture.append("a", "b");
        fixture.closeAndReopen();
        fixture.append("c");
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c");
        fixture.kill();
        fixture.append("d");
        assertThat(fixture.offsets(0)).containsExactly(0L, 1L, 2L, 3L);
        assertThat(fixture.payloads(0)).containsExactly("a", "b", "c", "d");
    }
}
