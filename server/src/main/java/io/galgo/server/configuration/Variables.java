package io.galgo.server.configuration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The environment of the process, completed by a dotenv file, with the two prefixes seen as one (spec config 1,
/// 3).
///
/// An empty variable counts as unset. `GALGO_` wins over `IGGY_`.
public final class Variables {
    private static final String[] PREFIXES = {"GALGO_", "IGGY_"};

    private final Map<String, Variable> byName = new TreeMap<>();
    private final List<String> conflicts = new ArrayList<>();

    private Variables() {}

    /// One variable that is set.
    ///
    /// @param name its full name
    /// @param value not empty
    /// @param origin where it came from
    record Variable(String name, String value, Origin origin) {}

    /// Takes the process's variables and those of the dotenv file that it does not set.
    ///
    /// @param directory where the search for `.env` starts and goes upwards
    public static Variables load(Map<String, String> process, Path directory) {
        Variables variables = new Variables();
        process.forEach((name, value) -> {
            if (!value.isEmpty()) {
                variables.byName.put(name, new Variable(name, value, new Origin.Variable(name)));
            }
        });
        Path dotenv = variables.findDotenv(directory);
        if (dotenv != null) {
            String shown = dotenv.getFileName() == null
                    ? dotenv.toString()
                    : dotenv.getFileName().toString();
            readDotenv(dotenv).forEach((name, value) -> {
                // A variable that the process sets to nothing still hides the one of the file.
                if (!value.isEmpty() && !process.containsKey(name)) {
                    variables.byName.put(name, new Variable(name, value, new Origin.Dotenv(name, shown)));
                }
            });
        }
        variables.findConflicts();
        return variables;
    }

    private @Nullable Path findDotenv(Path directory) {
        String named = value("ENV_PATH");
        if (named != null) {
            return directory.resolve(named);
        }
        return findUpwards(directory, ".env");
    }

    /// Looks for a relative path in a directory and those above it.
    static @Nullable Path findUpwards(Path directory, String relative) {
        for (Path folder = directory.toAbsolutePath().normalize(); folder != null; folder = folder.getParent()) {
            Path candidate = folder.resolve(relative);
            if (Files.isRegularFile(candidate)) {
                return candidate;
            }
        }
        return null;
    }

    private static Map<String, String> readDotenv(Path path) {
        Map<String, String> found = new LinkedHashMap<>();
        List<String> lines;
        try {
            lines = Files.readAllLines(path);
        } catch (IOException ignoredByRule) {
            // A missing or unreadable dotenv file is ignored silently (spec config 1, step 3).
            return found;
        }
        for (String line : lines) {
            String entry = line.strip();
            if (entry.startsWith("export ")) {
                entry = entry.substring("export ".length()).strip();
            }
            int equals = entry.indexOf('=');
            if (!entry.startsWith("#") && equals > 0) {
                found.put(
                        entry.substring(0, equals).strip(),
                        dotenvValue(entry.substring(equals + 1).strip()));
            }
        }
        return found;
    }

    private static String dotenvValue(String text) {
        char quote = text.isEmpty() ? 0 : text.charAt(0);
        if (quote == '\'' || quote == '"') {
            int end = text.indexOf(quote, 1);
            if (end > 0) {
                return text.substring(1, end);
            }
        }
        int comment = text.indexOf(" #");
        return comment < 0 ? text : text.substring(0, comment).strip();
    }

    private void findConflicts() {
        for (Variable galgo : byName.values()) {
            if (galgo.name().startsWith("GALGO_")) {
                Variable iggy = byName.get("IGGY_" + galgo.name().substring("GALGO_".length()));
                if (iggy != null && !iggy.value().equals(galgo.value())) {
                    conflicts.add(galgo.name() + " and " + iggy.name() + " are both set and differ; " + galgo.name()
                            + " counts");
                }
            }
        }
    }

    /// The variable of this name with either prefix, `GALGO_` first.
    @Nullable Variable variable(String nameWithoutPrefix) {
        for (String prefix : PREFIXES) {
            Variable variable = byName.get(prefix + nameWithoutPrefix);
            if (variable != null) {
                return variable;
            }
        }
        return null;
    }

    /// The value of the variable of this name with either prefix, null when it is unset.
    public @Nullable String value(String nameWithoutPrefix) {
        Variable variable = variable(nameWithoutPrefix);
        return variable == null ? null : variable.value();
    }

    /// The value of a variable that has no prefix, such as `RUST_LOG`.
    public @Nullable String plainValue(String name) {
        Variable variable = variableWithoutPrefix(name);
        return variable == null ? null : variable.value();
    }

    @Nullable Variable variableWithoutPrefix(String name) {
        return byName.get(name);
    }

    /// Sets a variable that nobody set, as an argument of the command line asks.
    ///
    /// @return whether it was unset
    public boolean setIfUnset(String nameWithoutPrefix, String value, String argument) {
        if (variable(nameWithoutPrefix) != null) {
            return false;
        }
        String name = "IGGY_" + nameWithoutPrefix;
        byName.put(name, new Variable(name, value, new Origin.Argument(argument)));
        return true;
    }

    /// Every variable with one of our prefixes, by name.
    List<Variable> prefixed() {
        List<Variable> found = new ArrayList<>();
        for (Variable variable : byName.values()) {
            if (variable.name().startsWith("GALGO_") || variable.name().startsWith("IGGY_")) {
                found.add(variable);
            }
        }
        return found;
    }

    /// One line for each name that both prefixes set to different values. Secret values are not in it.
    List<String> conflicts() {
        return conflicts;
    }
}
