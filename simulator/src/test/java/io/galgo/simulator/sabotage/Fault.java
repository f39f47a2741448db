package io.galgo.simulator.sabotage;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// A deliberate fault: an edit of one source file of the server that breaks one of its promises.
///
/// @param file from the top of the source tree
/// @param original whole lines that the file holds exactly once
/// @param breaks the promise, in a sentence
/// @param isQuick whether it is found within a few seeds, so that every build can look for it
/// @param isOpen whether no checker finds it yet: a hole that is known
record Fault(
        String name, String file, String breaks, boolean isQuick, boolean isOpen, String original, String replacement) {
    // A fault's file begins with lines `file: ...` and `breaks: ...`, and may go on with `quick: yes` or `open:
    // ...`, which says what is known of the hole. The lines between `----- replace` and `----- by` are the
    // original, those behind are what comes instead.

    private static final String REPLACE = "----- replace\n";
    private static final String BY = "----- by\n";
    private static final String SUFFIX = ".fault";

    /// The faults of a directory, by name.
    static List<Fault> all(Path directory) throws IOException {
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            found.forEach(paths::add);
        }
        paths.sort(null);
        List<Fault> faults = new ArrayList<>();
        for (Path path : paths) {
            String name = String.valueOf(path.getFileName());
            faults.add(parse(name.substring(0, name.length() - SUFFIX.length()), Files.readString(path)));
        }
        return faults;
    }

    static Fault parse(String name, String text) {
        int replace = text.indexOf(REPLACE);
        int by = text.indexOf(BY);
        if (replace < 0 || by < replace) {
            throw new AssertionError("the fault " + name + " lacks its lines \"replace\" and \"by\"");
        }
        String head = text.substring(0, replace);
        return new Fault(
                name,
                value(name, head, "file"),
                value(name, head, "breaks"),
                head.contains("\nquick: yes\n"),
                head.contains("\nopen: "),
                text.substring(replace + REPLACE.length(), by),
                text.substring(by + BY.length()));
    }

    private static String value(String name, String head, String key) {
        return head.lines()
                .filter(line -> line.startsWith(key + ": "))
                .map(line -> line.substring(key.length() + 2))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the fault " + name + " does not say its " + key));
    }

    /// The source with the fault in it.
    String applyTo(String source) {
        int at = source.indexOf(original);
        if (original.isBlank() || at < 0 || source.indexOf(original, at + 1) >= 0) {
            throw new AssertionError("the lines that the fault " + name + " replaces are "
                    + (at < 0 ? "not" : "more than once") + " in " + file
                    + ": adapt simulator/src/test/resources/faults/" + name + SUFFIX);
        }
        return source.substring(0, at) + replacement + source.substring(at + original.length());
    }
}
