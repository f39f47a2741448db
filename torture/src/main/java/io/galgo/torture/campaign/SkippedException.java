package io.galgo.torture.campaign;

/// A campaign cannot be run on this machine, or against this server; the message is the reason.
public final class SkippedException extends Exception {
    private static final long serialVersionUID = 1;

    public SkippedException(String reason) {
        super(reason);
    }
}
