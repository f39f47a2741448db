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

    @ParameterizedTest
    @CsvSource({"16", "64", "256"})
    void aShardCanWorkHoweverFewThereAre(long handles) {
        HandleShares shares = HandleShares.of(handles, 4);
        assertThat(shares.connections()).isGreaterThanOrEqualTo(16);
        assertThat(shares.segmentFiles()).isGreaterThanOrEqualTo(16);
        assertThat(shares.offsetFiles()).isGreaterThanOrEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({"1024, 1, 512, 256, 64", "1024, 2, 512, 128, 32", "1048576, 1, 524288, 16384, 4096"})
    void theSharesAreThoseOfTheTable(long handles, int shards, int connections, int segmentFiles, int offsetFiles) {
        assertThat(HandleShares.of(handles, shards))
                .isEqualTo(new HandleShares(connections, segmentFiles, offsetFiles));
    }
}
