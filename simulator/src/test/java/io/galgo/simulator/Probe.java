package io.galgo.simulator;

import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.Violation;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// Runs one seed among classes that somebody else cannot see, and tells only what any class loader knows.
public final class Probe implements LongFunction<@Nullable String> {
    /// Made by reflection.
    public Probe() {}

    /// @return null when every promise held; otherwise who found out, and which promise was broken, with ` | ` between
    @Override
    public @Nullable String apply(long seed) {
        Violation violation = Simulation.run(Swarm.of(seed), Main::cast).violation();
        return violation == null ? null : finder(violation) + " | " + violation.promise();
    }

    /// The checker, or the part of the simulation, that threw.
    private static String finder(Violation violation) {
        for (StackTraceElement frame : violation.getStackTrace()) {
            String name = Objects.requireNonNullElse(frame.getClassName(), "");
            if (name.startsWith("io.galgo.simulator.")) {
                String simple = name.substring(name.lastIndexOf('.') + 1);
                return simple.contains("$") ? simple.substring(0, simple.indexOf('$')) : simple;
            }
        }
        return "?";
    }
}
