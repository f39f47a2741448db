package io.galgo.broker.partition;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PartitionDirectoryTest {
    @Test
    void thePartitionsOfATopicAreDealtOutEvenly() {
        for (int shards = 1; shards <= 7; shards++) {
            for (int topic = 0; topic < 50; topic++) {
                int[] counts = new int[shards];
                for (int partition = 0; partition < 3 * shards; partition++) {
                    counts[PartitionDirectory.owner(5, topic, partition, shards)]++;
                }
                assertThat(counts).as("%s shards, topic %s", shards, topic).containsOnly(3);
            }
        }
    }

    @Test
    void topicsOfOnePartitionAreSpreadOverTheShards() {
        int[] counts = new int[4];
        for (int stream = 0; stream < 20; stream++) {
            for (int topic = 0; topic < 20; topic++) {
                counts[PartitionDirectory.owner(stream, topic, 0, 4)]++;
            }
        }
        for (int count : counts) {
            assertThat(count).as("of 400 topics on one of 4 shards").isBetween(60, 140);
        }
    }

    @Test
    void keysOfDifferentPartitionsDiffer() {
        assertThat(PartitionDirectory.key(1, 2, 3)).isNotEqualTo(PartitionDirectory.key(1, 3, 2));
        assertThat(PartitionDirectory.key(0, 1, 0)).isNotEqualTo(PartitionDirectory.key(0, 0, 999_999));
        assertThat(PartitionDirectory.key(1, 0, 0)).isNotEqualTo(PartitionDirectory.key(0, 4_095, 999_999));
    }
}
