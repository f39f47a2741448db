package io.galgo.server.configuration;

import io.galgo.server.configuration.Variables.Variable;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Name and password for the first user, from the variables `ROOT_USERNAME` and `ROOT_PASSWORD` (spec config 8).
///
/// @param name 3..50 bytes
/// @param password 3..100 bytes
/// @param isWellKnown whether the password is the one that `--with-default-root-credentials` stands for
public record RootCredentials(String name, String password, boolean isWellKnown) {
    private static final int LENGTH_MIN = 3;
    private static final int NAME_LENGTH_MAX = 50;
    private static final int PASSWORD_LENGTH_MAX = 100;

    /// What the variables say, null when they say nothing. They have been checked.
    public static @Nullable RootCredentials of(Variables variables) {
        Variable name = variables.variable("ROOT_USERNAME");
        Variable password = variables.variable("ROOT_PASSWORD");
        return name == null || password == null
                ? null
                : new RootCredentials(name.value(), password.value(), password.origin() instanceof Origin.Argument);
    }

    static void check(Variables variables, Report report) {
        Variable name = variables.variable("ROOT_USERNAME");
        Variable password = variables.variable("ROOT_PASSWORD");
        if (name != null && password == null) {
            report.problem(name.name() + " is set and IGGY_ROOT_PASSWORD is not: both or none are needed");
        }
        if (name == null && password != null) {
            report.problem(password.name() + " is set and IGGY_ROOT_USERNAME is not: both or none are needed");
        }
        if (name != null && isOutside(name.value(), NAME_LENGTH_MAX)) {
            report.problem(name.name() + " = " + Kind.quoted(name.value()) + ": allowed are " + LENGTH_MIN + ".."
                    + NAME_LENGTH_MAX + " bytes");
        }
        if (password != null && isOutside(password.value(), PASSWORD_LENGTH_MAX)) {
            report.problem(
                    password.name() + " = ******: allowed are " + LENGTH_MIN + ".." + PASSWORD_LENGTH_MAX + " bytes");
        }
    }

    private static boolean isOutside(String value, int most) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        return bytes < LENGTH_MIN || bytes > most;
    }

    /// The password is no part of any text.
    @Override
    public String toString() {
        return "RootCredentials[" + name + "]";
    }
}
