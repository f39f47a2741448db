package io.galgo.simulator.client;

import io.galgo.model.CommittedMetadata;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.StreamPermission;
import io.galgo.protocol.TopicPermission;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.Request;
import io.galgo.simulator.check.Checkers;
import io.galgo.simulator.world.Cast;
import io.galgo.simulator.world.Concern;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.Observer;
import io.galgo.simulator.world.Phase;
import io.galgo.simulator.world.SimulatedMachine;
import io.galgo.simulator.world.Swarm;
import io.galgo.simulator.world.World;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Clients of every kind and the checkers that watch them.
public final class Workload implements Cast {
    private static final String WORKER = "worker";
    private static final String WORKERS_PASSWORD = "workers password";
    private static final Credentials ROOT = Credentials.of(SimulatedMachine.ROOT_NAME, SimulatedMachine.ROOT_PASSWORD);
    private static final long DISTURBANCE_NANOS = 700_000_000;
    private static final long MILLIS = 1_000_000;

    private final World world;
    private final Checkers checkers;
    private final Stage stage;
    private final Wallet wallet;
    private final SplittableRandom random;
    private final PublishedClient founder;
    private final Auditor auditor;
    private final List<Actor> actors = new ArrayList<>();
    private final List<Vandal> vandals = new ArrayList<>();
    private int clientsMade;
    private boolean isFounded;
    private Phase phase = Phase.WARM_UP;

    public Workload(World world) {
        Swarm swarm = world.swarm();
        this.world = world;
        this.checkers = new Checkers(world, swarm.shards());
        this.stage = new Stage(world, swarm.settings().frameBytesMax());
        this.wallet = new Wallet(world, checkers);
        this.random = world.random(Concern.CLIENTS);
        this.founder = client(Habits.plain(), ROOT);
        this.auditor = new Auditor(stage, founder, checkers);
        cast(swarm);
    }

    private PublishedClient client(Habits habits, Credentials credentials) {
        PublishedClient made = new PublishedClient(world, checkers, random.split(), clientsMade++, habits, credentials);
        made.onLogin(() -> stage.onLogin(made.id(), made.session()));
        return made;
    }

    private void cast(Swarm swarm) {
        for (int i = 0; i < swarm.clients(); i++) {
            boolean isRoot = random.nextInt(3) == 0;
            Habits habits = Habits.drawn(random, swarm.inFlightMax());
            Credentials credentials = isRoot ? ROOT : Credentials.of(WORKER, WORKERS_PASSWORD);
            SplittableRandom own = random.split();
            actors.add(
                    switch (i < 3 ? i : random.nextInt(10)) {
                        case 0, 3, 4 ->
                            new Producer(
                                    stage, client(habits, credentials), own, 1 + random.nextInt(habits.inFlightMax()));
                        case 1, 5 -> new Reader(stage, client(habits, credentials), own);
                        case 2, 6 -> new Member(stage, client(habits, credentials), own);
                        case 8, 9 -> {
                            Guest.Somebody somebody = new Guest.Somebody(random.split(), wallet);
                            yield new Guest(stage, client(habits, somebody), own, wallet, somebody);
                        }
                        default -> new Administrator(stage, client(habits, ROOT), own, wallet);
                    });
        }
        if (swarm.isOn(FaultClass.RUDE_CLIENT)) {
            for (int i = 0; i <= random.nextInt(3); i++) {
                vandals.add(new Vandal(world, random.split()));
            }
        }
    }

    @Override
    public List<Observer> observers() {
        return List.of(checkers);
    }

    @Override
    public void enter(Phase entered) {
        phase = entered;
        switch (entered) {
            case WARM_UP -> found();
            case SAFETY -> disturb();
            case HEAL -> {}
            case QUIESCE -> {
                actors.forEach(Actor::stop);
                vandals.forEach(Vandal::stop);
            }
            case AUDIT -> {
                actors.forEach(actor -> actor.client.close());
                auditor.run();
            }
        }
    }

    /// Who is not at rest, for the text of a failure.
    @Override
    public String toString() {
        return actors.stream().filter(actor -> !actor.isAtRest()).toList().toString();
    }

    @Override
    public boolean isAtRest() {
        return switch (phase) {
            case WARM_UP -> isFounded;
            case SAFETY, HEAL -> true;
            case QUIESCE -> actors.stream().allMatch(Actor::isAtRest);
            case AUDIT -> !auditor.isRunning();
        };
    }

    /// Makes what the others work with, then lets them begin.
    private void found() {
        ArrayDeque<Request> requests = new ArrayDeque<>();
        Identifier stream = Identifier.of(Stage.STREAM);
        requests.add(new CreateStream(Stage.STREAM, Options.NONE));
        for (int i = 0; i < Stage.TOPICS.length; i++) {
            Options options = CommittedMetadata.options((i & 1) == 1, i >= 2);
            requests.add(new CreateTopic(stream, Stage.PARTITIONS, Stage.TOPICS[i], options));
        }
        for (int topic = 0; topic < 2; topic++) {
            for (String group : Stage.GROUPS) {
                requests.add(new CreateConsumerGroup(stream, Identifier.of(topic), group));
            }
        }
        requests.add(new CreateUser(
                WORKER,
                WORKERS_PASSWORD,
                1,
                new Permissions(io.galgo.protocol.GlobalPermission.ALL, List.of()),
                Options.NONE));
        for (int i = 0; i < Errands.NAMES; i++) {
            requests.add(new CreateUser("user" + i, "password" + (i & 1), 1, fewRights(i), Options.NONE));
        }
        founder.start();
        foundNext(requests);
    }

    /// Everything on one topic, sends to or polls of the stream, nothing.
    private static @Nullable Permissions fewRights(int user) {
        return switch (user) {
            case 0 -> new Permissions(0, List.of(new Permissions.OnStream(0, 0, List.of(everythingOn(1)))));
            case 1 -> onStream(StreamPermission.SEND_MESSAGES);
            case 2 -> onStream(StreamPermission.POLL_MESSAGES);
            default -> null;
        };
    }

    private static Permissions.OnTopic everythingOn(int topicId) {
        int all = 0;
        for (TopicPermission permission : TopicPermission.values()) {
            all |= permission.mask();
        }
        return new Permissions.OnTopic(topicId, all);
    }

    private static Permissions onStream(StreamPermission permission) {
        return new Permissions(0, List.of(new Permissions.OnStream(0, permission.mask(), List.of())));
    }

    private void foundNext(ArrayDeque<Request> requests) {
        Request request = requests.peek();
        if (request == null) {
            isFounded = true;
            actors.forEach(Actor::start);
            vandals.forEach(Vandal::start);
            return;
        }
        founder.ask(request, ending -> {
            boolean isThere = ending.isDone()
                    || (ending.kind() == Ending.Kind.REFUSED && ending.error() > 1_000)
                    || ending.error() == 46;
            if (isThere) {
                requests.remove();
                foundNext(requests);
            } else {
                world.after(100 * MILLIS, () -> foundNext(requests));
            }
        });
    }

    /// Lets clients lose their connections, stop reading for a while, leave and come back.
    private void disturb() {
        if (phase != Phase.SAFETY) {
            return;
        }
        if (!actors.isEmpty()) {
            PublishedClient client = actors.get(random.nextInt(actors.size())).client;
            switch (random.nextInt(6)) {
                case 0 -> client.stumble();
                case 1 -> {
                    if (world.swarm().isOn(FaultClass.SLOW_READER)) {
                        client.stopReading();
                        world.tally().onFault(FaultClass.SLOW_READER);
                        world.after((1 + random.nextInt(3_000)) * MILLIS, client::resumeReading);
                    }
                }
                case 2 -> {
                    client.leave();
                    world.after((1 + random.nextInt(3_000)) * MILLIS, client::start);
                }
                default -> {}
            }
        }
        world.after((long) (-Math.log(1 - random.nextDouble()) * DISTURBANCE_NANOS) + 1, this::disturb);
    }
}
