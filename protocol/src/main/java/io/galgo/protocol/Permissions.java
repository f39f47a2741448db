package io.galgo.protocol;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a user may do (spec protocol 5.8).
///
/// | size | content |
/// |---|---|
/// | 10 | global flags, a byte each |
/// | 1 | whether streams follow |
/// | 4 + 6 | per stream: id, flags |
/// | 1 | per stream: whether topics follow |
/// | 4 + 4 | per topic: id, flags |
/// | 1 | per topic: whether another topic follows |
/// | 1 | per stream, behind its topics: whether another stream follows |
///
/// @param global bits of [GlobalPermission]
/// @param streams in the order given, at most one of an id by rights, which is not checked here
public record Permissions(int global, List<OnStream> streams) {
    private static final int GLOBAL_FLAGS = GlobalPermission.values().length;
    private static final int STREAM_FLAGS = StreamPermission.values().length;
    private static final int TOPIC_FLAGS = TopicPermission.values().length;

    /// @param flags bits of [StreamPermission]
    public record OnStream(int streamId, int flags, List<OnTopic> topics) {
        public OnStream {
            requireFlags(flags, STREAM_FLAGS);
            topics = List.copyOf(topics);
        }

        public boolean has(StreamPermission permission) {
            return (flags & permission.mask()) != 0;
        }
    }

    /// @param flags bits of [TopicPermission]
    public record OnTopic(int topicId, int flags) {
        public OnTopic {
            requireFlags(flags, TOPIC_FLAGS);
        }

        public boolean has(TopicPermission permission) {
            return (flags & permission.mask()) != 0;
        }
    }

    public Permissions {
        requireFlags(global, GLOBAL_FLAGS);
        streams = List.copyOf(streams);
    }

    public boolean has(GlobalPermission permission) {
        return (global & permission.mask()) != 0;
    }

    private static void requireFlags(int flags, int count) {
        if (flags >>> count != 0) {
            throw new IllegalArgumentException("flags 0x" + Integer.toHexString(flags) + ", only " + count + " exist");
        }
    }

    /// Reads the block alone. It has no length of its own: where it ends is the reader's position afterwards.
    public static Permissions read(BodyReader in) {
        int global = flags(in, GLOBAL_FLAGS);
        List<OnStream> streams = new ArrayList<>();
        boolean more = in.u8() != 0;
        while (more && !in.isFailed()) {
            int streamId = in.u32();
            int flags = flags(in, STREAM_FLAGS);
            List<OnTopic> topics = new ArrayList<>();
            boolean moreTopics = in.u8() != 0;
            while (moreTopics && !in.isFailed()) {
                topics.add(new OnTopic(in.u32(), flags(in, TOPIC_FLAGS)));
                moreTopics = in.u8() != 0;
            }
            streams.add(new OnStream(streamId, flags, topics));
            more = in.u8() != 0;
        }
        return new Permissions(global, streams);
    }

    /// Reads a presence flag, and when that is 1 a length of 32 bits and a block of exactly that length.
    public static @Nullable Permissions readOptional(BodyReader in) {
        if (in.u8() != 1) {
            return null;
        }
        int length = in.length();
        int start = in.position();
        Permissions permissions = read(in);
        in.require(in.position() - start == length);
        return permissions;
    }

    private static int flags(BodyReader in, int count) {
        int flags = 0;
        for (int i = 0; i < count; i++) {
            if (in.u8() != 0) {
                flags |= 1 << i;
            }
        }
        return flags;
    }

    /// Bytes of the block alone.
    public int encodedBytes() {
        int bytes = GLOBAL_FLAGS + 1;
        for (OnStream stream : streams) {
            bytes += 4 + STREAM_FLAGS + 1 + stream.topics().size() * (4 + TOPIC_FLAGS + 1) + 1;
        }
        return bytes;
    }

    /// Appends the block alone; the target is little-endian.
    public void put(ByteBuffer target) {
        putFlags(target, global, GLOBAL_FLAGS);
        target.put((byte) (streams.isEmpty() ? 0 : 1));
        for (int i = 0; i < streams.size(); i++) {
            OnStream stream = streams.get(i);
            List<OnTopic> topics = stream.topics();
            target.putInt(stream.streamId());
            putFlags(target, stream.flags(), STREAM_FLAGS);
            target.put((byte) (topics.isEmpty() ? 0 : 1));
            for (int j = 0; j < topics.size(); j++) {
                target.putInt(topics.get(j).topicId());
                putFlags(target, topics.get(j).flags(), TOPIC_FLAGS);
                target.put((byte) (j + 1 < topics.size() ? 1 : 0));
            }
            target.put((byte) (i + 1 < streams.size() ? 1 : 0));
        }
    }

    /// Bytes of a presence flag and, when there are permissions, length and block.
    public static int optionalBytes(@Nullable Permissions permissions) {
        return permissions == null ? 1 : 5 + permissions.encodedBytes();
    }

    /// Appends a presence flag and, when there are permissions, length and block.
    public static void putOptional(ByteBuffer target, @Nullable Permissions permissions) {
        if (permissions == null) {
            target.put((byte) 0);
        } else {
            target.put((byte) 1).putInt(permissions.encodedBytes());
            permissions.put(target);
        }
    }

    private static void putFlags(ByteBuffer target, int flags, int count) {
        for (int i = 0; i < count; i++) {
            target.put((byte) (flags >>> i & 1));
        }
    }
}
