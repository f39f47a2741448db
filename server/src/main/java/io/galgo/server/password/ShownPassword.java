package io.galgo.server.password;

/// The line with which the generated password of a new data directory's first user is shown once: the only secret
/// that is ever said. It goes to standard output alone; older servers wrote it into their log files too, so it has
/// to be masked wherever lines of those go.
public final class ShownPassword {
    private static final String START = "Generated root user password: ";
    private static final String MASK = "******";

    private ShownPassword() {}

    public static String line(String password) {
        return START + password + " (user iggy; shown this once, and in no file)";
    }

    /// A line of a log, without the password if that is in it.
    public static String masked(String line) {
        int at = line.indexOf(START);
        return at < 0 ? line : line.substring(0, at + START.length()) + MASK;
    }
}
