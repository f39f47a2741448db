package io.galgo.server.configuration;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import io.galgo.server.disk.Causes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The configuration file as a tree of plain values, with the line of each key.
///
/// @param name the file as the user knows it
/// @param root tables as maps, lists as lists, numbers as `BigInteger` or `Double`
/// @param lines lines of dotted paths
record ConfigurationFile(String name, Map<String, Object> root, Map<String, Integer> lines) {

    /// The file cannot be used; the message says why, with its line where there is one.
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreadable(String message) {
            super(message);
        }
    }

    static ConfigurationFile read(Path path, String name) throws Unreadable {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(path)))
                    .toString();
        } catch (CharacterCodingException malformed) {
            throw new Unreadable(name + " is not UTF-8 text");
        } catch (IOException failed) {
            throw new Unreadable(name + " cannot be read: " + reasonOf(path, failed));
        }
        return parse(text, name);
    }

    private static String reasonOf(Path path, IOException failed) {
        return failed instanceof AccessDeniedException
                ? "the user " + System.getProperty("user.name") + " has no right to read " + path.toAbsolutePath()
                : Causes.of(path, failed);
    }

    static ConfigurationFile parse(String text, String name) throws Unreadable {
        JsonNode tree;
        try {
            tree = new TomlMapper().readTree(text);
        } catch (JacksonException malformed) {
            JsonLocation location = malformed.getLocation();
            String where = location == null ? name : name + ":" + location.getLineNr();
            throw new Unreadable(where + " is not valid TOML: " + malformed.getOriginalMessage());
        }
        Map<String, Object> root = new LinkedHashMap<>();
        if (plain(tree) instanceof Map<?, ?> table) {
            table.forEach((key, value) -> root.put((String) key, value));
        }
        return new ConfigurationFile(name, root, TomlLines.of(text));
    }

    private static Object plain(JsonNode node) {
        if (node.isObject()) {
            Map<String, Object> table = new LinkedHashMap<>();
            for (Map.Entry<String, JsonNode> field : node.properties()) {
                table.put(field.getKey(), plain(field.getValue()));
            }
            return table;
        }
        if (node.isArray()) {
            List<Object> items = new ArrayList<>(node.size());
            for (JsonNode item : node) {
                items.add(plain(item));
            }
            return items;
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber()) {
            return node.bigIntegerValue();
        }
        return node.isNumber() ? (Object) node.doubleValue() : node.asText();
    }

    Origin origin(String path) {
        @Nullable Integer line = lines.get(path);
        return new Origin.File(name, line == null ? 0 : line);
    }
}
