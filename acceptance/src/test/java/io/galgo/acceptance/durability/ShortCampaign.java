package io.galgo.acceptance.durability;

import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Tools;
import io.galgo.torture.campaign.Campaign;
import io.galgo.torture.campaign.Result;
import io.galgo.torture.campaign.Trial;
import io.galgo.torture.server.DiskBackend;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;

/// A few rounds of a campaign of `./galgo torture`, as a test. `-Dgalgo.torture.seed=…` repeats a failure.
final class ShortCampaign {
    private static final long SEED = Long.getLong("galgo.torture.seed", 20_261_130);
    private static final Duration TIME_MAX = Duration.ofMinutes(10);

    private ShortCampaign() {}

    static Result run(Campaign campaign, DiskBackend disk, Path folder, int rounds) throws InterruptedException {
        Trial.Limit limit = new Trial.Limit(rounds, TIME_MAX, false);
        Result result =
                Trial.run(campaign, Servers.program(), disk, folder.resolve(campaign.name()), limit, SEED, _ -> {});
        Figures.tell(result.figures());
        if (result.skipped() != null) {
            String reason = campaign.name() + ": " + result.skipped();
            // The right to mount a file system is nothing that can be installed.
            throw campaign.name().equals("full-disk")
                    ? Assumptions.<RuntimeException>abort(reason)
                    : Tools.missing(reason);
        }
        result.mustHold();
        return result;
    }
}
