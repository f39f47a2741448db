package io.galgo.acceptance.differential;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a server replied to the requests of a script, in their order.
///
/// As a file: a line `> request` as the script has it, then a line `field = value` for each field of the reply.
record Transcript(List<Entry> entries) {

    /// @param request the line of the script
    /// @param fields of the reply, the volatile ones without their values
    record Entry(String request, Map<String, String> fields) {}

    /// What stands in the place of a reply to a request that the recorded server was spared.
    static final String NOT_SENT = "(not sent)";

    static Transcript parse(String name, List<String> lines) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            int equals = line.indexOf(" = ");
            if (line.startsWith("> ")) {
                entries.add(new Entry(line.substring(2), new LinkedHashMap<>()));
            } else if (equals > 0 && !entries.isEmpty()) {
                entries.getLast()
                        .fields()
                        .put(
                                line.substring(0, equals),
                                line.substring(equals + 3).replace("\\n", "\n"));
            } else if (!line.isBlank() && !line.startsWith("#")) {
                throw new ScriptException(name + ":" + (i + 1), "neither a request nor a field: " + line);
            }
        }
        return new Transcript(entries);
    }

    void write(Path file, String remark) throws IOException {
        StringBuilder text = new StringBuilder("# ").append(remark).append('\n');
        for (Entry entry : entries) {
            text.append("\n> ").append(entry.request).append('\n');
            entry.fields.forEach((name, value) -> text.append(name)
                    .append(" = ")
                    .append(value.replace("\n", "\\n"))
                    .append('\n'));
        }
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }
}
