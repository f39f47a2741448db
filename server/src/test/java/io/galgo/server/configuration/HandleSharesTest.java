package io.galgo.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HandleSharesTest {
    @ParameterizedTest
    @CsvSource({"1024, 1", "1024, 2", "1024, 8", "4096, 64", "65536, 4", "1048576, 2", "9223372036854775807, 128"})
    void atLeastAnEighthOfTheHandlesIsLeft(long handles, int shards) {
        HandleShares shares = HandleShares.of(handles, shards);
        long dealtOut = shares.connections() + (long) shards * (shares.segmentFiles() + shares.offsetFiles());
        assertThat(handles - dealtOut)
                .as("handles left of %d with %d shards by %s", handles, shards, shares)
                .isGreaterThanOrEqualTo(handles / 8);
    }

    /// A server with two shards was seen to have 46 open before the first client came.
    @ParameterizedTest
    @CsvSource({"256", "512", "1024"})
    void whatTheProcessItselfHasOpenLeavesAnEighthToWorkWith(long handles) {
        HandleShares shares = HandleShares.of(handles, 2);
        int idle = 46;
        long dealtOut = shares.connections() + 2L * (shares.segmentFiles() + shares.offsetFiles());
        assertThat(handles - idle - dealtOut)
                .as("handles left of %d by %s", handles, shares)
                .isGreaterThanOrEqualTo((handles - idle) / 8);
    }

    @ParameterizedTest
    @CsvSource({"16", "64", "256"})
    void aShardCanWorkHoweverFewThereAre(long handles) {
        HandleShares shares = HandleShares.of(handles, 4);
        assertThat(shares.connections()).isGreaterThanOrEqualTo(16);
        assertThat(shares.segmentFiles()).isGreaterThanOrEqualTo(16);
        assertThat(shares.offsetFiles()).isGreaterThanOrEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"1024, 1, 482, 241, 60", "1024, 2, 480, 120, 30", "1048576, 1, 524258, 16384, 4096"})
    void theSharesAreThoseOfTheTable(long handles, int shards, int connections, int segmentFiles, int offsetFiles) {
        assertThat(HandleShares.of(handles, shards))
                .isEqualTo(new HandleShares(connections, segmentFiles, offsetFiles));
    }
}
