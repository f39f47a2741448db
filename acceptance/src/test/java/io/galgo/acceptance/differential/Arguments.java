package io.galgo.acceptance.differential;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The arguments of one request in the order of its line, with their variables replaced. What is never asked for is
/// a mistake in the script.
final class Arguments {
    record Argument(String name, Value value) {}

    private final String place;
    private final List<Argument> all;
    private final Set<String> asked = new HashSet<>();

    Arguments(String place, List<Argument> all) {
        this.place = place;
        this.all = all;
    }

    Optional<Value> find(String name) {
        asked.add(name);
        return all.stream()
                .filter(argument -> argument.name.equals(name))
                .map(Argument::value)
                .findFirst();
    }

    Value need(String name) {
        return find(name).orElseThrow(() -> new ScriptException(place, "the argument " + name + " is missing"));
    }

    boolean has(String name) {
        return find(name).isPresent();
    }

    long number(String name, long otherwise) {
        return find(name).map(Value::number).orElse(otherwise);
    }

    String text(String name, String otherwise) {
        return find(name).map(Value::text).orElse(otherwise);
    }

    /// All arguments whose name is `prefix` or begins with `prefix` and a dot.
    List<Argument> family(String prefix) {
        List<Argument> family = new ArrayList<>();
        for (Argument argument : all) {
            if (argument.name.equals(prefix) || argument.name.startsWith(prefix + ".")) {
                asked.add(argument.name);
                family.add(argument);
            }
        }
        return family;
    }

    ScriptException wrong(String text) {
        return new ScriptException(place, text);
    }

    void mustBeUsedUp() {
        for (Argument argument : all) {
            if (!asked.contains(argument.name)) {
                throw wrong("the command has no argument " + argument.name);
            }
        }
    }
}
