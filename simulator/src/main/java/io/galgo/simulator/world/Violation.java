package io.galgo.simulator.world;

import org.jspecify.annotations.Nullable;

/// A broken promise. Thrown anywhere in a run, it ends the run.
public final class Violation extends AssertionError {
    private static final long serialVersionUID = 1L;

    private final String promise;

    /// @param promise the name of the promise: the same for every run that breaks it
    /// @param details what happened in this run
    public Violation(String promise, String details) {
        this(promise, details, null);
    }

    public Violation(String promise, String details, @Nullable Throwable cause) {
        super(promise + ": " + details, cause);
        this.promise = promise;
    }

    /// What kind of failure it is. Shrinking keeps it.
    public String promise() {
        return promise;
    }
}
