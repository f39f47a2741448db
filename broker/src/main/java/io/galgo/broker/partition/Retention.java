package io.galgo.broker.partition;

import io.galgo.broker.metadata.TopicSettings;
import io.galgo.storage.log.PartitionLog;

/// Which of the oldest sealed segments of a log may go (spec semantics 11). Each rule counts a prefix of them.
final class Retention {
    private Retention() {}

    /// Whether a topic's settings ever let a message go.
    static boolean isBounded(TopicSettings topic) {
        return topic.messageExpiryMicros() != TopicSettings.NEVER || topic.topicBytesMax() != TopicSettings.UNLIMITED;
    }

    /// Segments whose newest message is as old as messages may get.
    static int expired(PartitionLog log, int sealed, long expiryMicros, MessageAges ages) {
        int count = 0;
        while (expiryMicros != TopicSettings.NEVER && count < sealed) {
            long newest = log.sealedTimestamp(count);
            long age = newest == 0 ? -1 : ages.ageMicros(newest);
            if (age < 0 || Long.compareUnsigned(age, expiryMicros) < 0) {
                break;
            }
            count++;
        }
        return count;
    }

    /// Segments that must go so that the rest of the sealed ones takes no more than `bytesMax`.
    static int oversized(PartitionLog log, int sealed, long bytesMax) {
        long bytes = 0;
        for (int i = 0; i < sealed; i++) {
            bytes += log.sealedBytes(i);
        }
        int count = 0;
        while (count < sealed && Long.compareUnsigned(bytes, bytesMax) > 0) {
            bytes -= log.sealedBytes(count);
            count++;
        }
        return count;
    }

    /// Bytes that the sealed segments of one partition may take: an even share of the topic's.
    ///
    /// @param leastBytes what a partition may always take
    static long bytesMax(TopicSettings topic, int partitionsCount, long leastBytes) {
        if (topic.topicBytesMax() == TopicSettings.UNLIMITED) {
            return TopicSettings.UNLIMITED;
        }
        long share = Long.divideUnsigned(topic.topicBytesMax(), Math.max(1, partitionsCount));
        return Long.compareUnsigned(share, leastBytes) < 0 ? leastBytes : share;
    }

    /// Segments that end at or before an offset.
    static int endingBy(PartitionLog log, int sealed, long endOffset) {
        int count = 0;
        while (count < sealed && log.sealedEndOffset(count) <= endOffset) {
            count++;
        }
        return count;
    }
}
