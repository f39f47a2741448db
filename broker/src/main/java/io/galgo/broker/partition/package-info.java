/// One partition at a time: sends, polls, consumer offsets, and the directory of those that a shard owns.
package io.galgo.broker.partition;
