package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.storage.Invariant;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class SlotsTest {
    @Test
    void theLowestFreeIdIsGivenOutFirst() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            Slots<String> slots = new Slots<>();
            TreeMap<Integer, String> model = new TreeMap<>();
            for (int step = 0; step < 500; step++) {
                if (random.nextInt(5) < 3) {
                    int free = 0;
                    while (model.containsKey(free)) {
                        free++;
                    }
                    assertThat(slots.lowestFree())
                            .as("seed %d, step %d", seed, step)
                            .isEqualTo(free);
                    slots.put(free, "thing " + step);
                    model.put(free, "thing " + step);
                } else if (!model.isEmpty()) {
                    Integer[] used = model.keySet().toArray(Integer[]::new);
                    int id = used[random.nextInt(used.length)];
                    slots.remove(id);
                    model.remove(id);
                }
                assertThat(slots.count()).as("seed %d, step %d", seed, step).isEqualTo(model.size());
                assertThat(slots.end())
                        .as("seed %d, step %d", seed, step)
                        .isEqualTo(model.isEmpty() ? 0 : model.lastKey() + 1);
                int probe = random.nextInt(40) - 2;
                assertThat(slots.get(probe))
                        .as("seed %d, step %d, id %d", seed, step, probe)
                        .isEqualTo(model.get(probe));
            }
        }
    }

    @Test
    void anIdIsUsedByOneThing() {
        Slots<String> slots = new Slots<>();
        slots.put(3, "three");

        assertThatThrownBy(() -> slots.put(3, "other")).isInstanceOf(Invariant.Violation.class);
        assertThatThrownBy(() -> slots.remove(2)).isInstanceOf(Invariant.Violation.class);
        assertThat(slots.get(Integer.MIN_VALUE)).isNull();
        assertThat(slots.get(Integer.MAX_VALUE)).isNull();
    }
}
