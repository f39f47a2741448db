/// What a shard does: sessions, metadata, partitions, consumer offsets, routing, access rights.
///
/// Nothing here knows threads, sockets, files or time: they come in as inputs and go out as effects.
@org.jspecify.annotations.NullMarked
module io.galgo.broker {
    requires transitive io.galgo.consensus;
    requires transitive io.galgo.protocol;
    requires transitive io.galgo.storage;

    exports io.galgo.broker.metadata;
    exports io.galgo.broker.shard;
}
