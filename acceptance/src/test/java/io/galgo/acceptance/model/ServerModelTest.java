package io.galgo.acceptance.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.model.Driver;
import io.galgo.model.Subject.End;
import io.galgo.torture.server.DiskBackend;
import io.galgo.torture.server.ServerSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Random commands of many clients against a server process and the model of the specification, with stops and
/// SIGKILLs in between. The same driver and model as in the broker's `NodeModelTest`, which tries far more seeds.
///
/// One seed again: `-Dtest=ServerModelTest -Dgalgo.model.seed=17`. What a run draws depends on the seed alone, when
/// the process dies also on the machine.
@ExtendWith(ServerLogs.class)
class ServerModelTest {
    private static final long SEED = Long.getLong("galgo.model.seed", 1);
    private static final int SEEDS = Integer.getInteger("galgo.model.processes", 1);
    private static final int STEPS = Integer.getInteger("galgo.model.steps", 120);
    private static final int RESTART_IN = 35;

    @ParameterizedTest
    @EnumSource(names = {"RING", "FALLBACK"})
    void aServerThatIsStoppedOrKilledDoesWhatTheModelDoes(DiskBackend disk, @TempDir Path folder) throws Exception {
        if (Target.current().isReference()) {
            // The model is Galgo's, where the two differ.
            return;
        }
        for (long seed = SEED; seed < SEED + SEEDS; seed++) {
            ServerSettings settings = Servers.on(folder.resolve("data-" + seed)).withDisk(disk);
            Driver.Plan plan =
                    new Driver.Plan(seed, STEPS, false, List.of(End.STOP, End.KILL, End.KILL), RESTART_IN, Set.of());
            try (ProcessSubject subject = new ProcessSubject(settings)) {
                Driver driver = new Driver(subject, plan);
                driver.run();
                Figures.tell("model, " + disk + ", seed " + seed + ": " + driver.outcomes());
                assertThat(driver.successes().size())
                        .as("different commands that succeeded, seed %s", seed)
                        .isGreaterThan(20);
            }
        }
    }
}
