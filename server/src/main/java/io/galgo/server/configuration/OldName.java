package io.galgo.server.configuration;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A name of earlier releases and what is done about it (spec config 2, "Moved and removed keys").
///
/// A name is taken when taking it cannot change what the server does, and refused when ignoring it would.
sealed interface OldName {
    /// It only has a new place.
    record Moved(String path) implements OldName {}

    /// It may say what is the case anyway, and nothing else.
    record FixedDirectory(String directory) implements OldName {}

    /// It may be false; the function behind it does not exist.
    record NoFunction() implements OldName {}

    /// It is an option of each topic now.
    record TopicOption(String option) implements OldName {}

    /// It is gone, with everything below it.
    record Removed() implements OldName {}

    Map<String, OldName> ALL = all();

    private static Map<String, OldName> all() {
        Map<String, OldName> names = new LinkedHashMap<>();
        for (Key key : Key.ALL) {
            String table = key.table();
            boolean moved = key.path().equals("path")
                    || key.path().equals("partition.validate_checksum")
                    || List.of("runtime", "logging", "encryption", "memory_pool", "sharding")
                            .contains(table);
            if (moved) {
                names.put("system." + key.path(), new Moved(key.path()));
            }
        }
        for (String thing : List.of("stream", "topic", "partition")) {
            names.put(thing + ".path", new FixedDirectory(thing + "s"));
            names.put("system." + thing + ".path", new FixedDirectory(thing + "s"));
        }
        names.put("system.segment.archive_expired", new NoFunction());
        names.put("system.recovery.recreate_missing_state", new NoFunction());
        names.put("system.topic.max_size", new TopicOption("max_topic_size"));
        names.put("system.topic.message_expiry", new TopicOption("message_expiry"));
        names.put("system.partition.enforce_fsync", new TopicOption("durability"));
        names.put("system.partition.messages_required_to_save", new TopicOption("messages_required_to_save"));
        names.put(
                "system.partition.size_of_messages_required_to_save",
                new TopicOption("size_of_messages_required_to_save"));
        names.put("system.segment.size", new TopicOption("segment_size"));
        names.put("system.segment.preallocate", new TopicOption("preallocate_segments"));
        names.put("partition.consumer_offset_enforce_fsync", new TopicOption("consumer_offset_durability"));
        names.put("system.message_deduplication", new Removed());
        names.put("extra", new Removed());
        return Map.copyOf(names);
    }

    /// The old name of a dotted path, null when it is none.
    static @Nullable OldName at(String path) {
        return ALL.get(path);
    }

    /// Whether old names stand below this path.
    static boolean isTable(String path) {
        for (String name : ALL.keySet()) {
            if (name.startsWith(path + ".")) {
                return true;
            }
        }
        return false;
    }

    /// The dotted path that a variable without its prefix means, null when it is no old name.
    static @Nullable String ofVariable(String nameWithoutPrefix) {
        for (Map.Entry<String, OldName> entry : ALL.entrySet()) {
            String name = variable(entry.getKey());
            boolean below = entry.getValue() instanceof Removed && nameWithoutPrefix.startsWith(name + "_");
            if (nameWithoutPrefix.equals(name) || below) {
                return entry.getKey();
            }
        }
        return null;
    }

    private static String variable(String path) {
        return path.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /// Moved names by the path that they moved to.
    static List<String> oldPathsOf(String path) {
        List<String> found = new ArrayList<>();
        ALL.forEach((old, name) -> {
            if (name instanceof Moved(String target) && target.equals(path)) {
                found.add(old);
            }
        });
        return found;
    }
}
