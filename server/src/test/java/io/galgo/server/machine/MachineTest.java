package io.galgo.server.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MachineTest {
    @TempDir
    Path root;

    private void write(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /// Two NUMA nodes of two cores with two threads each; the process may not use the last thread.
    private Machine twoNodes() throws IOException {
        write("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-6\n");
        write("proc/self/limits", "Limit  Soft Limit\nMax open files            1024                 4096    files\n");
        write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
        write("sys/fs/cgroup/memory.max", "8589934592\n");
        write("sys/devices/system/node/online", "0-1\n");
        write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
        write("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
        for (int i = 0; i < 8; i++) {
            write(
                    "sys/devices/system/cpu/cpu" + i + "/topology/thread_siblings_list",
                    i % 4 + "," + (i % 4 + 4) + "\n");
        }
        return Machine.detect(root, 7);
    }

    @Test
    void theFilesOfTheSystemTellTheMachine() throws IOException {
        Machine machine = twoNodes();
        assertThat(machine.processors()).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(machine.nodes())
                .containsExactly(new Machine.Node(0, List.of(0, 1, 4, 5)), new Machine.Node(1, List.of(2, 3, 6)));
        assertThat(machine.cores()).containsExactly(List.of(0, 4), List.of(1, 5), List.of(2, 6), List.of(3));
        assertThat(machine.memoryBytes()).isEqualTo(8L << 30);
        assertThat(machine.openFilesMax()).isEqualTo(1024);
    }

    @Test
    void aSystemThatTellsNothingIsPlain() {
        Machine machine = Machine.detect(root, 3);
        assertThat(machine.processors()).containsExactly(0, 1, 2);
        assertThat(machine.nodes()).containsExactly(new Machine.Node(0, List.of(0, 1, 2)));
        assertThat(machine.cores()).hasSize(3);
        assertThat(machine.memoryBytes()).isPositive();
    }

    @Test
    void thisMachineCanBeAsked() {
        Machine machine = Machine.detect();
        assertThat(machine.processors()).isNotEmpty();
        assertThat(machine.parallelism()).isBetween(1, machine.processors().size());
        assertThat(machine.memoryBytes()).isBetween(1L << 20, 1L << 50);
    }

    private static ShardCores choose(String text, Machine machine) {
        CpuAllocation allocation = CpuAllocation.parse(text);
        assertThat(allocation).isNotNull();
        return ShardCores.choose(allocation, machine, true);
    }

    @Test
    void shardsAreDealtToCores() throws IOException {
        Machine machine = twoNodes();
        assertThat(choose("numa:auto", machine)).isEqualTo(new ShardCores.Chosen(List.of(0, 1, 2, 3)));
        assertThat(choose("all", machine)).isEqualTo(new ShardCores.Chosen(List.of(0, 1, 2, 3, 4, 5, 6)));
        assertThat(choose("2", machine)).isEqualTo(new ShardCores.Chosen(List.of(0, 1)));
        assertThat(choose("4..7", machine)).isEqualTo(new ShardCores.Chosen(List.of(4, 5, 6)));
        assertThat(choose("numa:nodes=1", machine)).isEqualTo(new ShardCores.Chosen(List.of(2, 3)));
        assertThat(choose("numa:nodes=1;no_ht=false", machine)).isEqualTo(new ShardCores.Chosen(List.of(2, 3, 6)));
        assertThat(choose("numa:cores=1", machine)).isEqualTo(new ShardCores.Chosen(List.of(0, 2)));
    }

    @Test
    void aContainersQuotaBoundsTheAutomaticChoice() throws IOException {
        twoNodes();
        assertThat(choose("numa:auto", Machine.detect(root, 2))).isEqualTo(new ShardCores.Chosen(List.of(0, 1)));
        assertThat(choose("all", Machine.detect(root, 2))).isEqualTo(new ShardCores.Chosen(List.of(0, 1)));
    }

    @Test
    void whatTheMachineDoesNotHaveIsRefused() throws IOException {
        Machine machine = twoNodes();
        for (String text : List.of("8", "0", "3..3", "5..9", "numa:nodes=2", "numa:nodes=1;cores=3")) {
            assertThat(choose(text, machine)).as(text).isInstanceOf(ShardCores.Refused.class);
        }
    }

    @Test
    void listsOfProcessorsHaveRanges() {
        assertThat(Machine.parseList("0-2,5, 7-8")).containsExactly(0, 1, 2, 5, 7, 8);
        assertThat(Machine.parseList("")).isEmpty();
        assertThat(Machine.parseList("a")).isEmpty();
        assertThat(Machine.parseList("1-")).isEmpty();
        assertThat(Machine.parseList(null)).isEmpty();
    }
}
