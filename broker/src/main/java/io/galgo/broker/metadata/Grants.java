package io.galgo.broker.metadata;

import io.galgo.protocol.GlobalPermission;
import io.galgo.protocol.Permissions;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What one user may do: the permissions as they were given, arranged for the question that every request asks.
///
/// Flags only grant: one that is not set takes nothing away that another one gives, and entries for the same stream
/// or topic add up (spec semantics 16.1). Immutable.
final class Grants {
    /// Nothing is allowed.
    static final Grants NONE = new Grants(null);

    /// Every global flag, which is everything: what root has.
    static final Grants ALL = new Grants(new Permissions(GlobalPermission.ALL, List.of()));

    private final @Nullable Permissions given;
    private final int global;

    // Sorted ids and their flags side by side. A topic's key is its stream's id above its own.
    private final int[] streamIds;
    private final int[] streamFlags;
    private final long[] topicKeys;
    private final int[] topicFlags;

    private Grants(@Nullable Permissions given) {
        this.given = given;
        TreeMap<Integer, Integer> streams = new TreeMap<>();
        TreeMap<Long, Integer> topics = new TreeMap<>();
        if (given != null) {
            for (Permissions.OnStream stream : given.streams()) {
                streams.merge(stream.streamId(), stream.flags(), (a, b) -> a | b);
                for (Permissions.OnTopic topic : stream.topics()) {
                    topics.merge(topicKey(stream.streamId(), topic.topicId()), topic.flags(), (a, b) -> a | b);
                }
            }
        }
        this.global = given == null ? 0 : given.global();
        this.streamIds = streams.keySet().stream().mapToInt(id -> id).toArray();
        this.streamFlags = streams.values().stream().mapToInt(flags -> flags).toArray();
        this.topicKeys = topics.keySet().stream().mapToLong(key -> key).toArray();
        this.topicFlags = topics.values().stream().mapToInt(flags -> flags).toArray();
    }

    static Grants of(@Nullable Permissions given) {
        return given == null ? NONE : new Grants(given);
    }

    /// The permissions as the user was given them, or null for none.
    @Nullable Permissions given() {
        return given;
    }

    /// Whether any flag that a right asks for is set.
    ///
    /// @param streamId the addressed stream, or -1; likewise `topicId`
    boolean allow(Right right, int streamId, int topicId) {
        if ((global & right.globalFlags) != 0) {
            return true;
        }
        if (right.streamFlags == 0) {
            return false;
        }
        int stream = Arrays.binarySearch(streamIds, streamId);
        if (stream < 0) {
            return false;
        }
        if ((streamFlags[stream] & right.streamFlags) != 0) {
            return true;
        }
        int topic = Arrays.binarySearch(topicKeys, topicKey(streamId, topicId));
        return topic >= 0 && (topicFlags[topic] & right.topicFlags) != 0;
    }

    private static long topicKey(int streamId, int topicId) {
        return (long) streamId << 32 | Integer.toUnsignedLong(topicId);
    }
}
