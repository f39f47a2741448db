package io.galgo.acceptance.durability;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.campaign.Campaign;
import io.galgo.torture.campaign.Campaigns;
import io.galgo.torture.campaign.Result;
import io.galgo.torture.server.DiskBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Every campaign of `./galgo torture`, a few rounds of each; [KilledServerTest] has the kills.
///
/// `./galgo torture --only NAME` is the long form, and `-Dgalgo.torture.rounds=…` a longer one.
@ExtendWith(ServerLogs.class)
class TortureTest {
    private static final int ROUNDS_FACTOR = Integer.getInteger("galgo.torture.rounds", 1);

    @TempDir
    Path folder;

    @BeforeEach
    void onlyGalgo() {
        Assumptions.assumeFalse(Target.current().isReference(), "it does not keep these promises");
    }

    /// The disks take turns, so that both see every kind of harm sooner or later and none takes twice the time.
    @ParameterizedTest
    @CsvSource({
        "suspend, RING, 1",
        "power-cut, FALLBACK, 4",
        "damage, RING, 5",
        "damage, FALLBACK, 3",
        "full-disk, FALLBACK, 1",
        "handles, RING, 1",
        "memory, FALLBACK, 1",
        "two-servers, RING, 1",
        "clock, RING, 1",
    })
    void whatWasPromisedHolds(String name, DiskBackend disk, int rounds) throws Exception {
        Result result = ShortCampaign.run(Campaigns.named(name), disk, folder, rounds * ROUNDS_FACTOR);
        assertThat(result.rounds()).isEqualTo(rounds * ROUNDS_FACTOR);
        assertThat(result.tally().acknowledged()).as("messages acknowledged").isPositive();
    }

    @Test
    void everyCampaignIsRun() {
        assertThat(Campaigns.all().stream().map(Campaign::name))
                .containsExactlyInAnyOrder(
                        "kill",
                        "suspend",
                        "power-cut",
                        "damage",
                        "full-disk",
                        "handles",
                        "memory",
                        "two-servers",
                        "clock");
    }
}
