package io.galgo.storage.log;

import java.util.Arrays;

/// Where in a segment's file offsets and times are found, sparsely: an entry for a batch about every so many bytes.
///
/// It covers the file from its beginning to [#coveredBytes]. Who passes that place in file order extends it: the
/// writer, recovery, or a reader when the stored index was lost.
final class SegmentIndex {
    private static final int ENTRIES_MIN = 8;

    private final int intervalBytes;
    private long[] offsets;
    private long[] timestamps;
    private long[] positions;
    private int count;
    private long coveredBytes;

    SegmentIndex(int intervalBytes) {
        this.intervalBytes = intervalBytes;
        this.offsets = new long[ENTRIES_MIN];
        this.timestamps = new long[ENTRIES_MIN];
        this.positions = new long[ENTRIES_MIN];
    }

    /// Notes a record at [#coveredBytes]; at any other place nothing happens.
    void cover(long position, long length, long baseOffset, long timestamp) {
        if (position != coveredBytes) {
            return;
        }
        coveredBytes = position + length;
        if (count == 0 || position - positions[count - 1] >= intervalBytes) {
            add(baseOffset, timestamp, position);
        }
    }

    /// Passes bytes without messages at [#coveredBytes]; at any other place nothing happens.
    void skip(long position, long length) {
        if (position == coveredBytes) {
            coveredBytes = position + length;
        }
    }

    void add(long offset, long timestamp, long position) {
        if (count == offsets.length) {
            int capacity = count * 2;
            offsets = Arrays.copyOf(offsets, capacity);
            timestamps = Arrays.copyOf(timestamps, capacity);
            positions = Arrays.copyOf(positions, capacity);
        }
        offsets[count] = offset;
        timestamps[count] = timestamp;
        positions[count] = position;
        count++;
    }

    void coveredBytes(long bytes) {
        coveredBytes = bytes;
    }

    long coveredBytes() {
        return coveredBytes;
    }

    int intervalBytes() {
        return intervalBytes;
    }

    int count() {
        return count;
    }

    long offset(int entry) {
        return offsets[entry];
    }

    long timestamp(int entry) {
        return timestamps[entry];
    }

    long position(int entry) {
        return positions[entry];
    }

    /// The last entry at or before `offset`, -1 when there is none.
    int findOffset(long offset) {
        return lastBelow(offsets, count, offset + 1);
    }

    /// The last entry older than `timestamp`, -1 when there is none.
    int findTimestamp(long timestamp) {
        return lastBelow(timestamps, count, timestamp);
    }

    /// Heap memory that it holds, roughly.
    long memoryBytes() {
        return 128 + 24L * offsets.length;
    }

    private static int lastBelow(long[] sorted, int count, long limit) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < limit) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - 1;
    }
}
