package io.galgo.server.network;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LimitedLogTest {
    @Test
    void onlyOneLineAPeriodIsWrittenAndTheOthersAreCounted() {
        List<String> lines = new ArrayList<>();
        long[] now = {1_000};
        LimitedLog log = new LimitedLog(lines::add, () -> now[0], 100);
        log.line("a");
        log.line("b");
        now[0] = 1_099;
        log.line("c");
        now[0] = 1_100;
        log.line("d");
        now[0] = 1_200;
        log.line("e");
        assertThat(lines).containsExactly("a", "d (2 more like this were not logged)", "e");
    }
}
