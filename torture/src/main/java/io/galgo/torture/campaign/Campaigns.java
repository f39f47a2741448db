package io.galgo.torture.campaign;

import java.util.List;
import java.util.Optional;

/// All campaigns there are, in the order in which they run.
public final class Campaigns {
    private static final List<Campaign> ALL = List.of(
            new KillCampaign(),
            new SuspendCampaign(),
            new PowerCutCampaign(),
            new DamageCampaign(),
            new FullDiskCampaign(),
            new HandlesCampaign(),
            new MemoryCampaign(),
            new TwoServersCampaign(),
            new ClockCampaign());

    private Campaigns() {}

    public static List<Campaign> all() {
        return ALL;
    }

    public static Optional<Campaign> find(String name) {
        return ALL.stream().filter(campaign -> campaign.name().equals(name)).findFirst();
    }

    public static Campaign named(String name) {
        return find(name).orElseThrow(() -> new IllegalArgumentException("there is no campaign " + name));
    }

    public static List<String> names() {
        return ALL.stream().map(Campaign::name).toList();
    }
}
