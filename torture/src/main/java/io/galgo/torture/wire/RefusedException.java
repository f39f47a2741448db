package io.galgo.torture.wire;

/// The server answered a command with something other than success.
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private final String outcome;

    RefusedException(String command, String outcome) {
        super(command + " was answered with " + outcome);
        this.outcome = outcome;
    }

    public String outcome() {
        return outcome;
    }
}
