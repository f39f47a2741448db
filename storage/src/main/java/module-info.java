/// What a shard keeps on disk and in pooled memory: partition logs, consumer offsets, the metadata journal.
///
/// Nothing here knows threads, files or time. Bytes go through [io.galgo.storage.disk.Disk].
@org.jspecify.annotations.NullMarked
module io.galgo.storage {
    requires transitive io.galgo.protocol;

    exports io.galgo.storage;
    exports io.galgo.storage.directory;
    exports io.galgo.storage.disk;
    exports io.galgo.storage.form;
    exports io.galgo.storage.journal;
    exports io.galgo.storage.log;
    exports io.galgo.storage.memory;
    exports io.galgo.storage.offsets;
}
