package io.galgo.server.configuration;

/// How the handles of the process (`ulimit -n`) are dealt out, so that clients cannot take those that logs need, nor
/// logs those of the metadata. Those that a running JVM with its shards has open in any case are taken off before.
///
/// | share of the others | for |
/// |---|---|
/// | 1/2 | connections; more are turned away |
/// | 1/4 | segment files that stay open between two uses |
/// | 1/16 | consumer offset files that stay open between two uses |
/// | 3/16 | the reserve: files in use, superblocks, the metadata journal, directories being synced |
///
/// @param connections of the node
/// @param segmentFiles of one shard
/// @param offsetFiles of one shard
record HandleShares(int connections, int segmentFiles, int offsetFiles) {
    private static final int CONNECTIONS_SHARE = 2;
    private static final int SEGMENT_FILES_SHARE = 4;
    private static final int OFFSET_FILES_SHARE = 16;

    // An idle node with two shards has 46 open: jars, libraries, the log, standard streams, rings, signals, listeners.
    private static final int OF_THE_PROCESS = 56;
    private static final int OF_A_SHARD = 4;

    // Even where next to nothing is allowed, a shard must be able to work on some files.
    private static final int CONNECTIONS_MIN = 16;
    private static final int SEGMENT_FILES_MIN = 16;
    private static final int OFFSET_FILES_MIN = 4;

    // An open file costs the kernel about a kilobyte, and more of them than this save next to nothing.
    private static final int SEGMENT_FILES_MAX = 16_384;
    private static final int OFFSET_FILES_MAX = 4_096;

    static HandleShares of(long handlesMax, int shardsCount) {
        long dealt = Math.max(0, handlesMax - OF_THE_PROCESS - (long) OF_A_SHARD * shardsCount);
        return new HandleShares(
                Math.clamp(dealt / CONNECTIONS_SHARE, CONNECTIONS_MIN, Integer.MAX_VALUE),
                Math.clamp(dealt / SEGMENT_FILES_SHARE / shardsCount, SEGMENT_FILES_MIN, SEGMENT_FILES_MAX),
                Math.clamp(dealt / OFFSET_FILES_SHARE / shardsCount, OFFSET_FILES_MIN, OFFSET_FILES_MAX));
    }
}
