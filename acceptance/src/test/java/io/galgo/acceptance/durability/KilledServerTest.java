package io.galgo.acceptance.durability;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.campaign.Campaigns;
import io.galgo.torture.server.DiskBackend;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A server that is killed at random moments loses nothing that it acknowledged.
///
/// The number of kills and the seed are system properties. The long campaign: `./galgo torture --only kill`.
@ExtendWith(ServerLogs.class)
class KilledServerTest {
    private static final int ROUNDS = Integer.getInteger("galgo.kill.rounds", 6);

    @ParameterizedTest
    @EnumSource(names = {"RING", "FALLBACK"})
    void nothingAcknowledgedIsLost(DiskBackend disk, @TempDir Path folder) throws Exception {
        if (Target.current().isReference() && disk == DiskBackend.FALLBACK) {
            return;
        }
        ShortCampaign.run(Campaigns.named("kill"), disk, folder, ROUNDS);
    }
}
