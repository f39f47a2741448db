package io.galgo.acceptance.differential;

/// A script, or a line of it, that says something which cannot be done.
final class ScriptException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ScriptException(String place, String text) {
        super(place + ": " + text);
    }
}
