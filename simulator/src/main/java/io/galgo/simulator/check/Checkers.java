package io.galgo.simulator.check;

import io.galgo.broker.metadata.Outcome;
import io.galgo.model.CommittedMetadata;
import io.galgo.model.CommittedMetadata.Committed;
import io.galgo.model.CommittedMetadata.Place;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.SyncConsumerGroup;
import io.galgo.simulator.check.Incarnations.Incarnation;
import io.galgo.simulator.check.OffsetChecker.Register;
import io.galgo.simulator.world.DamageRecord;
import io.galgo.simulator.world.End;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Life;
import io.galgo.simulator.world.Observer;
import io.galgo.simulator.world.Phase;
import io.galgo.simulator.world.SimulatedMachine;
import io.galgo.simulator.world.Violation;
import io.galgo.simulator.world.World;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// All checkers of a run. Tells each of them what concerns it.
public final class Checkers implements Observer, History {
    /// How long an answer may take when nothing is broken.
    private static final long ANSWER_NANOS = 20_000_000_000L;

    private static final Pattern PARTITION_FILE =
            Pattern.compile("streams/(\\d+)/topics/(\\d+)/partitions/(\\d+)/(.*)");
    private static final String INDEX = ".index";
    private static final int UNREADABLE_MIN = 4000;
    private static final int UNREADABLE_MAX = 4099;

    private final World world;
    private final MetadataOracle oracle = new MetadataOracle();
    private final Incarnations incarnations = new Incarnations(oracle.metadata());
    private final MessageChecker messages = new MessageChecker();
    private final OffsetChecker offsets = new OffsetChecker();
    private final OnceChecker once = new OnceChecker();
    private final GroupChecker groups = new GroupChecker();
    private final RightsChecker rights = new RightsChecker();
    private final DeadlineChecker deadlines = new DeadlineChecker(ANSWER_NANOS);
    private final Map<Exchange, Long> generationsBefore = new HashMap<>();
    private final Set<Place> damaged = new HashSet<>();
    private final Set<ClientId> writers = new HashSet<>();
    /// Whether what clients send and get is what arrives.
    private final boolean isNetworkHonest;
    private boolean isMetadataDamaged;
    /// Whether a disk took away committed metadata that a single node cannot miss. Nothing can be judged from then
    /// on.
    private boolean isBlind;
    private int life;
    private long groupsSettledOp;
    private long groupsSettledNanos = Long.MIN_VALUE;

    public Checkers(World world, int shardsCount) {
        this.world = world;
        isNetworkHonest = !world.swarm().isOn(FaultClass.BIT_FLIP);
        oracle.onShardsCount(shardsCount);
        if (world.swarm().isOn(FaultClass.NO_SPACE) || world.swarm().isOn(FaultClass.HANDLE_LIMIT)) {
            messages.onScarcity();
        }
    }

    public CommittedMetadata metadata() {
        return oracle.metadata();
    }

    public Incarnations incarnations() {
        return incarnations;
    }

    public MessageChecker messages() {
        return messages;
    }

    /// Whether nothing can be judged any more.
    public boolean isBlind() {
        return isBlind;
    }

    /// Whether what clients send and get is what arrives. When it is not, only the node itself is judged.
    public boolean isNetworkHonest() {
        return isNetworkHonest;
    }

    public OffsetChecker offsets() {
        return offsets;
    }

    public DeadlineChecker deadlines() {
        return deadlines;
    }

    /// Whether anything of a partition was damaged, so that it may not be there at all.
    public boolean isDamaged(Place place) {
        return damaged.contains(place);
    }

    // The world

    @Override
    public void onStarted(SimulatedMachine machine, Life began) {
        life = began.number();
        if (isMetadataDamaged && oracle.isShort(began)) {
            isBlind = true;
            world.tally().count("runs not judged to the end", 1);
        }
        if (isBlind) {
            return;
        }
        messages.onStarted(life);
        oracle.onStarted(began, this::onCommitted);
        onSettled();
    }

    @Override
    public void onApplied(SimulatedMachine machine, int shard, long op, ByteBuffer operation, Outcome outcome) {
        if (isBlind) {
            return;
        }
        Committed fresh = oracle.onApplied(shard, op, operation, outcome);
        if (fresh != null) {
            onCommitted(fresh);
        }
        onSettled();
    }

    private void onCommitted(Committed committed) {
        Request request = committed.request();
        if (isNetworkHonest) {
            once.onCommitted(committed);
        }
        incarnations.onChanged(committed.op(), world.nowNanos());
        switch (request) {
            case DeleteSegments delete -> {
                int partition = delete.partitionId();
                Incarnation shrinking = incarnations.now(delete.stream(), delete.topic(), partition);
                if (shrinking != null) {
                    messages.onShrinking(shrinking);
                }
            }
            case CreatePartitions _, DeletePartitions _ -> {
                messages.onResized();
                once.onResized();
            }
            case null, default -> {}
        }
        metadata().partitions().forEach((place, partition) -> {
            if (partition.mayShrink()) {
                Incarnation shrinking = incarnations.now(place);
                if (shrinking != null) {
                    messages.onShrinking(shrinking);
                }
            }
        });
    }

    private void onSettled() {
        long everywhere = oracle.appliedEverywhere();
        incarnations.onSettled(everywhere, world.nowNanos());
        if (everywhere > groupsSettledOp) {
            groupsSettledOp = everywhere;
            groupsSettledNanos = world.nowNanos();
        }
    }

    /// Whether nothing was applied anywhere since a moment, nor is about to be.
    private boolean isQuietSince(long nanos) {
        return groupsSettledNanos < nanos
                && oracle.appliedEverywhere() == metadata().appliedOp();
    }

    @Override
    public void onDied(SimulatedMachine machine, End end) {
        messages.onDied(end, world.nowNanos());
        offsets.onDied(end, world.nowNanos());
        deadlines.onDied();
        incarnations.onSettled(Long.MAX_VALUE, world.nowNanos());
    }

    @Override
    public void onDamage(DamageRecord damage) {
        isMetadataDamaged |= damage.fault().isDamage() && damage.path().startsWith("metadata");
        Matcher path = PARTITION_FILE.matcher(damage.path());
        if (!path.matches()) {
            return;
        }
        Place place = new Place(
                Integer.parseInt(path.group(1)), Integer.parseInt(path.group(2)), Integer.parseInt(path.group(3)));
        String file = path.group(4);
        if (damage.fault().isDamage()) {
            damaged.add(place);
        }
        if (!damage.fault().isDamage()) {
            messages.onFailedWrite(place);
        } else if (file.startsWith("superblock")) {
            messages.onAmnesia(place);
            offsets.onDamage(place, world.nowNanos());
        } else if (file.startsWith("offsets")) {
            offsets.onDamage(place, world.nowNanos());
        } else if (!file.endsWith(INDEX)) {
            // An index only says where messages are. Whatever happens to it, the messages must be found.
            messages.onDamage(place);
            // What is stored beyond what is left of the log does not count until the log is so long again.
            offsets.onDamage(place, world.nowNanos());
        }
    }

    @Override
    public void onPhase(Phase phase) {
        switch (phase) {
            case WARM_UP, SAFETY -> deadlines.onBroken();
            case HEAL, QUIESCE, AUDIT -> deadlines.onHealed(world.nowNanos());
        }
    }

    @Override
    public void atQuiescence() {
        deadlines.check(world.nowNanos());
        world.tally().count("messages confirmed", messages.confirmedMessages());
        world.tally().count("messages polled", messages.polledMessages());
        world.tally().count("stored offsets read", offsets.readsCount());
        world.tally().count("metadata operations", oracle.operationsCount());
        world.tally().count("metadata replies compared", oracle.comparedReplies());
        world.tally().count("repeats compared", once.repeatsCount());
        world.tally().count("group ownerships checked", groups.checksCount());
        world.tally().count("rights checked", rights.checksCount());
        world.tally().count("rights checked of users who lack them", rights.refusalsCount());
    }

    // Clients

    @Override
    public void onTransmitted(Exchange exchange) {
        long now = world.nowNanos();
        exchange.transmissions++;
        exchange.transmittedNanos = now;
        exchange.life = life;
        if (exchange.begunNanos < 0) {
            exchange.begunNanos = now;
        }
        deadlines.onTransmitted(exchange, now);
        if (exchange.request.command().operation().isPartition()
                && writers.add(exchange.client)
                && writers.size() > world.swarm().settings().dedupClientsMax()) {
            // Repeats may be executed again, since the server cannot remember so many clients.
            messages.onForgetfulServer();
            once.onForgetfulServer();
        }
        once.onTransmitted(exchange);
        long settled = oracle.appliedEverywhere();
        boolean isSettled = isNetworkHonest && !isBlind && settled == metadata().appliedOp();
        rights.onTransmitted(
                exchange, settled, isSettled ? metadata().isAllowed(exchange.client, exchange.request) : null);
        switch (exchange.request) {
            case SendMessages send -> {
                Sending sending = exchange.sending;
                messages.onTransmitted(
                        exchange,
                        sending == null || !sending.isPinned()
                                ? null
                                : incarnations.met(send.stream(), send.topic(), sending.partition, now),
                        metadata().partitionsCount(send.stream(), send.topic()));
            }
            case StoreConsumerOffset store ->
                onWriting(
                        exchange,
                        registerNow(store.consumer(), store.stream(), store.topic(), store.partition()),
                        store.offset());
            case DeleteConsumerOffset delete ->
                onWriting(
                        exchange,
                        registerNow(delete.consumer(), delete.stream(), delete.topic(), delete.partition()),
                        OffsetChecker.NONE);
            case PollMessages poll -> onPolling(exchange, poll);
            case AwaitMessages await -> onPolling(exchange, await.poll());
            case PollMessagesOnPrimary primary -> onPolling(exchange, primary.poll());
            case SyncConsumerGroup sync -> {
                String group = metadata().group(sync.stream(), sync.topic(), sync.group());
                if (group != null) {
                    generationsBefore.put(exchange, groups.generation(group));
                }
            }
            default -> {}
        }
    }

    private void onWriting(Exchange write, @Nullable Register register, long value) {
        if (register == null) {
            return;
        }
        if (offsets.isOpen(write)) {
            offsets.onRepeated(write);
        } else {
            offsets.onWriting(write, register, value, world.nowNanos());
        }
    }

    private void onWritten(Exchange write) {
        Register met = switch (write.request) {
            case StoreConsumerOffset store ->
                register(
                        store.consumer(),
                        store.stream(),
                        store.topic(),
                        store.partition().idOrFirst(),
                        write.begunNanos);
            case DeleteConsumerOffset delete ->
                register(
                        delete.consumer(),
                        delete.stream(),
                        delete.topic(),
                        delete.partition().idOrFirst(),
                        write.begunNanos);
            default -> null;
        };
        if (met == null) {
            offsets.onLost(write, world.nowNanos());
        } else {
            offsets.onWritten(write, world.nowNanos());
        }
    }

    private void onPolling(Exchange exchange, PollMessages poll) {
        if (poll.consumer().isGroup()) {
            String group = metadata()
                    .group(poll.stream(), poll.topic(), poll.consumer().id());
            exchange.groupChanges = group == null ? -1 : metadata().changes(group);
        }
        if (poll.autoCommit()) {
            Register register = registerNow(poll.consumer(), poll.stream(), poll.topic(), poll.partition());
            if (register != null && !offsets.isOpen(exchange)) {
                offsets.onPolling(exchange, register, world.nowNanos());
            }
        }
    }

    private @Nullable Register register(
            ConsumerRef consumer, Identifier stream, Identifier topic, int partition, long begunNanos) {
        return register(consumer, stream, topic, incarnations.met(stream, topic, partition, begunNanos));
    }

    /// What a write is about that is only beginning. It may meet what was there before instead.
    private @Nullable Register registerNow(
            ConsumerRef consumer, Identifier stream, Identifier topic, OptionalPartition partition) {
        return register(consumer, stream, topic, incarnations.now(stream, topic, partition.idOrFirst()));
    }

    private @Nullable Register register(
            ConsumerRef consumer, Identifier stream, Identifier topic, @Nullable Incarnation incarnation) {
        if (incarnation == null) {
            return null;
        }
        if (!consumer.isGroup()) {
            return new Register(incarnation, false, Integer.toUnsignedString(consumer.offsetKey()));
        }
        String group = metadata().group(stream, topic, consumer.id());
        return group == null ? null : new Register(incarnation, true, group);
    }

    @Override
    public void onAnswered(Exchange exchange, Received answer) {
        deadlines.onAnswered(exchange);
        if (!isNetworkHonest || isBlind) {
            // A bit that was turned round on the way can make another request of it, or another answer.
            return;
        }
        // What got a place in the log was executed, whatever it ended with.
        boolean hasPlace = exchange.request.command().operation().isMetadata()
                && answer.op() != 0
                && answer.error() != Received.NOT_ACCEPTED;
        boolean isRefusal = !answer.isOk() && !answer.isOpen() && !hasPlace;
        if (isRefusal) {
            exchange.refusals++;
        }
        once.onAnswered(exchange, answer, life);
        oracle.onAnswered(exchange, answer);
        rights.onAnswered(exchange, answer, metadata().appliedOp());
        switch (exchange.request) {
            case SendMessages send -> onSendAnswered(exchange, send, answer, isRefusal);
            case StoreConsumerOffset _, DeleteConsumerOffset _ -> {
                if (answer.isOk()) {
                    onWritten(exchange);
                } else if (isRefusal && exchange.refusals >= exchange.transmissions) {
                    offsets.onRefused(exchange);
                }
            }
            case PollMessages poll -> onPollAnswered(exchange, poll, answer);
            case AwaitMessages await -> onPollAnswered(exchange, await.poll(), answer);
            case PollMessagesOnPrimary primary -> onPollAnswered(exchange, primary.poll(), answer);
            case GetConsumerOffset get -> onOffsetAnswered(exchange, get, answer);
            case SyncConsumerGroup sync -> onSyncAnswered(exchange, sync, answer);
            default -> {}
        }
    }

    private void onSendAnswered(Exchange exchange, SendMessages send, Received answer, boolean isRefusal) {
        if (isRefusal) {
            messages.onRefused(exchange);
            return;
        }
        if (!answer.isOk()) {
            return;
        }
        SendConfirmations told = SendConfirmations.decode(answer.body());
        if (told != null && told.confirmations().isEmpty()) {
            // It was purged as soon as it was there, so it has no place.
            Sending sending = exchange.sending;
            if (sending != null
                    && sending.isPinned()
                    && incarnations.met(send.stream(), send.topic(), sending.partition, exchange.begunNanos) != null) {
                throw new Violation(MessageChecker.PHANTOM, exchange + " is confirmed without a place");
            }
            return;
        }
        if (told == null || told.confirmations().size() != 1) {
            throw new Violation(MessageChecker.PHANTOM, exchange + " is confirmed with " + told);
        }
        var confirmation = told.confirmations().getFirst();
        Incarnation met =
                incarnations.met(send.stream(), send.topic(), confirmation.partitionId(), exchange.begunNanos);
        messages.onConfirmed(exchange, confirmation, met, world.nowNanos());
    }

    private void onPollAnswered(Exchange exchange, PollMessages poll, Received answer) {
        int partition = poll.partition().idOrFirst();
        long now = world.nowNanos();
        Incarnation met = incarnations.met(poll.stream(), poll.topic(), partition, exchange.begunNanos);
        if (!answer.isOk()) {
            if (UNREADABLE_MIN <= answer.error() && answer.error() <= UNREADABLE_MAX) {
                messages.onUnreadable(exchange, met, answer.error());
            }
            if (!answer.isOpen()) {
                offsets.onRefused(exchange);
            }
            return;
        }
        List<Polled> polled = polled(poll, answer);
        if (polled == null) {
            offsets.onLost(exchange, now);
            return;
        }
        boolean isOwned = PollHeader.partitionId(answer.body(), 0) != PollHeader.PARTITION_NOT_OWNED;
        if (!isOwned) {
            if (!polled.isEmpty()) {
                throw new Violation(GroupChecker.PROMISE, exchange + " gets messages and is told that it may not");
            }
            offsets.onRefused(exchange);
            return;
        }
        messages.onPolled(
                exchange,
                met,
                poll.count() == 0 ? PollingStrategy.NEXT : poll.strategy(),
                partition,
                PollHeader.currentOffset(answer.body(), 0),
                polled,
                exchange.begunNanos);
        if (exchange.request instanceof AwaitMessages await && polled.isEmpty() && mayJudgeWaits()) {
            messages.onWaitedInVain(exchange, met, poll.strategy(), await.waitMicrosMax(), now);
        }
        if (poll.autoCommit()) {
            Register register = register(poll.consumer(), poll.stream(), poll.topic(), partition, exchange.begunNanos);
            if (register == null) {
                offsets.onLost(exchange, now);
            } else {
                long last =
                        polled.isEmpty() ? OffsetChecker.NONE : polled.getLast().offset();
                offsets.onPolled(exchange, register, last, now);
            }
        }
        if (poll.consumer().isGroup() && !polled.isEmpty()) {
            onServed(exchange, poll, partition);
        }
    }

    /// Whether a poll that waits has nothing else to wait for than messages: no turn at a disk that stands still,
    /// and no process that does.
    private boolean mayJudgeWaits() {
        return !world.swarm().isOn(FaultClass.SLOW_DISK) && !world.swarm().isOn(FaultClass.PAUSE);
    }

    /// The messages of a poll. Null when they are damaged and the node was told not to look whether they are.
    private @Nullable List<Polled> polled(PollMessages poll, Received answer) {
        try {
            return Polled.of(answer.body());
        } catch (Violation e) {
            Place place = metadata()
                    .place(poll.stream(), poll.topic(), poll.partition().idOrFirst());
            boolean isExcused = place != null
                    && isDamaged(place)
                    && !world.swarm().settings().validateChecksum();
            if (isExcused) {
                return null;
            }
            throw e;
        }
    }

    private void onServed(Exchange exchange, PollMessages poll, int partition) {
        String group =
                metadata().group(poll.stream(), poll.topic(), poll.consumer().id());
        if (group == null || !isQuietSince(exchange.begunNanos)) {
            return;
        }
        long changes = metadata().changes(group);
        if (changes == exchange.groupChanges) {
            if (!metadata().isMember(group, exchange.client)) {
                throw new Violation(GroupChecker.PROMISE, exchange + " gets messages and is no member");
            }
            groups.onServed(group, changes, partition, exchange.client);
        }
    }

    private void onOffsetAnswered(Exchange exchange, GetConsumerOffset get, Received answer) {
        if (!answer.isOk()) {
            return;
        }
        Register register = register(
                get.consumer(), get.stream(), get.topic(), get.partition().idOrFirst(), exchange.begunNanos);
        if (register == null) {
            return;
        }
        if (!answer.body().hasRemaining()) {
            offsets.onRead(exchange, register, OffsetChecker.NONE, world.nowNanos());
            return;
        }
        StoredOffset told = StoredOffset.decode(answer.body());
        if (told == null) {
            throw new Violation(OffsetChecker.PROMISE, exchange + " gets something that cannot be decoded");
        }
        offsets.onRead(exchange, register, told.storedOffset(), world.nowNanos());
    }

    private void onSyncAnswered(Exchange exchange, SyncConsumerGroup sync, Received answer) {
        Long before = generationsBefore.remove(exchange);
        String group = metadata().group(sync.stream(), sync.topic(), sync.group());
        if (before == null || group == null || !answer.isOk() || !answer.body().hasRemaining()) {
            return;
        }
        boolean isAnother = !isQuietSince(exchange.begunNanos) && sync.group() instanceof Identifier.Named;
        GroupAssignment told = GroupAssignment.decode(answer.body());
        if (told == null) {
            throw new Violation(GroupChecker.PROMISE, exchange + " gets something that cannot be decoded");
        }
        if (!isAnother) {
            ClientId client = exchange.client;
            groups.onAssigned(group, told.generation(), told.partitionIds(), client, before);
        }
    }

    @Override
    public void onLost(Exchange exchange) {
        deadlines.onLost(exchange);
        offsets.onLost(exchange, world.nowNanos());
        rights.onLost(exchange);
        generationsBefore.remove(exchange);
    }

    @Override
    public void onTimedOut(Exchange exchange) {
        deadlines.onTimedOut(exchange, world.nowNanos());
    }
}
