package io.galgo.broker.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LongTableTest {
    @Test
    void behavesLikeAMapUnderRandomPutsAndRemoves() {
        for (long seed = 1; seed <= 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            LongTable<String> table = new LongTable<>();
            Map<Long, String> model = new HashMap<>();
            int keys = 1 + random.nextInt(200);
            for (int step = 0; step < 2_000; step++) {
                long key = random.nextInt(keys) * (random.nextBoolean() ? 1L : 1L << 32);
                if (random.nextInt(3) == 0) {
                    assertThat(table.remove(key))
                            .as("removal of %s, seed %s, step %s", key, seed, step)
                            .isEqualTo(model.remove(key));
                } else {
                    table.put(key, "value " + step);
                    model.put(key, "value " + step);
                }
            }
            Map<Long, String> seen = new HashMap<>();
            table.forEach((key, value) -> assertThat(seen.put(key, value)).isNull());
            assertThat(seen).as("seed %s", seed).isEqualTo(model);
            assertThat(table.size()).as("seed %s", seed).isEqualTo(model.size());
            for (long key = 0; key < keys; key++) {
                assertThat(table.get(key)).as("key %s, seed %s", key, seed).isEqualTo(model.get(key));
            }
        }
    }

    @Test
    void nothingIsFoundAfterClear() {
        LongTable<String> table = new LongTable<>();
        for (long key = 0; key < 100; key++) {
            table.put(key, "value");
        }
        table.clear();
        assertThat(table.size()).isZero();
        assertThat(table.get(7)).isNull();
    }
}
