package io.galgo.simulator.client;

import io.galgo.model.CommittedMetadata;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.Permissions;
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

/// Clients of every kind and the checkers that watch them.
public final class Workload implements Cast {
    private static final String WORKER = "worker";
    private static final String WORKERS_PASSWORD = "workers password";
    private static final long DISTURBANCE_NANOS = 700_000_000;
    private static final long MILLIS = 1_000_000;

    private final World world;
    private final Checkers checkers;
    private final Stage stage;
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
        this.random = world.random(Concern.CLIENTS);
        this.founder = client(Habits.plain(), SimulatedMachine.ROOT_NAME, SimulatedMachine.ROOT_PASSWORD);
        this.auditor = new Auditor(stage, founder, checkers);
        cast(swarm);
    }

    private PublishedClient client(Habits habits, String username, String password) {
        return new PublishedClient(world, checkers, random.split(), clientsMade++, habits, username, password);
    }

    private void cast(Swarm swarm) {
        for (int i = 0; i < swarm.clients(); i++) {
            boolean isRoot = random.nextInt(3) == 0;
            Habits habits = Habits.drawn(random, swarm.inFlightMax());
            PublishedClient client = client(
                    habits,
                    isRoot ? SimulatedMachine.ROOT_NAME : WORKER,
                    isRoot ? SimulatedMachine.ROOT_PASSWORD : WORKERS_PASSWORD);
            SplittableRandom own = random.split();
            actors.add(
                    switch (i < 3 ? i : random.nextInt(8)) {
                        case 0, 3, 4 -> new Producer(stage, client, own, 1 + random.nextInt(habits.inFlightMax()));
                        case 1, 5 -> new Reader(stage, client, own);
                        case 2, 6 -> new Member(stage, client, own);
                        default ->
                            new Administrator(
                                    stage,
                                    client(habits, SimulatedMachine.ROOT_NAME, SimulatedMachine.ROOT_PASSWORD),
                                    own);
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
        founder.start();
        foundNext(requests);
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
