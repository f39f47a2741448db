package io.galgo.acceptance.differential;

import java.util.List;
import java.util.regex.Pattern;

/// A field whose expected value is not the recorded one, and why.
///
/// @param where the script's line or the line of the table that says so
/// @param origin who differs from the recorded server
/// @param command which commands it is about, as a regular expression
/// @param field which fields it is about, as a regular expression
/// @param recorded the recorded value, `*` for any
/// @param expected the value that is right, `*` for any
record Deviation(
        String where, Origin origin, Pattern command, Pattern field, String recorded, String expected, String reason) {

    enum Origin {
        /// Galgo does it in another way than Iggy 0.9.0, on purpose.
        GALGO,
        /// The released 0.9.0 does it in another way than the recorded pre-release.
        RELEASE
    }

    boolean covers(Difference difference) {
        return command.matcher(difference.command()).matches()
                && field.matcher(difference.field()).matches()
                && (recorded.equals("*") || recorded.equals(difference.expected()))
                && (expected.equals("*") || expected.equals(difference.got()));
    }

    /// The table of those that are not about a single request: tab-separated origin, command, field, recorded
    /// value, expected value, reason.
    static List<Deviation> table(String name, List<String> lines) {
        return lines.stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(line -> row(name, line))
                .toList();
    }

    private static Deviation row(String name, String line) {
        String[] cells = line.split("\t", -1);
        if (cells.length != 6 || cells[5].isBlank()) {
            throw new ScriptException(name, "not six cells with a reason in the last: " + line);
        }
        return new Deviation(
                name + " \"" + line + "\"",
                origin(name, cells[0]),
                Pattern.compile(cells[1]),
                Pattern.compile(cells[2]),
                cells[3],
                cells[4],
                cells[5]);
    }

    static Origin origin(String place, String word) {
        return switch (word) {
            case "galgo" -> Origin.GALGO;
            case "release" -> Origin.RELEASE;
            default -> throw new ScriptException(place, "neither galgo nor release: " + word);
        };
    }
}
