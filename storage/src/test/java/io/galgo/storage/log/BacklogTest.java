package io.galgo.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// What is kept behind an offset, against what reads deliver.
class BacklogTest {
    /// Batches of one message, of bytes that are the same for each, three to a segment.
    private static LogFixture twelveMessagesInFourSegments() {
        LogFixture fixture = new LogFixture(with -> with.segmentBytesMax = 3L * Batches.length("xx"));
        for (int i = 10; i < 22; i++) {
            fixture.append(Integer.toString(i));
        }
        assertThat(fixture.log.sealedSegmentsCount()).isEqualTo(4);
        return fixture;
    }

    @Test
    void theBacklogIsWhatAReadFromThereDelivers() {
        LogFixture fixture = twelveMessagesInFourSegments();
        for (int offset = 0; offset <= 14; offset++) {
            long messages = offset >= 12 ? 0 : fixture.messages(offset, 100).size();
            assertThat(fixture.log.backlog(offset))
                    .as("behind offset %s", offset)
                    .isEqualTo(new Backlog(messages, messages * Batches.length("xx")));
        }
    }

    @Test
    void whatWasDeletedIsNoBacklog() {
        LogFixture fixture = twelveMessagesInFourSegments();
        assertThat(fixture.delete(2)).isEqualTo("2");
        assertThat(fixture.log.backlog(0)).isEqualTo(new Backlog(6, 6L * Batches.length("xx")));
        assertThat(fixture.log.backlog(7)).isEqualTo(new Backlog(5, 5L * Batches.length("xx")));
    }

    @Test
    void whatIsNotCommittedIsNoBacklog() {
        LogFixture fixture = new LogFixture();
        fixture.append("a");
        fixture.submit("b");
        assertThat(fixture.log.backlog(0).messages()).isEqualTo(1);
        fixture.disk.runCompletions();
        assertThat(fixture.log.backlog(0).messages()).isEqualTo(2);
    }

    @Test
    void bytesInsideASegmentAreInProportion() {
        LogFixture fixture = new LogFixture();
        fixture.append("a", "b", "c", "d");
        long bytes = fixture.log.sizeBytes();
        assertThat(fixture.log.backlog(1)).isEqualTo(new Backlog(3, bytes - (long) (bytes / 4.0)));
    }

    @Test
    void offsetsThatWereSkippedMakeNoBacklogOfNothing() {
        LogFixture fixture = twelveMessagesInFourSegments();
        fixture.powerLoss(io.galgo.storage.disk.MemoryDisk.PowerLoss.TORN);
        long end = fixture.log.nextOffset();
        fixture.append("new");
        assertThat(fixture.log.backlog(end).messages()).as("behind the jump").isEqualTo(1);
        assertThat(fixture.log.backlog(0).messages()).isEqualTo(fixture.log.messagesCount());
    }
}
