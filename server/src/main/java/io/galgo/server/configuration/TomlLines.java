package io.galgo.server.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The line on which each key of a TOML document stands.
///
/// The parser of values keeps no positions, so this reads the same document again. It is only asked about documents
/// that the parser accepted, and it may answer 0 for what it does not understand: a message then names the file
/// alone.
final class TomlLines {
    private final String text;
    private final Map<String, Integer> lines = new HashMap<>();
    private final Map<String, Integer> elementCounts = new HashMap<>();
    private int at;
    private int line = 1;

    private TomlLines(String text) {
        this.text = text;
    }

    /// Maps dotted paths (`cluster.nodes[0].name`) and tables to lines, counted from 1.
    static Map<String, Integer> of(String document) {
        TomlLines reader = new TomlLines(document);
        reader.readDocument();
        return reader.lines;
    }

    private void readDocument() {
        String table = "";
        while (true) {
            skipBlanksAndComments(true);
            if (at >= text.length()) {
                return;
            }
            if (peek() == '[') {
                boolean element = text.startsWith("[[", at);
                at += element ? 2 : 1;
                int headerLine = line;
                List<String> keys = readKeys(']');
                table = resolve(keys, element);
                lines.putIfAbsent(table, headerLine);
                skipTo(element ? "]]" : "]");
            } else {
                readAssignment(table);
            }
        }
    }

    // A header names a list of tables without a number and means its newest element.
    private String resolve(List<String> keys, boolean element) {
        String path = "";
        for (int i = 0; i < keys.size(); i++) {
            path = join(path, keys.get(i));
            if (element && i == keys.size() - 1) {
                int index = elementCounts.merge(path, 1, Integer::sum) - 1;
                lines.putIfAbsent(path, line);
                path = path + "[" + index + "]";
            } else if (elementCounts.containsKey(path)) {
                path = path + "[" + (elementCounts.get(path) - 1) + "]";
            }
        }
        return path;
    }

    private static String join(String path, String key) {
        return path.isEmpty() ? key : path + "." + key;
    }

    private void readAssignment(String table) {
        int keyLine = line;
        int start = at;
        String path = table;
        for (String key : readKeys('=')) {
            path = join(path, key);
            lines.putIfAbsent(path, keyLine);
        }
        if (at < text.length() && peek() == '=') {
            at++;
        }
        skipBlanksAndComments(false);
        readValue(path);
        if (at == start) {
            advance();
        }
    }

    private List<String> readKeys(char end) {
        List<String> keys = new ArrayList<>();
        while (true) {
            skipBlanksAndComments(false);
            if (at >= text.length() || peek() == end || peek() == '\n') {
                return keys;
            }
            if (peek() == '.') {
                at++;
            } else if (peek() == '"' || peek() == '\'') {
                int from = at + 1;
                skipString();
                keys.add(text.substring(from, Math.max(from, at - 1)));
            } else {
                int from = at;
                while (at < text.length() && ".=] \t\r\n".indexOf(peek()) < 0) {
                    at++;
                }
                keys.add(text.substring(from, at));
            }
        }
    }

    private void readValue(String path) {
        if (at >= text.length()) {
            return;
        }
        switch (peek()) {
            case '"', '\'' -> skipString();
            case '[' -> readArray(path);
            case '{' -> readInlineTable(path);
            default -> {
                while (at < text.length() && ",]}#\n".indexOf(peek()) < 0) {
                    at++;
                }
            }
        }
    }

    private void readArray(String path) {
        at++;
        for (int index = 0; ; ) {
            skipBlanksAndComments(true);
            if (at >= text.length()) {
                return;
            }
            if (peek() == ']') {
                at++;
                return;
            }
            if (peek() == ',') {
                at++;
                index++;
                continue;
            }
            int before = at;
            lines.putIfAbsent(path + "[" + index + "]", line);
            readValue(path + "[" + index + "]");
            if (at == before) {
                advance();
            }
        }
    }

    private void readInlineTable(String path) {
        at++;
        while (true) {
            skipBlanksAndComments(true);
            if (at >= text.length()) {
                return;
            }
            if (peek() == '}') {
                at++;
                return;
            }
            if (peek() == ',') {
                at++;
            } else {
                readAssignment(path);
            }
        }
    }

    private void skipString() {
        char quote = peek();
        String triple = String.valueOf(quote).repeat(3);
        boolean multiline = text.startsWith(triple, at);
        at += multiline ? 3 : 1;
        while (at < text.length()) {
            if (peek() == '\\' && quote == '"') {
                advance();
                advance();
            } else if (multiline && text.startsWith(triple, at)) {
                at += 3;
                // Up to two quotes may stand directly before the closing three.
                while (at < text.length() && peek() == quote) {
                    at++;
                }
                return;
            } else if (!multiline && peek() == quote) {
                at++;
                return;
            } else {
                advance();
            }
        }
    }

    private void skipTo(String end) {
        while (at < text.length() && !text.startsWith(end, at) && peek() != '\n') {
            at++;
        }
        if (text.startsWith(end, at)) {
            at += end.length();
        }
    }

    private void skipBlanksAndComments(boolean newlines) {
        while (at < text.length()) {
            char letter = peek();
            if (letter == '#') {
                while (at < text.length() && peek() != '\n') {
                    at++;
                }
            } else if (letter == ' ' || letter == '\t' || letter == '\r' || (newlines && letter == '\n')) {
                advance();
            } else {
                return;
            }
        }
    }

    private char peek() {
        return text.charAt(at);
    }

    private void advance() {
        if (at < text.length() && text.charAt(at) == '\n') {
            line++;
        }
        at++;
    }
}
