package io.galgo.storage.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OffsetTableTest {
    @Test
    void itHoldsWhatAMapHolds() {
        for (long seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            OffsetTable table = new OffsetTable();
            Map<Long, Long> map = new TreeMap<>();
            int keysCount = 1 + random.nextInt(60);
            for (int step = 0; step < 400; step++) {
                long key = OffsetsFormat.tableKey(random.nextBoolean(), random.nextInt(keysCount) * 0x0100_0000);
                if (random.nextInt(5) < 3) {
                    long offset = random.nextLong();
                    table.put(key, offset);
                    map.put(key, offset);
                } else {
                    table.remove(key);
                    map.remove(key);
                }
                assertThat(table.size()).as("size, seed %d step %d", seed, step).isEqualTo(map.size());
            }
            assertThat(content(table)).as("seed %d", seed).isEqualTo(map);
        }
    }

    @Test
    void aClearedTableHoldsNothingAndNoMemory() {
        OffsetTable table = new OffsetTable();
        table.put(7, 1);
        table.clear();
        assertThat(table.size()).isZero();
        assertThat(table.places()).isZero();
        table.remove(7);
        table.put(7, 2);
        assertThat(content(table)).isEqualTo(Map.of(7L, 2L));
    }

    static Map<Long, Long> content(OffsetTable table) {
        Map<Long, Long> content = new TreeMap<>();
        for (int place = 0; place < table.places(); place++) {
            if (!table.isFree(place)) {
                content.put(table.key(place), table.offset(place));
            }
        }
        return content;
    }
}
