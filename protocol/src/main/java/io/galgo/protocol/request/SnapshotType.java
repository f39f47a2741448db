package io.galgo.protocol.request;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What a snapshot may contain (spec protocol 8.1.3).
public enum SnapshotType {
    FILESYSTEM_OVERVIEW(1),
    PROCESS_LIST(2),
    RESOURCE_USAGE(3),
    TEST(4),
    SERVER_LOGS(5),
    SERVER_CONFIG(6),
    /// All of them except [#TEST]; stands alone.
    ALL(100);

    private final int value;

    SnapshotType(int value) {
        this.value = value;
    }

    /// The byte on the wire.
    public int value() {
        return value;
    }

    /// The name in texts; the file in the archive is this with `.txt`.
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static @Nullable SnapshotType of(int value) {
        for (SnapshotType type : values()) {
            if (type.value == value) {
                return type;
            }
        }
        return null;
    }
}
