package io.galgo.storage.log;

/// How one partition log behaves.
///
/// @param segmentBytesMax a segment that reaches this size is sealed (topic option `segment_size`)
/// @param persisted whether an append completes only when it is synced (topic option `durability`)
/// @param preallocate whether a segment's room is reserved at its creation (`preallocate_segments`)
/// @param validateChecksum whether batches read from disk are verified (`partition.validate_checksum`)
/// @param reservationLease offsets claimed ahead at a time (`partition.offset_reservation_lease`)
/// @param indexIntervalBytes log bytes between two entries of the sparse index
/// @param tailBytesMax bytes of recent batches kept in memory for this partition
public record LogSettings(
        long segmentBytesMax,
        boolean persisted,
        boolean preallocate,
        boolean validateChecksum,
        int reservationLease,
        int indexIntervalBytes,
        long tailBytesMax) {}
