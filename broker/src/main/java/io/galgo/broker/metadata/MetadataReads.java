package io.galgo.broker.metadata;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The reply bodies of metadata reads (spec protocol 8.1.5, 8.2.1, 8.4.1, 8.5.1). Rights are the caller's to check.
///
/// Each returns a buffer of its own, position to limit.
public final class MetadataReads {
    private MetadataReads() {}

    /// GetStream; empty when there is no such stream.
    public static ByteBuffer stream(@Nullable Stream stream, PartitionStatistics statistics) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// GetStreams.
    public static ByteBuffer streams(Catalog catalog, PartitionStatistics statistics) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// GetTopic; empty when there is no such topic.
    public static ByteBuffer topic(@Nullable Topic topic, PartitionStatistics statistics) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// GetTopics; count 0 when there is no such stream.
    public static ByteBuffer topics(@Nullable Stream stream, PartitionStatistics statistics) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// GetUser; empty when there is no such user.
    public static ByteBuffer user(@Nullable User user) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// GetUsers.
    public static ByteBuffer users(Catalog catalog) {
        throw new UnsupportedOperationException("not written yet");
    }

    /// DescribeOptions of a scope, or null for an unknown scope (denial 3).
    public static @Nullable ByteBuffer describeOptions(int scope) {
        throw new UnsupportedOperationException("not written yet");
    }
}
