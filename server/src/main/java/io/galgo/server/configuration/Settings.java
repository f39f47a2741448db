package io.galgo.server.configuration;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The values of all keys after the layers are merged, each with its origin.
final class Settings {
    private final Map<String, Setting> byPath = new LinkedHashMap<>();
    private final Set<String> broken = new HashSet<>();
    private final Map<String, Integer> elementCounts = new HashMap<>();

    /// One value.
    ///
    /// @param path with element numbers
    /// @param value as [Kind.Parsed.Good] describes it
    /// @param shown the value as it was given, secrets masked
    record Setting(String path, Key key, Object value, String shown, Origin origin) {
        boolean isGiven() {
            return !(origin instanceof Origin.Default);
        }

        /// `key = value (origin)`, to be named in a message about another key.
        String mention() {
            return path + " = " + shown + " (" + origin.text() + ")";
        }
    }

    void put(Setting setting) {
        byPath.put(setting.path(), setting);
    }

    /// Remembers that a key has a value that could not be read; rules about it have nothing to say.
    void putBroken(String path) {
        broken.add(path);
    }

    void elementsCount(String list, int count) {
        elementCounts.put(list, count);
    }

    int elementsCount(String list) {
        return elementCounts.getOrDefault(list, 0);
    }

    Collection<Setting> all() {
        return byPath.values();
    }

    boolean isBroken(String path) {
        return broken.contains(path);
    }

    @Nullable Setting find(String path) {
        return byPath.get(path);
    }

    Setting at(String path) {
        Setting setting = byPath.get(path);
        if (setting == null) {
            throw new IllegalStateException("no value for " + path);
        }
        return setting;
    }

    /// False also when the value could not be read.
    boolean flag(String path) {
        Setting setting = byPath.get(path);
        return setting != null && (Boolean) setting.value();
    }

    long number(String path) {
        return (Long) at(path).value();
    }

    int count(String path) {
        return Math.toIntExact(number(path));
    }

    String text(String path) {
        return (String) at(path).value();
    }

    /// The text of an optional key, null when it has none.
    @Nullable String textOrNull(String path) {
        Setting setting = byPath.get(path);
        return setting == null ? null : (String) setting.value();
    }

    List<String> texts(String path) {
        return ((List<?>) at(path).value()).stream().map(Object::toString).toList();
    }
}
