package io.galgo.acceptance.differential;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The replies of a server beside the recorded ones.
///
/// @param unexplained differences that no deviation covers
/// @param used the deviations that cover a difference
/// @param superfluous deviations of the script that cover none
record Comparison(List<Difference> unexplained, Set<Deviation> used, List<Deviation> superfluous) {
    static final String MISSING = "(no such field)";

    /// @param table deviations that hold in every script
    static Comparison of(Script script, Transcript recorded, Transcript got, List<Deviation> table) {
        List<Step.Request> requests = script.requests();
        if (recorded.entries().size() != requests.size()) {
            throw new ScriptException(
                    script.name(),
                    "has " + requests.size() + " requests, its recording "
                            + recorded.entries().size() + ": record it again");
        }
        List<Difference> unexplained = new ArrayList<>();
        Set<Deviation> used = new LinkedHashSet<>();
        List<Deviation> superfluous = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            Step.Request request = requests.get(i);
            if (!recorded.entries().get(i).request().equals(request.text())) {
                throw new ScriptException(
                        script.place(request),
                        "was recorded as \"" + recorded.entries().get(i).request() + "\": record it again");
            }
            if (i >= got.entries().size()) {
                break;
            }
            List<Deviation> deviations = new ArrayList<>(request.deviations());
            deviations.addAll(table);
            Set<Deviation> usedHere = new LinkedHashSet<>();
            for (Difference difference : differences(
                    script,
                    request,
                    recorded.entries().get(i).fields(),
                    got.entries().get(i).fields())) {
                List<Deviation> covering = deviations.stream()
                        .filter(deviation -> deviation.covers(difference))
                        .toList();
                usedHere.addAll(covering);
                if (covering.isEmpty()) {
                    unexplained.add(difference);
                }
            }
            request.deviations().stream()
                    .filter(deviation -> !usedHere.contains(deviation))
                    .forEach(superfluous::add);
            used.addAll(usedHere);
        }
        return new Comparison(unexplained, used, superfluous);
    }

    private static List<Difference> differences(
            Script script, Step.Request request, Map<String, String> recorded, Map<String, String> got) {
        Set<String> names = new LinkedHashSet<>(recorded.keySet());
        names.addAll(got.keySet());
        List<Difference> differences = new ArrayList<>();
        for (String name : names) {
            String expected = recorded.getOrDefault(name, MISSING);
            String actual = got.getOrDefault(name, MISSING);
            if (!expected.equals(actual)) {
                differences.add(new Difference(
                        script.place(request), request.text(), request.command(), name, expected, actual));
            }
        }
        return differences;
    }

    boolean isClean() {
        return unexplained.isEmpty() && superfluous.isEmpty();
    }
}
