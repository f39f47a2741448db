package io.galgo.acceptance.differential;

import io.galgo.acceptance.differential.Arguments.Argument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A list of requests as a person writes it.
///
/// | line | meaning |
/// |---|---|
/// | `# text` | a remark; so is everything behind ` # ` |
/// | `setting message_bus.max_message_size 1 MiB` | a setting of the server; these lines come first |
/// | `c1 create_stream name=orders` | connection, command, arguments |
/// | `c1 get_stream stream=orders @cut=1` | what begins with `@` edits the frame |
/// | `c1 create_stream name=a -> a=stream.id` | keeps a field of the reply: `stream=$a` uses it |
/// | `  galgo outcome="DENY 3" because: text` | expected here instead of what was recorded |
/// | `  release outcome=OK because: text` | the same, where the released server differs from the recorded one |
/// | `c1 close` | closes the connection |
/// | `restart` | stops the server in good order and starts it again |
///
/// [Requests] lists the commands, [Runner] the edits, [Value] the forms of a value.
///
/// @param settings names and values for the server, in the order of the script
record Script(String name, Map<String, String> settings, List<Step> steps) {
    private static final Pattern WORD = Pattern.compile(
            "(?<key>@?[A-Za-z0-9_.\\\\\\[\\]()|*?+-]+)=(?:\"(?<quoted>(?:[^\"\\\\]|\\\\.)*)\"|(?<plain>[^\\s\"]\\S*|(?=\\s|$)))|(?<bare>\\S+)");
    private static final Pattern CONNECTION = Pattern.compile("[a-z]+\\d*");

    static Script parse(String name, List<String> lines) {
        Map<String, String> settings = new LinkedHashMap<>();
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String place = name + ":" + (i + 1);
            String line = withoutRemark(lines.get(i));
            if (line.isBlank()) {
                continue;
            }
            if (Character.isWhitespace(line.charAt(0))) {
                deviate(place, line.strip(), steps);
            } else if (line.startsWith("setting ")) {
                String[] parts = line.split(" +", 3);
                if (parts.length < 3 || !steps.isEmpty()) {
                    throw new ScriptException(place, "a setting is a name and a value, before the first request");
                }
                settings.put(parts[1], parts[2]);
            } else if (line.equals("restart")) {
                steps.add(new Step.Restart(i + 1));
            } else {
                steps.add(request(place, i + 1, line));
            }
        }
        return new Script(name, settings, steps);
    }

    List<Step.Request> requests() {
        return steps.stream()
                .filter(Step.Request.class::isInstance)
                .map(Step.Request.class::cast)
                .toList();
    }

    /// The same requests, and nothing said about what should differ.
    Script withoutDeviations() {
        List<Step> plain = steps.stream()
                .map(step -> step instanceof Step.Request request ? request.withoutDeviations() : step)
                .toList();
        return new Script(name, settings, plain);
    }

    String place(Step step) {
        return name + ":" + step.line();
    }

    private static String withoutRemark(String line) {
        if (line.startsWith("#")) {
            return "";
        }
        int remark = line.indexOf(" # ");
        return (remark < 0 ? line : line.substring(0, remark)).stripTrailing();
    }

    private static Step request(String place, int number, String line) {
        List<Argument> words = words(place, line);
        if (words.size() < 2) {
            throw new ScriptException(place, "not a connection and a command: " + line);
        }
        String connection = bare(place, words.get(0));
        String command = bare(place, words.get(1));
        if (!CONNECTION.matcher(connection).matches()) {
            throw new ScriptException(place, "not the name of a connection: " + connection);
        }
        if (command.equals("close")) {
            return new Step.Close(number, connection);
        }
        List<Argument> arguments = new ArrayList<>();
        List<Argument> edits = new ArrayList<>();
        List<Argument> kept = new ArrayList<>();
        boolean isKeeping = false;
        for (Argument word : words.subList(2, words.size())) {
            if (word.name().isEmpty() && word.value().text().equals("->")) {
                isKeeping = true;
            } else if (isKeeping) {
                kept.add(named(place, word));
            } else if (word.name().startsWith("@")) {
                edits.add(new Argument(word.name().substring(1), word.value()));
            } else if (word.value().text().startsWith("@") && word.name().isEmpty()) {
                edits.add(new Argument(word.value().text().substring(1), Value.of("")));
            } else {
                arguments.add(named(place, word));
            }
        }
        return new Step.Request(
                number, line.replaceAll(" +", " "), connection, command, arguments, edits, kept, new ArrayList<>());
    }

    private static void deviate(String place, String line, List<Step> steps) {
        int because = line.indexOf(" because: ");
        if (steps.isEmpty() || !(steps.getLast() instanceof Step.Request request) || because < 0) {
            throw new ScriptException(place, "an indented line says what differs, and why, below a request: " + line);
        }
        String reason = line.substring(because + " because: ".length()).strip();
        List<Argument> words = words(place, line.substring(0, because));
        if (words.size() < 2 || reason.isEmpty()) {
            throw new ScriptException(place, "no field or no reason: " + line);
        }
        for (Argument word : words.subList(1, words.size())) {
            request.deviations()
                    .add(new Deviation(
                            place,
                            Deviation.origin(place, bare(place, words.getFirst())),
                            Pattern.compile(".*"),
                            Pattern.compile(named(place, word).name()),
                            "*",
                            word.value().text(),
                            reason));
        }
    }

    private static List<Argument> words(String place, String line) {
        List<Argument> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(line);
        int end = 0;
        while (matcher.find()) {
            boolean isOpen =
                    matcher.group("bare") != null && matcher.group("bare").contains("\"");
            if (isOpen || !line.substring(end, matcher.start()).isBlank()) {
                throw new ScriptException(place, "cannot be read: " + line.substring(end));
            }
            end = matcher.end();
            if (matcher.group("bare") != null) {
                words.add(new Argument("", Value.of(matcher.group("bare"))));
            } else if (matcher.group("quoted") != null) {
                words.add(new Argument(matcher.group("key"), new Value(unescaped(matcher.group("quoted")), true)));
            } else {
                words.add(new Argument(matcher.group("key"), Value.of(matcher.group("plain"))));
            }
        }
        return words;
    }

    private static String unescaped(String text) {
        return text.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
    }

    private static String bare(String place, Argument word) {
        if (!word.name().isEmpty()) {
            throw new ScriptException(place, "a word was expected instead of " + word.name() + "=");
        }
        return word.value().text();
    }

    private static Argument named(String place, Argument word) {
        if (word.name().isEmpty()) {
            throw new ScriptException(
                    place, "name=value was expected instead of " + word.value().text());
        }
        return word;
    }
}
