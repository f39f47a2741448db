package io.galgo.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.torture.campaign.Campaign;
import io.galgo.torture.campaign.Campaigns;
import io.galgo.torture.server.DiskBackend;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void withoutOptionsEverythingIsTorturedForAQuarterOfAnHour() throws Exception {
        Options options = Options.parse(List.of());
        assertThat(options.campaigns()).isEqualTo(Campaigns.all());
        assertThat(options.disks()).containsExactly(DiskBackend.RING, DiskBackend.FALLBACK);
        assertThat(options.time()).isEqualTo(Duration.ofMinutes(15));
        assertThat(options.rounds()).isNull();
    }

    @Test
    void roundsAloneHaveNoLimitOfTime() throws Exception {
        Options options = Options.parse(List.of("--rounds", "7"));
        assertThat(options.rounds()).isEqualTo(7);
        assertThat(options.time()).isNull();
    }

    @Test
    void everythingCanBeChosen() throws Exception {
        Options options = Options.parse(List.of(
                "--minutes", "0.5", "--seed", "-3", "--only", "kill,clock", "--disk", "file", "--server", "a  b"));
        assertThat(options.time()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.seed()).isEqualTo(-3);
        assertThat(options.campaigns().stream().map(Campaign::name)).containsExactly("kill", "clock");
        assertThat(options.disks()).containsExactly(DiskBackend.FALLBACK);
        assertThat(options.server()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--minutes",
                "--minutes 0",
                "--minutes NaN",
                "--rounds x",
                "--rounds 0",
                "--rounds 0.5",
                "--rounds -1",
                "--rounds 1.0",
                "--only kil",
                "--disk tape",
                "--fast"
            })
    void whatMakesNoSenseIsToldByItsName(String line) {
        assertThatThrownBy(() -> Options.parse(List.of(line.split(" ", -1))))
                .isInstanceOf(Options.UsageException.class)
                .hasMessageContaining(line.split(" ", -1)[0].equals("--only") ? "kil" : line.split(" ", -1)[0]);
    }

    @Test
    void aPlanWithoutAnyCampaignMakesNoSense() {
        assertThatThrownBy(() -> Options.parse(List.of("--only", "power-cut", "--disk", "ring")))
                .isInstanceOf(Options.UsageException.class)
                .hasMessageContaining("power-cut")
                .hasMessageContaining("ring");
    }

    @Test
    void aCampaignIsRunOnTheDisksThatItFits() throws Exception {
        Options options = Options.parse(List.of("--only", "power-cut,kill"));
        assertThat(options.disksOf(Campaigns.find("power-cut").orElseThrow())).containsExactly(DiskBackend.FALLBACK);
        assertThat(options.disksOf(Campaigns.find("kill").orElseThrow()))
                .containsExactly(DiskBackend.RING, DiskBackend.FALLBACK);
        Options other = Options.parse(List.of("--only", "kill", "--disk", "ring", "--server", "a"));
        assertThat(other.disksOf(Campaigns.find("kill").orElseThrow())).containsExactly(DiskBackend.AUTOMATIC);
    }

    @Test
    void theUsageNamesEveryCampaign() {
        assertThat(Main.usage()).contains(Campaigns.names());
    }
}
