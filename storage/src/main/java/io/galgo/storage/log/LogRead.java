package io.galgo.storage.log;

import io.galgo.storage.disk.DiskFault;
import java.util.List;

/// How a read of a [PartitionLog] ended.
public sealed interface LogRead {
    /// Whole records in order, ready for the wire: the first and last batch are cut to exactly the wanted messages.
    ///
    /// @param slices the bytes, to be released by the receiver; empty when there is nothing to deliver
    /// @param messagesCount messages in them
    /// @param lastOffset offset of the last message, meaningless when there is none
    record Messages(List<BatchSlice> slices, int messagesCount, long lastOffset) implements LogRead {}

    /// The first batch of the answer is damaged on disk (code 4039).
    ///
    /// @param offset first offset that cannot be served
    /// @param detail where and how, for the log
    record Damaged(long offset, String detail) implements LogRead {}

    /// The first batch of the answer is whole and cannot be decrypted (code 72).
    ///
    /// @param offset first offset that cannot be served
    record Undecryptable(long offset) implements LogRead {}

    /// The disk failed.
    record Faulted(DiskFault fault) implements LogRead {}

    /// The first batch of the answer takes more memory to read than there is, and so it will until there is more.
    ///
    /// @param offset first offset that cannot be served
    /// @param bytes what it takes
    record TooLarge(long offset, long bytes) implements LogRead {}

    /// No pooled memory for the read now (code 58).
    record NoMemory() implements LogRead {}
}
