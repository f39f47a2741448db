package io.galgo.storage;

/// Files that must not be used as they are: damaged where damage cannot be left aside, or of an unknown format.
///
/// The message is one sentence for the person who starts the server: what is wrong, in which file and where in it,
/// and what to do.
public final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Unreadable(String message) {
        super(message);
    }
}
