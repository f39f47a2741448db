package io.galgo.broker.shard;

/// What the core needs from the configuration (spec config), validated already.
///
/// @param serverVersion name and version told to clients, 1..255 bytes
/// @param clusterName `cluster.name`
/// @param frameBytesMax `message_bus.max_message_size`
/// @param clientQueueCapacity `message_bus.client_queue_capacity`: requests of one connection that wait or run
/// @param inboxCapacity `sharding.inbox_capacity`: parcels that wait for one shard; what one request of any
///     kind needs there is room for in any case
/// @param metadataQueueDepth `metadata.prepare_queue_depth`: metadata operations being journalled at a time
/// @param journalSlots `metadata.journal_slots`: operations in the metadata journal before a snapshot
/// @param clientsTableMax `metadata.clients_table_max`
/// @param partitionQueueDepth `partition.prepare_queue_depth`: operations of one partition being journalled at
///     a time; twice that many may wait
/// @param dedupClientsMax `partition.dedup_clients_max`
/// @param consumerOffsetsMax `partition.consumer_offsets_max`
/// @param offsetReservationLease `partition.offset_reservation_lease`
/// @param pollsMax `sharding.poll_completion_capacity`: polls of one shard that wait for the disk
/// @param tailBytesMax memory of the budget in which one shard keeps recent messages for reading
/// @param indexBytesMax memory in which one shard keeps the indexes of old segments that are read
/// @param openFilesMax segment files that one shard keeps open while nobody uses them
/// @param openOffsetFilesMax consumer offset files that one shard keeps open while nobody uses them
/// @param validateChecksum `partition.validate_checksum`
/// @param heartbeatEnabled `heartbeat.enabled`
/// @param heartbeatIntervalNanos `heartbeat.interval`
/// @param rebalancingTimeoutNanos `consumer_group.rebalancing_timeout`
/// @param pollWaitNanosMax `long_poll.max_wait`: so long a poll waits for messages at most
/// @param pollWaitsMax polls that wait for messages at one shard, of `long_poll.waiters_max`
/// @param tokensPerUserMax `personal_access_token.max_tokens_per_user`
/// @param tokenCleanerEnabled `personal_access_token.cleaner.enabled`
/// @param tokenCleanerIntervalNanos `personal_access_token.cleaner.interval`
/// @param cleanerEnabled `data_maintenance.messages.cleaner_enabled`
/// @param cleanerIntervalNanos `data_maintenance.messages.interval`
/// @param segmentBytesMax no segment grows larger, whatever its topic says: tests need many of them
public record BrokerSettings(
        String serverVersion,
        String clusterName,
        int frameBytesMax,
        int clientQueueCapacity,
        int inboxCapacity,
        int metadataQueueDepth,
        int journalSlots,
        int clientsTableMax,
        int partitionQueueDepth,
        int dedupClientsMax,
        int consumerOffsetsMax,
        int offsetReservationLease,
        int pollsMax,
        long tailBytesMax,
        long indexBytesMax,
        int openFilesMax,
        int openOffsetFilesMax,
        boolean validateChecksum,
        boolean heartbeatEnabled,
        long heartbeatIntervalNanos,
        long rebalancingTimeoutNanos,
        long pollWaitNanosMax,
        int pollWaitsMax,
        long tokensPerUserMax,
        boolean tokenCleanerEnabled,
        long tokenCleanerIntervalNanos,
        boolean cleanerEnabled,
        long cleanerIntervalNanos,
        long segmentBytesMax) {}
