package io.galgo.broker.shard;

import io.galgo.broker.mailbox.Mailbox;
import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.Change;
import io.galgo.broker.metadata.Chronicle;
import io.galgo.broker.metadata.ConsumerGroup;
import io.galgo.broker.metadata.Outcome;
import io.galgo.broker.metadata.Right;
import io.galgo.broker.metadata.ShownName;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.metadata.User;
import io.galgo.broker.partition.GroupClaim;
import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.broker.partition.PartitionHost;
import io.galgo.broker.partition.PartitionRequest;
import io.galgo.broker.partition.PartitionSettings;
import io.galgo.broker.partition.PollRequest;
import io.galgo.broker.partition.PollWait;
import io.galgo.broker.partition.SegmentEndRequest;
import io.galgo.broker.partition.Target;
import io.galgo.broker.plane.MetadataAnswer;
import io.galgo.broker.plane.MetadataPlane;
import io.galgo.broker.plane.MetadataRequest;
import io.galgo.broker.plane.MetadataRequester;
import io.galgo.broker.plane.PlaneHost;
import io.galgo.broker.shard.Parcel.ConnectionRecord;
import io.galgo.broker.shard.Parcel.Question;
import io.galgo.broker.shard.Parcel.Scope;
import io.galgo.broker.shard.Parcel.Share;
import io.galgo.protocol.EvictionReason;
import io.galgo.protocol.reply.NodeRecord;
import io.galgo.storage.Incident;
import io.galgo.storage.Invariant;
import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.form.StoredForms;
import io.galgo.storage.journal.MetadataJournal;
import io.galgo.storage.log.LogStorage;
import io.galgo.storage.offsets.OffsetsStorage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What one thread of a node owns: the connections it accepted, the partitions that hash to it, its copy of the
/// metadata.
///
/// Confined to its thread, except for the mailbox behind [ShardEnvironment#wakeUp].
public final class Shard {
    // Whatever another shard owns is asked for by parcel. Room for the answer is reserved in this shard's mailbox
    // before the question is put into the other's, so an answer is never lost for want of room, and a question that
    // finds none is refused at once.

    /// A session that could not be ended now is tried again after so long, and then after twice as long each time.
    private static final long LOGOUT_RETRY_NANOS_MIN = 50_000_000L;

    private static final long LOGOUT_RETRY_NANOS_MAX = 5_000_000_000L;

    /// A poll whose client is gone is called off after so long when there was no room to say so.
    private static final long CANCEL_RETRY_NANOS = 50_000_000L;

    /// The answer of a poll that waited is sent after so long when there was no room for it.
    private static final long ANSWER_RETRY_NANOS = 1_000_000L;

    /// Connections that do not come to rest on the way down are left after so long.
    private static final long STOP_GRACE_NANOS = 2_000_000_000L;

    private static final Comparator<GroupLag> LAGS_IN_ORDER =
            Comparator.comparing(GroupLag::groupId, Integer::compareUnsigned).thenComparingInt(GroupLag::partition);

    private final int index;
    private final List<Mailbox<Parcel>> mailboxes;
    private final Mailbox<Parcel> mailbox;
    private final BrokerSettings settings;
    private final ShardEnvironment environment;
    private final Catalog catalog;
    private final LogStorage logs;
    private final OffsetsStorage offsets;
    private final PartitionDirectory directory;
    private final Sessions sessions = new Sessions();
    private final Replies replies;
    private final PartitionCommands partitionCommands;
    private final MetadataCommands metadataCommands;
    private final Login login;
    private final GroupRequests groupRequests;
    private final Revocations revocations;
    private final Heartbeats heartbeats;
    private final Routes routes;
    private final Dispatch dispatch;
    private final Mailbox.Receiver<Parcel> receiver = this::receive;
    private final Map<Integer, Connection> connections = new LinkedHashMap<>();
    // Answers of polls that waited, at most as many as may wait.
    private final ArrayDeque<PollRequest> lateAnswers = new ArrayDeque<>();
    private int connectionsMade;
    private int discardedCount;
    private final Chronicle chronicle;

    private @Nullable MetadataPlane plane;
    private NodeAddress address = new NodeAddress("", 0, 0, 0, 0);
    private @Nullable Runnable stopped;

    /// Read by the thread that stops the node.
    private volatile boolean hasCloseFault;
    private boolean isStopping;
    private boolean isClosingFiles;
    private boolean areFilesClosed;

    // Requests for partitions of other shards that have not been answered.
    private int unansweredCount;

    /// @param mailboxes one a shard, in order
    /// @param catalog with everything applied that the journal holds
    Shard(
            int index,
            List<Mailbox<Parcel>> mailboxes,
            BrokerSettings settings,
            ShardEnvironment environment,
            Catalog catalog,
            boolean memoryWasLost) {
        this.index = index;
        this.mailboxes = mailboxes;
        this.mailbox = mailboxes.get(index);
        this.settings = settings;
        this.environment = environment;
        this.catalog = catalog;
        this.logs = new LogStorage(
                environment.disk(),
                environment.buffers(),
                settings.openFilesMax(),
                settings.tailBytesMax(),
                settings.indexBytesMax(),
                new StoredForms(environment.encryption(), environment.entropy()::fill),
                environment.incidents());
        this.offsets = new OffsetsStorage(environment.disk(), settings.openOffsetFilesMax(), environment.incidents());
        this.directory = new PartitionDirectory(
                new PartitionSide(), partitionSettings(settings, memoryWasLost), index, mailboxes.size());
        this.replies = new Replies(this, environment.buffers());
        this.partitionCommands =
                new PartitionCommands(this, catalog, replies, settings.frameBytesMax(), settings.pollWaitNanosMax());
        this.groupRequests = new GroupRequests(this, catalog, replies);
        this.revocations =
                new Revocations(this, catalog, directory, environment.timers(), settings.rebalancingTimeoutNanos());
        this.heartbeats = new Heartbeats(
                this, catalog, environment.timers(), settings.heartbeatEnabled(), settings.heartbeatIntervalNanos());
        this.routes = new Routes(this, catalog, replies, partitionCommands, environment.timers());
        this.chronicle = new Chronicle(catalog);
        this.login = new Login(
                this,
                catalog,
                replies,
                environment.passwords(),
                environment.tokens(),
                environment.timers(),
                settings.serverVersion());
        this.metadataCommands = new MetadataCommands(
                this,
                catalog,
                replies,
                new Secrets(
                        catalog,
                        replies,
                        environment.passwords(),
                        environment.tokens(),
                        environment.entropy(),
                        settings.tokensPerUserMax()),
                groupRequests);
        this.dispatch = new Dispatch(
                replies,
                login,
                metadataCommands,
                partitionCommands,
                new Reads(this, catalog, replies, environment.statistics(), settings.serverVersion()),
                groupRequests,
                routes,
                new Snapshots(this, catalog, replies, environment.snapshots(), settings.frameBytesMax()));
    }

    private static PartitionSettings partitionSettings(BrokerSettings settings, boolean memoryWasLost) {
        return new PartitionSettings(
                settings.partitionQueueDepth(),
                settings.dedupClientsMax(),
                settings.consumerOffsetsMax(),
                settings.offsetReservationLease(),
                settings.validateChecksum(),
                settings.tailBytesMax(),
                settings.pollsMax(),
                settings.pollWaitsMax(),
                settings.frameBytesMax(),
                settings.cleanerEnabled() ? settings.cleanerIntervalNanos() : 0,
                settings.segmentBytesMax(),
                memoryWasLost);
    }

    /// A transport accepted a client.
    public Connection connect(Link link) {
        // Shards number their connections apart from each other: 1, 1 + shards, ... on the first one.
        int number = connectionsMade * mailboxes.size() + index + 1;
        connectionsMade++;
        Connection connection = new Connection(this, link, number, settings.clientQueueCapacity());
        connections.put(number, connection);
        if (log().isDebug()) {
            log().debug("connection " + number + " from " + link.remoteAddress());
        }
        return connection;
    }

    /// Parcels of other shards wait in the mailbox. Handles them all; also called before each batch of frames.
    public void onParcels() {
        mailbox.drain(receiver);
    }

    /// Gives cached memory of this shard back to the budget.
    ///
    /// @return whether any was given back, so that it is worth trying again to acquire `bytes`
    public boolean makeRoom(long bytes) {
        return logs.evictTails(bytes) > 0;
    }

    /// Stops: refuses new requests, finishes what is running, writes what is committed, closes the logs.
    ///
    /// Parcels must be handled until every shard of the node has called back: those of others are answered to the
    /// end.
    ///
    /// @param stopped called when all is on disk, and nothing is in flight to which this shard lent memory
    public void stop(Runnable stopped) {
        Invariant.check(!isStopping, "a shard is stopped once");
        this.stopped = stopped;
        isStopping = true;
        for (Connection connection : List.copyOf(connections.values())) {
            connection.stop();
        }
        routes.stop();
        directory.endWaits();
        environment.timers().after(STOP_GRACE_NANOS, this::closeFiles);
        onConnectionAtRest();
    }

    public int index() {
        return index;
    }

    // For the node

    void open(@Nullable MetadataJournal journal) {
        directory.recover(catalog);
        if (journal != null) {
            plane = new MetadataPlane(
                    new PlaneSide(),
                    catalog,
                    journal,
                    settings.metadataQueueDepth(),
                    settings.journalSlots(),
                    settings.clientsTableMax());
            if (settings.tokenCleanerEnabled()) {
                new TokenCleaner(this, catalog, environment.timers(), settings.tokenCleanerIntervalNanos()).start();
            }
        }
    }

    boolean isFullyRecovered() {
        return directory.isFullyOpen();
    }

    /// Takes a path out of sight at once and removes it later.
    void discard(String path) {
        Disk disk = environment.disk();
        try {
            if (!disk.exists(path)) {
                return;
            }
            disk.createDirectories(Node.DISCARDED);
            String target;
            do {
                discardedCount++;
                target = Node.DISCARDED + "/" + index + "-" + discardedCount;
            } while (disk.exists(target));
            disk.rename(path, target);
            disk.removeLater(target);
        } catch (DiskException e) {
            if (e.fault().kind() != DiskFault.Kind.NOT_FOUND) {
                count(Incident.NOT_REMOVED);
                log().warn(path + " is not needed any more and could not be removed: " + e.fault());
            }
        }
    }

    // For what runs on this shard

    Sessions sessions() {
        return sessions;
    }

    int partitionsCount() {
        return catalog.partitionsCount();
    }

    boolean isClosedCleanly() {
        return !hasCloseFault;
    }

    @Nullable String passwordOf(String name) {
        User user = catalog.user(name);
        return user == null || !user.isActive() ? null : user.passwordPhc();
    }

    EventLog log() {
        return environment.log();
    }

    void count(Incident incident) {
        environment.incidents().count(incident);
    }

    NodeAddress address() {
        return address;
    }

    long wallMicros() {
        return environment.clock().wallMicros();
    }

    long monotonicNanos() {
        return environment.clock().monotonicNanos();
    }

    /// The last metadata operation that took effect here.
    long appliedOp() {
        return catalog.appliedOp();
    }

    int shardsCount() {
        return mailboxes.size();
    }

    /// Whether this shard owns a partition.
    boolean isOwner(int streamId, int topicId, int partitionId) {
        return PartitionDirectory.owner(streamId, topicId, partitionId, mailboxes.size()) == index;
    }

    /// The connections of this shard.
    Collection<Connection> connections() {
        return Collections.unmodifiableCollection(connections.values());
    }

    /// This node, as the client of a request reaches it.
    NodeRecord node(Exchange exchange) {
        return Reads.node(address, exchange);
    }

    /// Sessions that live, by this shard's copy of the metadata.
    int sessionsCount() {
        return catalog.clients().count();
    }

    boolean isStopping() {
        return isStopping;
    }

    /// A frame is about to be looked at: what other shards did before it must be known.
    void onFrame() {
        if (!mailbox.isEmpty()) {
            onParcels();
        }
    }

    void start(Exchange exchange) {
        dispatch.start(exchange);
    }

    /// Hands a request to the owner of its partition.
    ///
    /// @return false when there is no room for it or for its answer; then the request is gone
    boolean ask(PartitionRequest request) {
        int owner = PartitionDirectory.owner(
                request.target().streamId(),
                request.target().topicId(),
                request.target().partitionId(),
                mailboxes.size());
        if (owner == index) {
            directory.execute(request);
            return true;
        }
        if (!reserveWithAnswer(owner)) {
            request.release();
            return false;
        }
        unansweredCount++;
        mailboxes.get(owner).put(new Parcel.Asked(request));
        return true;
    }

    /// Hands a change of metadata to the plane.
    ///
    /// @return false when there is no room for it or for its answer
    boolean propose(MetadataRequest request) {
        if (plane != null) {
            plane.submit(request);
            return true;
        }
        if (!reserveWithAnswer(0)) {
            return false;
        }
        mailboxes.get(0).put(new Parcel.Proposed(request));
        return true;
    }

    /// Asks every shard for its share of an answer.
    ///
    /// @return false when there is no room for the questions or the answers
    boolean gather(Scope scope, int streamId, int topicId, Gathering.Next next) {
        for (int i = 0; i < mailboxes.size(); i++) {
            if (i != index && !reserveWithAnswer(i)) {
                for (int j = 0; j < i; j++) {
                    if (j != index) {
                        mailboxes.get(j).unreserve();
                        mailbox.unreserve();
                    }
                }
                return false;
            }
        }
        Question question = new Question(scope, streamId, topicId, index, new Gathering(mailboxes.size(), next));
        for (int i = 0; i < mailboxes.size(); i++) {
            if (i != index) {
                mailboxes.get(i).put(new Parcel.Questioned(question));
            }
        }
        question.gathering().add(share(question));
        return true;
    }

    /// Asks every shard what a consumer group has in flight, and keeps that as it is until [#endJoin].
    ///
    /// @return false when there is no room for the questions, the answers, or to tell how it ended
    boolean beginJoin(GroupJoin join) {
        for (int i = 0; i < mailboxes.size(); i++) {
            if (i != index && !reserveForJoin(i)) {
                for (int j = 0; j < i; j++) {
                    if (j != index) {
                        mailboxes.get(j).unreserve();
                        mailboxes.get(j).unreserve();
                        mailbox.unreserve();
                    }
                }
                return false;
            }
        }
        for (int i = 0; i < mailboxes.size(); i++) {
            if (i != index) {
                mailboxes.get(i).put(new Parcel.JoinBegun(join));
            }
        }
        onJoinTold(join, inFlight(join));
        return true;
    }

    private boolean reserveForJoin(int other) {
        if (!reserveWithAnswer(other)) {
            return false;
        }
        if (!mailboxes.get(other).reserve()) {
            mailboxes.get(other).unreserve();
            mailbox.unreserve();
            return false;
        }
        return true;
    }

    private List<Integer> inFlight(GroupJoin join) {
        return directory.beginJoin(
                catalog.topic(join.streamId(), join.topicId()), join.streamId(), join.topicId(), join.groupId());
    }

    private void onJoinTold(GroupJoin join, List<Integer> inFlight) {
        if (join.add(inFlight)) {
            groupRequests.propose(join);
        }
    }

    /// A join is decided, or will not be.
    void endJoin(GroupJoin join) {
        for (int i = 0; i < mailboxes.size(); i++) {
            if (i != index) {
                mailboxes.get(i).put(new Parcel.JoinDecided(join));
            }
        }
        directory.endJoin(join.streamId(), join.topicId(), join.groupId());
    }

    Revocations revocations() {
        return revocations;
    }

    /// A connection was not heard of for too long.
    void evictStale(Connection connection) {
        Session session = connection.session();
        if (session != null) {
            count(Incident.CLIENT_SILENT);
            log().info("connection " + connection.number() + " from "
                    + connection.link().remoteAddress() + " sent nothing for too long and leaves its consumer groups");
            sessions.remove(connection);
            endSession(new Departure(session, connection, LOGOUT_RETRY_NANOS_MIN));
        }
    }

    /// The connection of a session is gone: the session ends, however often that has to be asked for.
    void endSession(Session session) {
        endSession(new Departure(session, null, LOGOUT_RETRY_NANOS_MIN));
    }

    private void endSession(Departure departure) {
        if (isStopping) {
            // Sessions outlive the process, so that a client that comes back can ask for its last answers.
            return;
        }
        Session session = departure.session();
        MetadataRequest request =
                MetadataRequest.disconnect(session.client(), session.number(), session.userId(), departure, index);
        if (!propose(request)) {
            endLater(departure);
        }
    }

    private void endLater(Departure departure) {
        Departure next = new Departure(
                departure.session(), departure.evicted(), Math.min(2 * departure.retryNanos(), LOGOUT_RETRY_NANOS_MAX));
        environment.timers().after(departure.retryNanos(), () -> endSession(next));
    }

    /// Whoever left without a logout.
    ///
    /// @param evicted the connection that is to be told so, if there is one
    private record Departure(Session session, @Nullable Connection evicted, long retryNanos)
            implements MetadataRequester {}

    private void onDeparted(Departure departure) {
        Connection evicted = departure.evicted();
        // One that has logged in again meanwhile is not meant.
        if (evicted != null && evicted.session() == null) {
            Reply eviction = replies.eviction(departure.session().client(), EvictionReason.STALE_CLIENT);
            if (eviction == null) {
                evicted.close("there is no memory for its eviction");
            } else {
                evicted.push(eviction);
            }
        }
    }

    void onDisconnected(Connection connection) {
        connections.remove(connection.number());
        if (log().isDebug()) {
            log().debug("connection " + connection.number() + " from "
                    + connection.link().remoteAddress() + " ended");
        }
        connection.endPoll();
        Session session = connection.session();
        if (session != null) {
            sessions.remove(connection);
            endSession(session);
        }
        onConnectionAtRest();
    }

    /// Tells how far the consumer groups of a topic are behind in each partition, in the order of group and
    /// partition ids. On this shard's thread; `done` is called on it too, perhaps from inside this call.
    ///
    /// @return false when there is no room to ask the other shards now
    public boolean groupLags(int streamId, int topicId, Consumer<List<GroupLag>> done) {
        return gather(Scope.LAGS, streamId, topicId, found -> {
            List<GroupLag> lags = new ArrayList<>(found.lags());
            lags.sort(LAGS_IN_ORDER);
            done.accept(lags);
        });
    }

    /// Polls that wait for messages at the partitions of this shard.
    public int waitingPollsCount() {
        return directory.waitingCount();
    }

    /// Polls at this shard that are not looked at before it knows more: what became of a join, or of the metadata.
    int heldPollsCount() {
        return directory.heldPollsCount();
    }

    /// Nobody is there any more for whom a poll of a connection waits, for messages or for anything else. It is
    /// answered with what it has: nothing.
    void cancel(Connection connection, PollRequest poll) {
        if (connection.awaited() != poll) {
            return;
        }
        Target target = poll.target();
        int owner =
                PartitionDirectory.owner(target.streamId(), target.topicId(), target.partitionId(), mailboxes.size());
        if (owner == index) {
            directory.cancel(poll);
        } else if (mailboxes.get(owner).reserve()) {
            mailboxes.get(owner).put(new Parcel.PollCancelled(poll));
        } else {
            environment.timers().after(CANCEL_RETRY_NANOS, () -> cancel(connection, poll));
        }
    }

    /// An answer that was long in coming, and for which there may be no room.
    private void answerLate(PollRequest poll) {
        if (lateAnswers.isEmpty() && mailboxes.get(poll.requesterShard()).reserve()) {
            mailboxes.get(poll.requesterShard()).put(new Parcel.Answered(poll));
            return;
        }
        lateAnswers.add(poll);
        if (lateAnswers.size() == 1) {
            environment.timers().after(ANSWER_RETRY_NANOS, this::sendLateAnswers);
        }
    }

    private void sendLateAnswers() {
        for (int left = lateAnswers.size(); left > 0; left--) {
            PollRequest poll = lateAnswers.remove();
            if (mailboxes.get(poll.requesterShard()).reserve()) {
                mailboxes.get(poll.requesterShard()).put(new Parcel.Answered(poll));
            } else {
                lateAnswers.add(poll);
            }
        }
        if (!lateAnswers.isEmpty()) {
            environment.timers().after(ANSWER_RETRY_NANOS, this::sendLateAnswers);
        }
    }

    /// Called on the way down whenever a connection has finished something.
    void onConnectionAtRest() {
        if (isStopping && !hasPendingRequests()) {
            closeFiles();
        }
    }

    private boolean hasPendingRequests() {
        for (Connection connection : connections.values()) {
            if (connection.pendingCount() > 0) {
                return true;
            }
        }
        return false;
    }

    private void closeFiles() {
        if (isClosingFiles) {
            return;
        }
        isClosingFiles = true;
        directory.close((_, fault) -> {
            sayIfFaulty(fault);
            closePlane((_, planeFault) -> {
                sayIfFaulty(planeFault);
                replies.close();
                areFilesClosed = true;
                endIfAnswered();
            });
        });
    }

    /// Called on the way down whenever another shard has answered. Answers hold memory until they are taken, also
    /// those to connections that are gone.
    private void endIfAnswered() {
        Runnable done = stopped;
        if (areFilesClosed && unansweredCount == 0 && done != null) {
            stopped = null;
            done.run();
        }
    }

    private void closePlane(Completion done) {
        if (plane == null) {
            done.onComplete(0, null);
        } else {
            plane.close(done);
        }
    }

    private void sayIfFaulty(@Nullable DiskFault fault) {
        if (fault != null) {
            hasCloseFault = true;
            log().error("a file could not be synced and closed: " + fault);
        }
    }

    // Parcels

    private void receive(Parcel parcel) {
        switch (parcel) {
            case Parcel.Asked asked -> directory.execute(asked.request());
            case Parcel.Answered answered -> {
                unansweredCount--;
                onAnswered(answered.request());
                endIfAnswered();
            }
            case Parcel.Proposed proposed -> propose(proposed.request());
            case Parcel.Decided decided -> onDecided(decided.request());
            case Parcel.Committed committed -> apply(committed.op(), committed.operation());
            case Parcel.Questioned questioned -> {
                Question question = questioned.question();
                mailboxes.get(question.askingShard()).put(new Parcel.Told(question, share(question)));
            }
            case Parcel.Told told -> told.question().gathering().add(told.share());
            case Parcel.JoinBegun begun -> {
                GroupJoin join = begun.join();
                mailboxes.get(join.askingShard()).put(new Parcel.JoinTold(join, inFlight(join)));
            }
            case Parcel.JoinTold told -> onJoinTold(told.join(), told.inFlight());
            case Parcel.JoinDecided decided -> {
                GroupJoin join = decided.join();
                directory.endJoin(join.streamId(), join.topicId(), join.groupId());
            }
            case Parcel.PollCancelled cancelled -> directory.cancel(cancelled.poll());
            case Parcel.Published published -> {
                address = published.address();
                heartbeats.start();
                revocations.start();
            }
        }
    }

    /// Claims room for a parcel to another shard, and for its answer.
    private boolean reserveWithAnswer(int other) {
        if (!mailbox.reserve()) {
            return false;
        }
        if (!mailboxes.get(other).reserve()) {
            mailbox.unreserve();
            return false;
        }
        return true;
    }

    private void onAnswered(PartitionRequest request) {
        if (request instanceof SegmentEndRequest end) {
            metadataCommands.onAnswered(end);
        } else {
            partitionCommands.onAnswered(request);
        }
    }

    private void onDecided(MetadataRequest request) {
        switch (request.requester()) {
            case Login.Attempt _ -> login.onDecided(request);
            case TokenCleaner cleaner -> cleaner.onDecided();
            case Departure departure -> {
                if (request.answer() instanceof MetadataAnswer.Rejected) {
                    endLater(departure);
                } else {
                    onDeparted(departure);
                }
            }
            case Revocations.Move move -> revocations.onDecided(move, request);
            default -> metadataCommands.onDecided(request);
        }
    }

    /// Carries out a committed operation on this shard.
    private Outcome apply(long op, ByteBuffer operation) {
        String deed = plane == null ? null : chronicle.tell(operation);
        Outcome outcome = catalog.apply(op, operation);
        if (deed != null
                && outcome instanceof Outcome.Decided decided
                && decided.reply().op() == op
                && decided.reply().error() == null) {
            log().info(deed);
        }
        environment.tap().onApplied(op, operation, outcome);
        if (outcome instanceof Outcome.Decided decided) {
            for (Change change : decided.changes()) {
                sessions.apply(change);
                partitionCommands.apply(change);
                revocations.apply(change);
                directory.apply(change);
                discardEmptied(change);
            }
        }
        directory.onApplied(op);
        revocations.onApplied();
        routes.onApplied();
        return outcome;
    }

    /// Removes the directory of a topic or stream that is gone, once no shard uses anything in it any more.
    ///
    /// When there is no room to ask them, or the ids are in use again by then, it stays until the next start.
    private void discardEmptied(Change change) {
        if (plane == null) {
            return;
        }
        if (change instanceof Change.TopicRemoved gone) {
            gather(Scope.TOPIC, gone.streamId(), gone.topicId(), _ -> {
                if (catalog.topic(gone.streamId(), gone.topicId()) == null) {
                    discard(PartitionDirectory.path(gone.streamId(), gone.topicId()));
                }
            });
        } else if (change instanceof Change.StreamRemoved gone) {
            gather(Scope.STREAM, gone.streamId(), -1, _ -> {
                if (catalog.stream(gone.streamId()) == null) {
                    discard(PartitionDirectory.path(gone.streamId()));
                }
            });
        }
    }

    // What others ask

    private Share share(Question question) {
        return switch (question.scope()) {
            case NODE -> nodeShare();
            case CLIENTS -> {
                List<ConnectionRecord> records = new ArrayList<>(connections.size());
                for (Connection connection : connections.values()) {
                    if (connection.hasSent()) {
                        records.add(Reads.record(connection));
                    }
                }
                yield new Share(List.of(), List.of(), 0, 0, 0, 0, records, List.of());
            }
            case STREAMS -> {
                List<TopicNumbers.Row> sums = new ArrayList<>();
                for (int s = 0; s < catalog.streamIdsEnd(); s++) {
                    addSums(catalog.stream(s), sums);
                }
                yield new Share(List.of(), sums, 0, 0, 0, 0, List.of(), List.of());
            }
            case STREAM -> {
                List<TopicNumbers.Row> sums = new ArrayList<>();
                addSums(catalog.stream(question.streamId()), sums);
                yield new Share(List.of(), sums, 0, 0, 0, 0, List.of(), List.of());
            }
            case LAGS -> {
                List<GroupLag> lags = new ArrayList<>();
                Topic topic = catalog.topic(question.streamId(), question.topicId());
                if (topic != null) {
                    directory.lags(
                            topic,
                            (groupId, partition, storedOffset, currentOffset, backlog) -> lags.add(new GroupLag(
                                    topic.streamId(),
                                    topic.id(),
                                    groupId,
                                    partition,
                                    storedOffset,
                                    currentOffset,
                                    backlog.messages(),
                                    backlog.bytes())));
                }
                yield new Share(List.of(), List.of(), 0, 0, 0, 0, List.of(), lags);
            }
            case TOPIC -> {
                List<PartitionNumbers.Row> rows = new ArrayList<>();
                Topic topic = catalog.topic(question.streamId(), question.topicId());
                if (topic != null) {
                    directory.numbers(
                            topic,
                            (key, created, segmentsCount, currentOffset, sizeBytes, messagesCount) ->
                                    rows.add(new PartitionNumbers.Row(
                                            key, created, segmentsCount, currentOffset, sizeBytes, messagesCount)));
                }
                yield new Share(rows, List.of(), 0, 0, 0, 0, List.of(), List.of());
            }
        };
    }

    /// Adds what this shard has of each topic. A stream may have a million partitions, so they are summed up here.
    private void addSums(@Nullable Stream stream, List<TopicNumbers.Row> rows) {
        for (int t = 0; stream != null && t < stream.topicIdsEnd(); t++) {
            Topic topic = stream.topic(t);
            if (topic != null) {
                long[] sums = new long[2];
                directory.numbers(topic, (_, _, _, _, sizeBytes, messagesCount) -> {
                    sums[0] += sizeBytes;
                    sums[1] += messagesCount;
                });
                rows.add(new TopicNumbers.Row(
                        PartitionDirectory.key(stream.id(), t, 0), topic.createdAtMicros(), sums[0], sums[1]));
            }
        }
    }

    private Share nodeShare() {
        long[] sums = new long[3];
        directory.numbers((_, _, segmentsCount, _, sizeBytes, messagesCount) -> {
            sums[0] += segmentsCount;
            sums[1] += sizeBytes;
            sums[2] += messagesCount;
        });
        int heard = 0;
        for (Connection connection : connections.values()) {
            heard += connection.hasSent() ? 1 : 0;
        }
        return new Share(List.of(), List.of(), sums[0], sums[1], sums[2], heard, List.of(), List.of());
    }

    /// What the partitions of this shard see of it.
    private final class PartitionSide implements PartitionHost {
        @Override
        public LogStorage logs() {
            return logs;
        }

        @Override
        public OffsetsStorage offsets() {
            return offsets;
        }

        @Override
        public long wallMicros() {
            return Shard.this.wallMicros();
        }

        @Override
        public long monotonicNanos() {
            return Shard.this.monotonicNanos();
        }

        @Override
        public void after(long delayNanos, Runnable task) {
            environment.timers().after(delayNanos, task);
        }

        @Override
        public int partitionsCount(int streamId, int topicId) {
            Topic topic = catalog.topic(streamId, topicId);
            return topic == null ? 0 : topic.partitionsCount();
        }

        @Override
        public void onAnswered(PartitionRequest request) {
            if (request.requesterShard() == index) {
                Shard.this.onAnswered(request);
            } else if (request instanceof PollRequest poll && poll.isRoomGivenBack()) {
                answerLate(poll);
            } else {
                mailboxes.get(request.requesterShard()).put(new Parcel.Answered(request));
            }
        }

        @Override
        public boolean isPollable(Target target, GroupClaim claim) {
            ConsumerGroup group = group(target.streamId(), target.topicId(), claim.groupId());
            return group != null && group.isPollable(claim.client(), target.partitionId());
        }

        @Override
        public boolean isAssigned(Target target, GroupClaim claim) {
            ConsumerGroup group = group(target.streamId(), target.topicId(), claim.groupId());
            return group != null && group.isAssigned(claim.client(), target.partitionId());
        }

        @Override
        public boolean hasGroup(int streamId, int topicId, int groupId) {
            return group(streamId, topicId, groupId) != null;
        }

        private @Nullable ConsumerGroup group(int streamId, int topicId, int groupId) {
            Topic topic = catalog.topic(streamId, topicId);
            return topic == null ? null : topic.group(groupId);
        }

        @Override
        public boolean mayPoll(Target target, PollWait wait) {
            return catalog.clients().session(wait.client()) == wait.session()
                    && catalog.isAllowed(wait.userId(), Right.POLL_MESSAGES, target.streamId(), target.topicId());
        }

        @Override
        public Runnable timer(long delayNanos, Runnable task) {
            return environment.timers().after(delayNanos, task)::cancel;
        }

        @Override
        public void onWaiting(PollRequest request) {
            // Else those that wait would take all room from those that do not.
            if (request.requesterShard() != index) {
                mailboxes.get(request.requesterShard()).unreserve();
                request.giveRoomBack();
            }
        }

        @Override
        public void onGroupOffset(Target target, int groupId) {
            revocations.onGroupOffset(target.streamId(), target.topicId(), groupId, target.partitionId());
        }

        @Override
        public boolean makeRoom(long bytes) {
            return Shard.this.makeRoom(bytes);
        }

        @Override
        public void discard(String directory) {
            Shard.this.discard(directory);
        }

        @Override
        public String nameOf(int streamId, int topicId, int partitionId) {
            Stream stream = catalog.stream(streamId);
            Topic known = catalog.topic(streamId, topicId);
            String ids = streamId + "/" + topicId + "/" + partitionId;
            return stream == null || known == null
                    ? ids
                    : ids + " (stream " + ShownName.of(stream.name()) + ", topic " + ShownName.of(known.name()) + ")";
        }

        @Override
        public void error(String line) {
            log().error(line);
        }

        @Override
        public void info(String line) {
            log().info(line);
        }

        @Override
        public void warn(String line) {
            log().warn(line);
        }
    }

    /// What the metadata plane sees of the shard that it runs on.
    private final class PlaneSide implements PlaneHost {
        @Override
        public long wallMicros() {
            return Shard.this.wallMicros();
        }

        @Override
        public long monotonicNanos() {
            return Shard.this.monotonicNanos();
        }

        @Override
        public boolean reserveBroadcast() {
            for (int i = 0; i < mailboxes.size(); i++) {
                if (i != index && !mailboxes.get(i).reserve()) {
                    unreserveBroadcast(i);
                    return false;
                }
            }
            return true;
        }

        @Override
        public void unreserveBroadcast() {
            unreserveBroadcast(mailboxes.size());
        }

        private void unreserveBroadcast(int count) {
            for (int i = 0; i < count; i++) {
                if (i != index) {
                    mailboxes.get(i).unreserve();
                }
            }
        }

        @Override
        public Outcome commit(long op, ByteBuffer operation) {
            // The others first: what this shard says while it applies must not be known before they can know it.
            for (int i = 0; i < mailboxes.size(); i++) {
                if (i != index) {
                    ByteBuffer view = operation.duplicate().order(ByteOrder.LITTLE_ENDIAN);
                    mailboxes.get(i).put(new Parcel.Committed(op, view));
                }
            }
            return apply(op, operation);
        }

        @Override
        public void onAnswered(MetadataRequest request) {
            if (request.requesterShard() == index) {
                onDecided(request);
            } else {
                mailboxes.get(request.requesterShard()).put(new Parcel.Decided(request));
            }
        }

        @Override
        public void count(Incident incident) {
            Shard.this.count(incident);
        }

        @Override
        public void warn(String line) {
            log().warn(line);
        }

        @Override
        public void error(String line) {
            log().error(line);
        }
    }
}
