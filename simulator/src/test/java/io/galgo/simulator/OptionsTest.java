package io.galgo.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.simulator.world.FaultClass;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OptionsTest {
    @Test
    void oneSeedCanBeRunWithLess() throws Options.Wrong {
        Options options = Options.parse("--clients", "2", "--without", "power-loss", "--seed", "7");
        assertThat(options.seed()).isEqualTo(7);
        assertThat(options.clients()).isEqualTo(2);
        assertThat(options.without()).containsExactly(FaultClass.POWER_LOSS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--without power-loss", "--clients 3 --seeds 5", "--clients=3", "--without nonsense"})
    void whatOnlyOneSeedCanBeRunWithIsRefusedWithoutIt(String line) {
        List<String> words = List.of(line.split("[ =]", -1));
        assertThatThrownBy(() -> Options.parse(words.toArray(String[]::new)))
                .isInstanceOf(Options.Wrong.class)
                .hasMessageContaining(words.getFirst());
    }
}
