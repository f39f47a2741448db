package io.galgo.broker.partition;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.Change;
import io.galgo.broker.metadata.ConsumerGroup;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.metadata.TopicSettings;
import io.galgo.broker.table.LongTable;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.log.Backlog;
import io.galgo.storage.log.PartitionLog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The partitions that one shard owns, as its catalog says.
///
/// Confined to the shard's thread.
public final class PartitionDirectory {
    // A request may have been routed by a catalog that is ahead of this shard's: the operation that made the
    // partition is still on its way here. Such a request is held until this shard has applied as much.

    /// The directory of all streams.
    public static final String STREAMS = "streams";

    /// How the directory of a deleted partition ends until it is removed.
    public static final String DELETED = PartitionLog.REMOVED;

    /// Requests held at a time; more are refused.
    static final int HELD_MAX = 1024;

    private final PartitionHost host;
    private final PartitionSettings settings;
    private final int shard;
    private final int shardsCount;
    private final BatchChecksum checksum = new BatchChecksum();
    private final ReadSlots reads;
    private final PendingJoins joins = new PendingJoins();
    private final LateOpenings openings = new LateOpenings();
    private final WaitSlots waits;
    private final Cleaner cleaner;
    private final LongTable<Partition> partitions = new LongTable<>();
    private final ArrayDeque<PartitionRequest> held = new ArrayDeque<>();
    private long appliedOp;
    private boolean isClosed;

    public PartitionDirectory(PartitionHost host, PartitionSettings settings, int shard, int shardsCount) {
        this.host = host;
        this.settings = settings;
        this.reads = new ReadSlots(settings.readsMax());
        this.waits = new WaitSlots(settings.waitsMax());
        this.cleaner = new Cleaner(host, settings.cleanerIntervalNanos());
        this.shard = shard;
        this.shardsCount = shardsCount;
    }

    /// The three ids in one number.
    public static long key(int streamId, int topicId, int partitionId) {
        return (long) streamId << 32 | (long) topicId << 20 | partitionId;
    }

    /// The shard that owns a partition. The partitions of one topic are dealt out evenly.
    public static int owner(int streamId, int topicId, int partitionId, int shardsCount) {
        long mixed = key(streamId, topicId, 0) * 0x9E3779B97F4A7C15L;
        int first = (int) ((mixed >>> 33) % shardsCount);
        return (int) ((first + (long) partitionId) % shardsCount);
    }

    /// The directory of a partition.
    public static String path(int streamId, int topicId, int partitionId) {
        return path(streamId, topicId) + "/partitions/" + partitionId;
    }

    /// The directory of a topic.
    public static String path(int streamId, int topicId) {
        return path(streamId) + "/topics/" + topicId;
    }

    /// The directory of a stream.
    public static String path(int streamId) {
        return STREAMS + "/" + streamId;
    }

    /// Opens the partitions of a catalog that this shard owns. Before anything is served.
    public void recover(Catalog catalog) {
        for (int s = 0; s < catalog.streamIdsEnd(); s++) {
            Stream stream = catalog.stream(s);
            if (stream != null) {
                recover(stream);
            }
        }
        appliedOp = catalog.appliedOp();
        cleaner.start(target -> partitions.forEach((_, partition) -> target.add(partition)));
    }

    private void recover(Stream stream) {
        for (int t = 0; t < stream.topicIdsEnd(); t++) {
            Topic topic = stream.topic(t);
            if (topic != null) {
                for (int p = 0; p < topic.partitionsCount(); p++) {
                    if (isOwned(stream.id(), t, p)) {
                        Partition partition = add(
                                stream.id(),
                                t,
                                p,
                                topic.created(p),
                                topic.purgeGeneration(p),
                                topic.truncatedBelow(p),
                                topic.settings());
                        cleaner.onRecovered(partition);
                    }
                }
            }
        }
    }

    /// Acts on what one committed operation changed. What concerns no partition is ignored, and so is everything on
    /// the way down: the next start finds it in the metadata.
    public void apply(Change change) {
        if (isClosed) {
            return;
        }
        switch (change) {
            case Change.PartitionsCreated made -> {
                for (int p = made.first(); p < made.first() + made.count(); p++) {
                    if (isOwned(made.streamId(), made.topicId(), p)) {
                        add(made.streamId(), made.topicId(), p, made.created(), 0, 0, made.settings());
                    }
                }
            }
            case Change.PartitionsRemoved gone -> {
                for (int p = gone.first(); p < gone.first() + gone.count(); p++) {
                    Partition partition = partitions.remove(key(gone.streamId(), gone.topicId(), p));
                    if (partition != null) {
                        partition.delete();
                    }
                }
            }
            case Change.TopicPurged purged -> {
                for (int p = 0; p < purged.partitionsCount(); p++) {
                    Partition partition = partitions.get(key(purged.streamId(), purged.topicId(), p));
                    if (partition != null) {
                        partition.purge(purged.generation());
                    }
                }
            }
            case Change.PartitionTruncated cut -> {
                Partition partition = partitions.get(key(cut.streamId(), cut.topicId(), cut.partition()));
                if (partition != null) {
                    partition.truncate(cut.offset());
                    cleaner.onTruncated(partition);
                }
            }
            case Change.TopicUpdated updated ->
                forEachOfTopic(updated.streamId(), updated.topicId(), p -> p.onTopicUpdated(updated.settings()));
            case Change.GroupRemoved gone ->
                forEachOfTopic(gone.streamId(), gone.topicId(), p -> p.removeGroup(gone.groupId()));
            case Change.RightsChanged changed ->
                partitions.forEach((_, partition) -> partition.onRightsChanged(changed.userId()));
            case Change.TopicRemoved _,
                    Change.StreamRemoved _,
                    Change.GroupChanged _,
                    Change.SessionBound _,
                    Change.SessionEnded _ -> {}
        }
    }

    /// The shard has applied the operations up to `op` and all that they changed.
    public void onApplied(long op) {
        appliedOp = op;
        // An answer may end other connections, and with them what they wait for here.
        for (PartitionRequest request : held.toArray(new PartitionRequest[0])) {
            if (request.target().metadataOp() <= appliedOp && held.remove(request)) {
                execute(request);
            }
        }
    }

    /// Takes a request for a partition of this shard and answers it, now or later.
    public void execute(PartitionRequest request) {
        Target target = request.target();
        if (isClosed) {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
            return;
        }
        if (target.metadataOp() > appliedOp) {
            hold(request);
            return;
        }
        Partition partition = partitions.get(target.key());
        if (partition == null || partition.created() != target.created()) {
            refuse(request, request.missing());
        } else {
            partition.execute(request);
        }
    }

    /// A client is about to join a consumer group: tells which partitions of this shard the group has in flight,
    /// and keeps that so until [#endJoin].
    ///
    /// @param topic null when this shard does not know it yet
    /// @return ids of partitions
    public List<Integer> beginJoin(@Nullable Topic topic, int streamId, int topicId, int groupId) {
        joins.begin(streamId, topicId, groupId);
        List<Integer> inFlight = new ArrayList<>();
        for (int p = 0; topic != null && p < topic.partitionsCount(); p++) {
            if (isInFlight(streamId, topicId, p, groupId)) {
                inFlight.add(p);
            }
        }
        return inFlight;
    }

    /// The join is decided, and this shard has applied what came of it.
    public void endJoin(int streamId, int topicId, int groupId) {
        List<PollRequest> ready = joins.end(streamId, topicId, groupId);
        for (int i = 0; i < ready.size(); i++) {
            execute(ready.get(i));
        }
    }

    /// Members of a consumer group came or left, or partitions changed hands: what was served to others than the
    /// owners of now counts no more, and polls of others do not wait any longer.
    public void onGroupChanged(Topic topic, int groupId) {
        for (int p = 0; p < topic.partitionsCount(); p++) {
            Partition partition = partitions.get(key(topic.streamId(), topic.id(), p));
            if (partition != null) {
                partition.onGroupChanged(groupId);
            }
        }
    }

    /// Hears how far one consumer group is behind in one partition after the other.
    @FunctionalInterface
    public interface LagVisitor {
        /// @param storedOffset -1 when the group stored none
        void visit(int groupId, int partition, long storedOffset, long currentOffset, Backlog backlog);
    }

    /// Tells how far the consumer groups of a topic are behind in those of its partitions that this shard owns.
    public void lags(Topic topic, LagVisitor visitor) {
        for (ConsumerGroup group : topic.groups()) {
            for (int p = 0; p < topic.partitionsCount(); p++) {
                Partition partition = partitions.get(key(topic.streamId(), topic.id(), p));
                if (partition != null) {
                    partition.lag(group.id(), visitor);
                }
            }
        }
    }

    /// Polls of this shard that wait for messages.
    public int waitingCount() {
        return waits.count();
    }

    /// Nobody waits for the answer of a poll any more. It is answered all the same; at once when it lies here, and
    /// may be answered already.
    public void cancel(PollRequest request) {
        Target target = request.target();
        Partition partition = partitions.get(target.key());
        boolean wasHeld = joins.drop(request) || held.remove(request);
        if (partition != null && partition.created() == target.created()) {
            partition.cancel(request, wasHeld);
        } else if (wasHeld) {
            refuse(request, request.missing());
        }
    }

    /// Polls and other requests that wait until this shard knows more.
    public int heldPollsCount() {
        return held.size() + joins.heldCount();
    }

    /// No poll waits from now on, and those that do are answered with what there is: nothing.
    public void endWaits() {
        waits.close();
        partitions.forEach((_, partition) -> partition.endWaits());
    }

    /// Whether a consumer group was served messages of a partition that it has not stored the offset of. False for
    /// a partition of another shard.
    public boolean isInFlight(int streamId, int topicId, int partitionId, int groupId) {
        Partition partition = partitions.get(key(streamId, topicId, partitionId));
        return partition != null && partition.isInFlight(groupId);
    }

    private void hold(PartitionRequest request) {
        if (held.size() < HELD_MAX) {
            held.add(request);
        } else {
            refuse(request, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
    }

    private void refuse(PartitionRequest request, ErrorCode code) {
        request.release();
        request.answer(code);
        waits.onAnswered(request);
        host.onAnswered(request);
    }

    /// Hears the numbers of one partition after the other.
    @FunctionalInterface
    public interface NumbersVisitor {
        void visit(long key, long created, int segmentsCount, long currentOffset, long sizeBytes, long messagesCount);
    }

    /// Tells the numbers of all partitions that this shard owns.
    public void numbers(NumbersVisitor visitor) {
        partitions.forEach((_, partition) -> visit(partition, visitor));
    }

    /// Tells the numbers of those partitions of a topic that this shard owns.
    public void numbers(Topic topic, NumbersVisitor visitor) {
        for (int p = 0; p < topic.partitionsCount(); p++) {
            Partition partition = partitions.get(key(topic.streamId(), topic.id(), p));
            if (partition != null) {
                visit(partition, visitor);
            }
        }
    }

    private static void visit(Partition partition, NumbersVisitor visitor) {
        visitor.visit(
                key(partition.streamId(), partition.topicId(), partition.id()),
                partition.created(),
                partition.segmentsCount(),
                partition.currentOffset(),
                partition.sizeBytes(),
                partition.messagesCount());
    }

    public int count() {
        return partitions.size();
    }

    /// Whether all partitions that this shard owns are open.
    public boolean isFullyOpen() {
        int[] closed = new int[1];
        partitions.forEach((_, partition) -> closed[0] += partition.isOpen() ? 0 : 1);
        return closed[0] == 0;
    }

    /// Writes that are not answered yet, for tests and for the way down.
    public int pendingCount() {
        int[] pending = {heldPollsCount()};
        partitions.forEach((_, partition) -> pending[0] += partition.pendingCount());
        return pending[0];
    }

    /// Stops for good: what is running is finished, everything acknowledged is on disk, requests from now on are
    /// refused.
    ///
    /// @param done hears the first fault, if any
    public void close(Completion done) {
        isClosed = true;
        cleaner.stop();
        while (!held.isEmpty()) {
            refuse(held.remove(), ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        for (PollRequest poll : joins.drain()) {
            refuse(poll, ErrorCode.TRANSIENT_NOT_ACCEPTED);
        }
        Closing closing = new Closing(partitions.size() + 3, done);
        partitions.forEach((_, partition) -> partition.close(closing));
        // A read in flight has memory of the shard for as long, also when nobody waits for it any more.
        reads.whenIdle(() -> closing.onComplete(0, null));
        // So have the writes of what was purged or deleted, and they hold files.
        host.logs().abandoned().whenOver(() -> closing.onComplete(0, null));
        host.offsets().abandoned().whenOver(() -> closing.onComplete(0, null));
    }

    /// Counts the partitions that are not closed yet, and what of any is in flight.
    private static final class Closing implements Completion {
        private final Completion done;
        private int left;
        private @Nullable DiskFault first;

        Closing(int count, Completion done) {
            this.left = count;
            this.done = done;
        }

        @Override
        public void onComplete(int bytes, @Nullable DiskFault fault) {
            if (first == null) {
                first = fault;
            }
            left--;
            if (left == 0) {
                done.onComplete(0, first);
            }
        }
    }

    @FunctionalInterface
    private interface PartitionVisitor {
        void visit(Partition partition);
    }

    private void forEachOfTopic(int streamId, int topicId, PartitionVisitor visitor) {
        partitions.forEach((_, partition) -> {
            if (partition.streamId() == streamId && partition.topicId() == topicId) {
                visitor.visit(partition);
            }
        });
    }

    private Partition add(
            int streamId,
            int topicId,
            int id,
            long created,
            long purgeGeneration,
            long truncatedBelow,
            TopicSettings topic) {
        Partition partition = new Partition(
                host,
                settings,
                checksum,
                reads,
                joins,
                waits,
                openings,
                streamId,
                topicId,
                id,
                created,
                purgeGeneration,
                truncatedBelow,
                topic);
        partitions.put(key(streamId, topicId, id), partition);
        partition.open();
        return partition;
    }

    private boolean isOwned(int streamId, int topicId, int partitionId) {
        return owner(streamId, topicId, partitionId, shardsCount) == shard;
    }
}
