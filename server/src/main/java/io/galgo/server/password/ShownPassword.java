package io.galgo.server.password;

/// The line with which the generated password of a new data directory's first user is shown once: the only secret
/// that is ever written to a log, and what has to be masked wherever lines of a log go.
public final class ShownPassword {
    private static final String START = "Generated root user password: ";
    private static final String MASK = "******";

    private ShownPassword() {}

    public static String line(String password) {
        return START + password + " (user iggy; shown this once)";
    }

    /// A line of a log, without the password if that is in it.
    public static String masked(String line) {
        int at = line.indexOf(START);
        return at < 0 ? line : line.substring(0, at + START.length()) + MASK;
    }
}
