package io.galgo.storage.log;

/// What of a log lies at or behind an offset.
///
/// @param messages exact, unless offsets jump inside the segment that the offset is in
/// @param bytes of whole segments exact; of the segment that the offset is in, in proportion to its messages
public record Backlog(long messages, long bytes) {
    public static final Backlog NONE = new Backlog(0, 0);
}
