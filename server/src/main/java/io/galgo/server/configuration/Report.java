package io.galgo.server.configuration;

import java.util.ArrayList;
import java.util.List;

/// What loading the configuration found, in the order in which it was found.
final class Report {
    private final List<String> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /// Something that refuses the start.
    void problem(String line) {
        problems.add("config: " + line);
    }

    /// A refusal that concerns one value: the key, the value as given, where it came from, and what is allowed.
    void problem(String path, String shown, Origin origin, String allowed) {
        problem(path + " = " + shown + " (" + origin.text() + "): " + allowed);
    }

    void warning(String line) {
        warnings.add("config: " + line);
    }

    void note(String line) {
        notes.add(line);
    }

    List<String> problems() {
        return problems;
    }

    List<String> warnings() {
        return warnings;
    }

    List<String> notes() {
        return notes;
    }
}
