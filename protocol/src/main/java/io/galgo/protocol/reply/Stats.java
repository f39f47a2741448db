package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Utf8;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The state of a server (spec protocol 8.1.2): 108 bytes, five strings and a tail.
///
/// @param cpuUsage percent of this process
/// @param totalCpuUsage percent of the machine
/// @param runTimeMicros whole seconds
/// @param startTimeMicros since the epoch, whole seconds
/// @param segmentsCount every partition has at least one
/// @param serverSemver decimal digits `major` `minor` (3) `patch` (3), 0 when not available
public record Stats(
        int processId,
        float cpuUsage,
        float totalCpuUsage,
        long memoryUsageBytes,
        long totalMemoryBytes,
        long availableMemoryBytes,
        long runTimeMicros,
        long startTimeMicros,
        long readBytes,
        long writtenBytes,
        long messagesSizeBytes,
        int streamsCount,
        int topicsCount,
        int partitionsCount,
        int segmentsCount,
        long messagesCount,
        int clientsCount,
        int consumerGroupsCount,
        String hostname,
        String osName,
        String osVersion,
        String kernelVersion,
        String serverVersion,
        int serverSemver,
        List<CacheMetrics> cacheMetrics,
        int threadsCount,
        long freeDiskSpaceBytes,
        long totalDiskSpaceBytes)
        implements Body {
    public Stats {
        cacheMetrics = List.copyOf(cacheMetrics);
    }

    public static @Nullable Stats decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        return in.orNull(read(in));
    }

    static Stats read(BodyReader in) {
        return new Stats(
                in.u32(),
                in.f32(),
                in.f32(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u64(),
                in.u32(),
                in.u32(),
                in.u32(),
                in.u32(),
                in.u64(),
                in.u32(),
                in.u32(),
                in.longText(),
                in.longText(),
                in.longText(),
                in.longText(),
                in.longText(),
                in.u32(),
                Records.readCounted(in, CacheMetrics.BYTES, CacheMetrics::read),
                in.u32(),
                in.u64(),
                in.u64());
    }

    @Override
    public int encodedBytes() {
        return 4
                + 4
                + 4
                + 8
                + 8
                + 8
                + 8
                + 8
                + 8
                + 8
                + 8
                + 4
                + 4
                + 4
                + 4
                + 8
                + 4
                + 4
                + Utf8.longBytes(hostname)
                + Utf8.longBytes(osName)
                + Utf8.longBytes(osVersion)
                + Utf8.longBytes(kernelVersion)
                + Utf8.longBytes(serverVersion)
                + 4
                + 4
                + Records.encodedBytes(cacheMetrics)
                + 4
                + 8
                + 8;
    }

    @Override
    public void put(ByteBuffer target) {
        target.putInt(processId);
        target.putFloat(cpuUsage);
        target.putFloat(totalCpuUsage);
        target.putLong(memoryUsageBytes);
        target.putLong(totalMemoryBytes);
        target.putLong(availableMemoryBytes);
        target.putLong(runTimeMicros);
        target.putLong(startTimeMicros);
        target.putLong(readBytes);
        target.putLong(writtenBytes);
        target.putLong(messagesSizeBytes);
        target.putInt(streamsCount);
        target.putInt(topicsCount);
        target.putInt(partitionsCount);
        target.putInt(segmentsCount);
        target.putLong(messagesCount);
        target.putInt(clientsCount);
        target.putInt(consumerGroupsCount);
        Utf8.putLong(target, hostname);
        Utf8.putLong(target, osName);
        Utf8.putLong(target, osVersion);
        Utf8.putLong(target, kernelVersion);
        Utf8.putLong(target, serverVersion);
        target.putInt(serverSemver);
        Records.putCounted(target, cacheMetrics);
        target.putInt(threadsCount);
        target.putLong(freeDiskSpaceBytes);
        target.putLong(totalDiskSpaceBytes);
    }
}
