package io.galgo.broker.shard;

/// What a node knows of its process and machine (spec protocol 8.1.2). An input: the core cannot ask.
///
/// @param cpuUsage percent of this process since the previous call, 0 at the first
/// @param cpuUsageTotal percent of the machine
/// @param runTimeMicros whole seconds since start, as microseconds
/// @param startTimeMicros whole seconds of the wall clock at start, as microseconds
public record NodeStatistics(
        int processId,
        float cpuUsage,
        float cpuUsageTotal,
        long memoryUsageBytes,
        long memoryTotalBytes,
        long memoryAvailableBytes,
        long runTimeMicros,
        long startTimeMicros,
        long readBytes,
        long writtenBytes,
        String hostname,
        String osName,
        String osVersion,
        String kernelVersion,
        int threadsCount,
        long diskFreeBytes,
        long diskTotalBytes) {}
