package io.galgo.simulator.world;

import io.galgo.broker.metadata.Outcome;
import io.galgo.storage.Incident;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/// The world of one run: time, machines, the network between them and the clients, and those who watch.
///
/// Confined to one thread.
public final class Universe implements World {
    static final String STARTED_FROM_SNAPSHOT = "a start began with a metadata snapshot";
    static final String STARTED_PARTLY = "a start could not open every partition";
    static final String DIED_RECOVERING = "a process died while it recovered";
    static final String DIED_INSIDE = "a process died inside a call of the disk";
    static final String WAITED_FOR_MEMORY = "a frame waited for memory";
    static final String REFUSED_WITHOUT_MEMORY = "a frame was refused for want of memory";
    static final String CLOSED_UNMOVING = "a connection that did not move was closed";
    static final String CLOSED_INVALID = "a connection was closed for what it sent";
    static final String LOST_NAMES = "a power loss met names that were not synced";
    private static final List<String> MARKS = List.of(
            STARTED_FROM_SNAPSHOT,
            STARTED_PARTLY,
            DIED_RECOVERING,
            DIED_INSIDE,
            WAITED_FOR_MEMORY,
            REFUSED_WITHOUT_MEMORY,
            CLOSED_UNMOVING,
            CLOSED_INVALID,
            LOST_NAMES);
    /// Needs files of a later version of the server, which nothing here writes.
    private static final Incident OUT_OF_REACH = Incident.PARTITION_REFUSED;
    private static final int TRACE_LINES_MAX = 200;

    private final Swarm swarm;
    private final Digest digest = new Digest();
    private final Map<Concern, SplittableRandom> chances = new EnumMap<>(Concern.class);
    private final Schedule schedule;
    private final Marks marks = new Marks();
    private final Tally tally = new Tally();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final List<SimulatedMachine> machines = new ArrayList<>();
    private final Network network;
    private final Injector injector;
    private List<Observer> observers = List.of();
    private Phase phase = Phase.WARM_UP;

    public Universe(Swarm swarm) {
        this.swarm = swarm;
        SplittableRandom seeds = new SplittableRandom(swarm.seed());
        for (Concern concern : Concern.values()) {
            chances.put(concern, seeds.split());
        }
        this.schedule = new Schedule(random(Concern.SCHEDULE).split(), digest);
        this.network = new Network(this);
        machines.add(new SimulatedMachine(this, 0));
        this.injector = new Injector(this);
        for (Incident incident : EnumSet.complementOf(EnumSet.of(OUT_OF_REACH))) {
            marks.declare(incident.text());
        }
        for (CrashPoint point : CrashPoint.values()) {
            marks.declare(point.mark());
        }
        MARKS.forEach(marks::declare);
    }

    /// A time drawn exponentially, cut off at twenty times its mean.
    static long exponential(SplittableRandom random, long mean) {
        return (long) Math.min(20.0 * mean, -mean * Math.log(1 - random.nextDouble()));
    }

    // ---- as clients and checkers see it

    @Override
    public long nowNanos() {
        return schedule.nowNanos();
    }

    @Override
    public void after(long nanos, Runnable event) {
        schedule.after(nanos, event);
    }

    @Override
    @SuppressWarnings("NullAway") // every concern has one
    public SplittableRandom random(Concern concern) {
        return chances.get(concern);
    }

    @Override
    public Channel connect(Endpoint endpoint) {
        return network.connect(machines.getFirst(), endpoint);
    }

    @Override
    public void say(String line) {
        digest.add(line);
        if (trace.size() == TRACE_LINES_MAX) {
            trace.remove();
        }
        trace.add(String.format(Locale.ROOT, "%12.6f %s", nowNanos() / 1e9, line));
    }

    @Override
    public Marks marks() {
        return marks;
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public Swarm swarm() {
        return swarm;
    }

    @Override
    public Phase phase() {
        return phase;
    }

    @Override
    public List<SimulatedMachine> machines() {
        return machines;
    }

    // ---- as a run drives it

    /// Switches everything on, watched by these.
    public void begin(List<Observer> watching) {
        observers = watching;
        for (SimulatedMachine machine : machines) {
            machine.startLater(0);
        }
    }

    public void enter(Phase next) {
        phase = next;
        say("phase " + next);
        switch (next) {
            case SAFETY -> injector.begin();
            case HEAL -> injector.heal();
            case WARM_UP, QUIESCE, AUDIT -> {}
        }
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).onPhase(next);
        }
    }

    /// Lets the next event happen.
    public void step() {
        if (!schedule.runNext()) {
            throw new Violation("something always goes on", "there is no further event");
        }
        tally.onEvent();
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).afterEvent();
        }
    }

    public void tellQuiescence() {
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).atQuiescence();
        }
    }

    /// Whether every machine serves.
    public boolean isUp() {
        for (SimulatedMachine machine : machines) {
            if (!machine.isUp() || machine.isPaused()) {
                return false;
            }
        }
        return true;
    }

    /// Whether damage keeps a machine from ever serving again.
    public boolean isHopeless() {
        for (SimulatedMachine machine : machines) {
            if (machine.isHopeless()) {
                return true;
            }
        }
        return false;
    }

    /// Ends each process in a way and starts it again, or not.
    public void restart(End how, boolean again) {
        for (SimulatedMachine machine : machines) {
            machine.end(how, again);
        }
    }

    /// Whether no machine runs a process.
    public boolean isDown() {
        for (SimulatedMachine machine : machines) {
            if (machine.processOrNull() != null) {
                return false;
            }
        }
        return true;
    }

    public long digestValue() {
        return digest.value();
    }

    public long eventsRan() {
        return schedule.ran();
    }

    public List<String> trace() {
        return List.copyOf(trace);
    }

    // ---- as the parts of the world see it

    Digest digest() {
        return digest;
    }

    Schedule schedule() {
        return schedule;
    }

    Network network() {
        return network;
    }

    void onStarted(SimulatedMachine machine, Life life) {
        say("machine " + machine.id() + " serves in life " + life.number() + ", op " + life.recoveredOp()
                + (life.memoryWasLost() ? ", after a power loss" : ""));
        if (life.snapshotOp() > 0) {
            marks.hit(STARTED_FROM_SNAPSHOT);
        }
        if (!life.isFullyRecovered()) {
            marks.hit(STARTED_PARTLY);
        }
        network.sweepFrom(machine.process());
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).onStarted(machine, life);
        }
    }

    void onRefusedStart(SimulatedMachine machine, String reason) {
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).onRefusedStart(machine, reason);
        }
    }

    void onDied(SimulatedMachine machine, End end) {
        say("machine " + machine.id() + " ends by " + end);
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).onDied(machine, end);
        }
    }

    void onApplied(SimulatedMachine machine, int shard, long op, ByteBuffer operation, Outcome outcome) {
        digest.add(op);
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).onApplied(machine, shard, op, operation, outcome);
        }
    }

    void onDamage(DamageRecord damage) {
        for (int i = 0; i < observers.size(); i++) {
            observers.get(i).onDamage(damage);
        }
    }

    /// A fault happens now.
    void onFault(FaultClass fault, String where) {
        tally.onFault(fault);
        say("fault " + fault + ": " + where);
    }
}
