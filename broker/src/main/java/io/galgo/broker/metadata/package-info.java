/// The metadata that every node and every shard agrees on, as a state machine: operations in, replies and changes
/// out.
///
/// [io.galgo.broker.metadata.Catalog] is the way in. [io.galgo.broker.metadata.MetadataOperation] says what an
/// operation looks like in the journal, [io.galgo.broker.metadata.Change] what a shard must do when one is applied,
/// [io.galgo.broker.metadata.MetadataReads] how the state is told to clients.
///
/// Nothing here depends on time, chance, threads or the order of a hash table; equal journals make equal catalogs.
package io.galgo.broker.metadata;
