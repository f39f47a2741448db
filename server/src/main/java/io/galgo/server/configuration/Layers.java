package io.galgo.server.configuration;

import io.galgo.server.configuration.Settings.Setting;
import io.galgo.server.configuration.Variables.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Merges built-in defaults, the file and the variables into [Settings] (spec config 2, 3).
///
/// Whatever is wrong goes to the [Report] and loading goes on, so that a user sees everything at once.
final class Layers {
    /// Names with our prefixes that are no keys.
    private static final Set<String> OUTSIDE_NAMES = Set.of(
            "CONFIG_PATH",
            "ENV_PATH",
            "ROOT_USERNAME",
            "ROOT_PASSWORD",
            "DISPLAY_CONFIG",
            "SHARD_RUNTIME_CAPACITY",
            "SHARD_EVENT_INTERVAL",
            "TEST_VERBOSE",
            "TEST_CLUSTER_NODES",
            "TEST_CLEANUP_DISABLED",
            "CI_BUILD",
            "HOME",
            "USERNAME",
            "PASSWORD");

    private static final Set<String> GALGO_ONLY_NAMES = Set.of("JAVA_HOME", "JVM_OPTIONS", "BUILD", "DISK");
    private static final List<String> OUTSIDE_PREFIXES = List.of("CONNECTORS_", "MCP_", "KAFKA_");

    private static final List<String> LISTS = List.of("cluster.nodes", "http.jwt.trusted_issuers");
    private static final int ELEMENTS_MAX = 256;
    private static final int INNER_ELEMENTS_MAX = 16;

    /// The roster that counts when nobody gives one.
    private static final String[][] DEFAULT_NODES = {
        {"iggy-node-1", "127.0.0.1", "0", "8090", "8080", "3000", "8092", "9090"},
        {"iggy-node-2", "127.0.0.1", "1", "8091", "8081", "3001", "8093", "9091"}
    };

    private static final String[] DEFAULT_NODE_KEYS = {
        "name", "ip", "replica_id", "ports.tcp", "ports.quic", "ports.http", "ports.websocket", "ports.tcp_replica"
    };

    private static final Set<String> TABLES = new LinkedHashSet<>(Key.tables());
    private static final Pattern ELEMENT_PATH = Pattern.compile("(.*)\\[([0-9]+)]\\.(.*)");

    private final Report report;
    private final Settings settings = new Settings();
    private final Map<String, Given> fileValues = new LinkedHashMap<>();
    private final Map<String, Given> variableValues = new LinkedHashMap<>();
    private final Map<String, Given> aliasFileValues = new HashMap<>();
    private final Map<String, Given> aliasVariableValues = new HashMap<>();
    private final Map<String, Integer> fileElements = new HashMap<>();

    /// A value before it is read.
    ///
    /// @param value a plain value of the file, or the text of a variable
    /// @param isText whether it is the latter
    private record Given(Object value, boolean isText, Origin origin) {}

    private Layers(Report report) {
        this.report = report;
    }

    static Settings merge(Variables variables, @Nullable ConfigurationFile file, Report report) {
        Layers layers = new Layers(report);
        if (file != null) {
            layers.readTable(file, file.root(), "");
        }
        for (String conflict : variables.conflicts()) {
            report.warning(conflict);
        }
        for (Variable variable : variables.prefixed()) {
            layers.readVariable(variable, variables);
        }
        layers.settle();
        return layers.settings;
    }

    // ---- the file

    private void readTable(ConfigurationFile file, Map<?, ?> table, String prefix) {
        table.forEach((name, value) -> {
            String path = prefix.isEmpty() ? (String) name : prefix + "." + name;
            readEntry(file, path, value);
        });
    }

    private void readEntry(ConfigurationFile file, String path, Object value) {
        Key key = Key.at(path);
        Origin origin = file.origin(path);
        if (key != null && key.kind() == Kind.TABLES) {
            readElements(file, path, value, origin);
        } else if (key != null) {
            fileValues.put(path, new Given(value, false, origin));
        } else if (OldName.at(path) != null) {
            readOldName(path, new Given(value, false, origin), "", aliasFileValues);
        } else if (TABLES.contains(Key.pattern(path)) || OldName.isTable(path)) {
            if (value instanceof Map<?, ?> table) {
                readTable(file, table, path);
            } else {
                report.problem(path, shown(value), origin, "a table is needed, as in [" + path + "]");
            }
        } else {
            readUnknown(path, origin);
        }
    }

    private void readElements(ConfigurationFile file, String path, Object value, Origin origin) {
        if (!(value instanceof List<?> elements)) {
            report.problem(path, shown(value), origin, "a list of tables is needed, as in [[" + path + "]]");
            return;
        }
        int max = path.indexOf('[') < 0 ? ELEMENTS_MAX : INNER_ELEMENTS_MAX;
        if (elements.size() > max) {
            report.problem(
                    path + " (" + origin.text() + ") has " + elements.size() + " elements: allowed are up to " + max);
        }
        fileElements.put(path, elements.size());
        for (int i = 0; i < elements.size(); i++) {
            if (elements.get(i) instanceof Map<?, ?> table) {
                readTable(file, table, path + "[" + i + "]");
            } else {
                report.problem(path + "[" + i + "]", shown(elements.get(i)), origin, "a table is needed");
            }
        }
    }

    private void readUnknown(String path, Origin origin) {
        String nearest = NearestName.of(Key.pattern(path), keyPaths(), '.');
        String hint = nearest == null ? "" : "; did you mean " + nearest + "?";
        if (isStrict(Key.pattern(path))) {
            report.problem(path + " (" + origin.text() + ") is not a known key" + hint);
        } else {
            report.warning(path + " (" + origin.text() + ") is not a known key and is ignored" + hint);
        }
    }

    // A cluster whose nodes understand its settings differently is worse than one that does not start.
    private static boolean isStrict(String pattern) {
        return pattern.startsWith("cluster.") && !pattern.startsWith("cluster.nodes[].ports.");
    }

    private static List<String> keyPaths() {
        List<String> paths = new ArrayList<>(Key.ALL.size());
        for (Key key : Key.ALL) {
            paths.add(key.path());
        }
        return paths;
    }

    // ---- old names

    /// @param variable the variable's prefix, empty for the file
    private void readOldName(String path, Given given, String variable, Map<String, Given> aliases) {
        OldName name = OldName.at(path);
        String shown = path + " (" + given.origin.text() + ")";
        switch (name) {
            case OldName.Moved(String target) -> {
                String use = variable.isEmpty()
                        ? target
                        : variable + target.replace('.', '_').toUpperCase(Locale.ROOT);
                report.warning(shown + " is deprecated, use " + use);
                aliases.put(path, given);
            }
            case OldName.FixedDirectory(String directory) -> {
                if (directory.equals(given.value)) {
                    report.warning(shown + " has no effect: the directory is always called " + directory);
                } else {
                    report.problem(
                            path,
                            shown(given.value),
                            given.origin,
                            "the directory is always called \"" + directory
                                    + "\"; another one would look like lost data");
                }
            }
            case OldName.NoFunction _ -> {
                if (given.value.equals(false) || given.value.equals("false")) {
                    report.warning(shown + " has no effect: there is no such function");
                } else {
                    report.problem(
                            path, shown(given.value), given.origin, "allowed is false; there is no such function");
                }
            }
            case OldName.TopicOption(String option) ->
                report.problem(
                        path,
                        shown(given.value),
                        given.origin,
                        "this is a topic option now; give \"" + option + "\" when the topic is created");
            case OldName.Removed _ -> report.problem(shown + ": this was removed; take it out");
            case null -> throw new IllegalStateException(path + " is no old name");
        }
    }

    // ---- variables

    private void readVariable(Variable variable, Variables variables) {
        boolean galgo = variable.name().startsWith("GALGO_");
        String prefix = galgo ? "GALGO_" : "IGGY_";
        String rest = variable.name().substring(prefix.length());
        if (isOutside(rest, galgo)) {
            return;
        }
        Given given = new Given(variable.value(), true, variable.origin());
        String path = pathOf(rest);
        if (path != null) {
            if (variable.equals(variables.variable(rest))) {
                variableValues.put(path, given);
            }
            return;
        }
        String old = galgo ? null : OldName.ofVariable(rest);
        if (old != null) {
            readOldName(old, given, prefix, aliasVariableValues);
            return;
        }
        String nearest = NearestName.of(variable.name(), variableNames(prefix), '_');
        report.warning(variable.origin().text() + " is not a known variable and is ignored"
                + (nearest == null ? "" : "; did you mean " + nearest + "?"));
    }

    private static boolean isOutside(String rest, boolean galgo) {
        if (OUTSIDE_NAMES.contains(rest) || (galgo && GALGO_ONLY_NAMES.contains(rest))) {
            return true;
        }
        for (String prefix : OUTSIDE_PREFIXES) {
            if (rest.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /// The path, with element numbers, that a variable without its prefix sets; null when it sets none.
    private static @Nullable String pathOf(String rest) {
        for (Key key : Key.ALL) {
            if (key.kind() == Kind.TABLES) {
                continue;
            }
            String name = key.path().replace('.', '_').toUpperCase(Locale.ROOT);
            if (name.indexOf('[') < 0) {
                if (name.equals(rest)) {
                    return key.path();
                }
                continue;
            }
            Matcher matcher =
                    Pattern.compile(name.replace("[]", "_([0-9]{1,3})")).matcher(rest);
            if (matcher.matches()) {
                return numbered(key.path(), matcher);
            }
        }
        return null;
    }

    private static @Nullable String numbered(String path, Matcher matcher) {
        String numbered = path;
        for (int group = 1; group <= matcher.groupCount(); group++) {
            int index = Integer.parseInt(matcher.group(group));
            if (index >= (group == 1 ? ELEMENTS_MAX : INNER_ELEMENTS_MAX)) {
                return null;
            }
            numbered = numbered.replaceFirst("\\[]", "[" + index + "]");
        }
        return numbered;
    }

    private static List<String> variableNames(String prefix) {
        List<String> names = new ArrayList<>();
        for (Key key : Key.ALL) {
            names.add(
                    prefix + key.path().replace("[]", "_<n>").replace('.', '_').toUpperCase(Locale.ROOT));
        }
        return names;
    }

    // ---- merging

    private void settle() {
        for (String list : LISTS) {
            settleList(list);
        }
        for (Key key : Key.ALL) {
            if (key.kind() == Kind.TABLES) {
                continue;
            }
            for (String path : numberedPaths(key.path())) {
                settleKey(key, path);
            }
        }
    }

    // Lists of tables are replaced whole: variables discard the file's elements, those of the file the default
    // ones.
    private void settleList(String list) {
        boolean byVariables = false;
        for (String path : variableValues.keySet()) {
            byVariables |= path.startsWith(list + "[");
        }
        if (byVariables) {
            fileValues.keySet().removeIf(path -> path.startsWith(list + "["));
            countElements(variableValues.keySet(), list);
        } else if (fileElements.containsKey(list)) {
            fileElements.forEach((path, count) -> {
                if (path.equals(list) || path.startsWith(list + "[")) {
                    settings.elementsCount(path, count);
                }
            });
        } else if (list.equals("cluster.nodes")) {
            settings.elementsCount(list, DEFAULT_NODES.length);
        }
    }

    private void countElements(Set<String> paths, String list) {
        for (String path : paths) {
            for (Matcher matcher = ELEMENT_PATH.matcher(path); matcher.matches(); ) {
                String inner = matcher.group(1);
                if (inner.startsWith(list)) {
                    int count = Integer.parseInt(matcher.group(2)) + 1;
                    settings.elementsCount(inner, Math.max(count, settings.elementsCount(inner)));
                }
                matcher = ELEMENT_PATH.matcher(inner);
            }
        }
    }

    /// Every path with numbers that a path with `[]` stands for.
    private List<String> numberedPaths(String path) {
        int brackets = path.indexOf("[]");
        if (brackets < 0) {
            return List.of(path);
        }
        List<String> paths = new ArrayList<>();
        String list = path.substring(0, brackets);
        for (int i = 0; i < settings.elementsCount(list); i++) {
            paths.addAll(numberedPaths(list + "[" + i + "]" + path.substring(brackets + 2)));
        }
        return paths;
    }

    private void settleKey(Key key, String path) {
        Given given = firstGiven(path);
        if (given == null) {
            settleUngiven(key, path);
            return;
        }
        String shown = key.isSecret() ? "******" : shown(given.value);
        Kind.Parsed parsed = given.isText
                ? key.kind().parseText((String) given.value)
                : key.kind().parseFile(given.value);
        switch (parsed) {
            case Kind.Parsed.Good(Object value) -> {
                settings.put(new Setting(path, key, value, shown, given.origin));
                if (given.isText) {
                    report.note(given.origin.text() + " value changed to: " + (key.isSecret() ? "******" : given.value)
                            + " from environment variable");
                }
            }
            case Kind.Parsed.Bad(String allowed) -> {
                settings.putBroken(path);
                report.problem(path, shown, given.origin, allowed);
            }
        }
    }

    private @Nullable Given firstGiven(String path) {
        Given given = variableValues.get(path);
        if (given == null) {
            given = fileValues.get(path);
        }
        for (String old : given == null ? OldName.oldPathsOf(path) : List.<String>of()) {
            given = aliasVariableValues.getOrDefault(old, aliasFileValues.get(old));
        }
        return given;
    }

    private void settleUngiven(Key key, String path) {
        String text = switch (key.presence()) {
            case DEFAULTED -> key.defaultText();
            case OPTIONAL, REQUIRED -> defaultOfNode(path);
        };
        if (text == null) {
            if (key.presence() == Key.Presence.REQUIRED) {
                settings.putBroken(path);
                report.problem(path + " is missing: every element of "
                        + key.path().substring(0, key.path().lastIndexOf("[]")) + " needs a " + key.name());
            }
            return;
        }
        if (key.kind().parseText(text) instanceof Kind.Parsed.Good(Object value)) {
            String shown = switch (key.kind()) {
                case SECRET -> "******";
                case CPU_ALLOCATION -> Kind.quoted(text);
                default -> key.kind().print(value);
            };
            settings.put(new Setting(path, key, value, shown, new Origin.Default()));
        } else {
            throw new IllegalStateException("the default of " + key.path() + " is wrong: " + text);
        }
    }

    private @Nullable String defaultOfNode(String path) {
        Matcher matcher = ELEMENT_PATH.matcher(path);
        if (!matcher.matches() || !matcher.group(1).equals("cluster.nodes") || isRosterGiven()) {
            return null;
        }
        for (int i = 0; i < DEFAULT_NODE_KEYS.length; i++) {
            if (DEFAULT_NODE_KEYS[i].equals(matcher.group(3))) {
                return DEFAULT_NODES[Integer.parseInt(matcher.group(2))][i];
            }
        }
        return null;
    }

    private boolean isRosterGiven() {
        if (fileElements.containsKey("cluster.nodes")) {
            return true;
        }
        for (String path : variableValues.keySet()) {
            if (path.startsWith("cluster.nodes[")) {
                return true;
            }
        }
        return false;
    }

    /// A value as a user would write it into the file.
    static String shown(Object value) {
        return switch (value) {
            case String text -> Kind.quoted(text);
            case List<?> items -> {
                StringBuilder text = new StringBuilder("[");
                for (Object item : items) {
                    text.append(text.length() > 1 ? ", " : "").append(shown(item));
                }
                yield text.append(']').toString();
            }
            case Map<?, ?> table -> {
                StringBuilder text = new StringBuilder("{");
                table.forEach((key, item) -> text.append(text.length() > 1 ? ", " : " ")
                        .append(key)
                        .append(" = ")
                        .append(shown(item)));
                yield text.append(" }").toString();
            }
            default -> value.toString();
        };
    }
}
