package io.galgo.storage.journal;

import io.galgo.storage.Unreadable;

/// The sentences for files that must not be used as they are.
final class Findings {
    private static final String REMEDY = "restore the data directory from a copy, or start with an empty one";

    private Findings() {}

    /// @param what what is wrong, with the file and the place in it
    static Unreadable damaged(String what) {
        return new Unreadable(what + "; " + REMEDY);
    }

    static Unreadable unknownVersion(String path, int version, int known) {
        return new Unreadable(path + " has format version " + Integer.toUnsignedString(version)
                + " and this program knows version " + known + "; start the program that wrote it, or a later one");
    }
}
