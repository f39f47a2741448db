package io.galgo.model;

/// The server did something that the specification does not allow.
public final class Difference extends AssertionError {
    private static final long serialVersionUID = 1;

    Difference(String text) {
        super(text);
    }

    @SuppressWarnings("AnnotateFormatMethod") // The annotation would be a dependency for this alone.
    static void unless(boolean holds, String text, Object... arguments) {
        if (!holds) {
            throw new Difference(String.format(text, arguments));
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // As above.
    static void unlessEqual(Object actual, Object expected, String what, Object... arguments) {
        if (!expected.equals(actual)) {
            throw new Difference(
                    String.format(what, arguments) + ": the server says " + actual + ", the model " + expected);
        }
    }
}
