package io.galgo.storage;

/// What must hold whatever clients and disks do. When it does not, the program is wrong, and going on would spread
/// the damage: the top of the thread says so and stops the process.
///
/// These checks stay on in production, so a check costs a comparison and nothing more while it holds.
public final class Invariant {
    private Invariant() {}

    /// @param meaning what holds, in words
    public static void check(boolean holds, String meaning) {
        if (!holds) {
            throw new Violation("does not hold: " + meaning);
        }
    }

    /// @param meaning what holds, in words that name both values in order
    public static void check(boolean holds, String meaning, long first, long second) {
        if (!holds) {
            throw new Violation("does not hold: " + meaning + " (" + first + ", " + second + ")");
        }
    }

    /// A bug of ours. Nobody catches it except the top of a thread, which stops the process.
    public static final class Violation extends Error {
        private static final long serialVersionUID = 1L;

        Violation(String message) {
            super(message);
        }
    }
}
