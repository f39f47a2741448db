package io.galgo.broker.partition;

/// The partition that a request is for, as the requester's catalog resolved it.
///
/// @param created the op that created the partition; another one under the same ids is another partition
/// @param metadataOp the op that the requester's catalog had applied. An owner that is behind it waits for it.
public record Target(int streamId, int topicId, int partitionId, long created, long metadataOp) {
    /// The three ids in one number.
    public long key() {
        return PartitionDirectory.key(streamId, topicId, partitionId);
    }

    @Override
    public String toString() {
        return streamId + "/" + topicId + "/" + partitionId;
    }
}
