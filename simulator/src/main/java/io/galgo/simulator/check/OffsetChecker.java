package io.galgo.simulator.check;

import io.galgo.model.CommittedMetadata.Place;
import io.galgo.simulator.check.Incarnations.Incarnation;
import io.galgo.simulator.world.End;
import io.galgo.simulator.world.Violation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A stored offset is a register: whoever reads it gets what was written last, or is being written; what was
/// confirmed is not undone.
///
/// What a poll stores by itself counts as written once somebody saw it, and may be forgotten until then.
public final class OffsetChecker {
    static final String PROMISE = "a stored offset is the one stored last";

    /// No offset is stored.
    public static final long NONE = -1;
    /// Nobody knows which: a poll whose answer was lost.
    private static final long ANY = -2;
    /// So long after its answer, or the loss of its connection, a request can still have an effect.
    private static final long AFTERMATH_NANOS = 30_000_000_000L;

    private static final long OPEN = Long.MAX_VALUE;

    /// @param consumer a group's path, or the consumer's number
    public record Register(Incarnation incarnation, boolean isGroup, String consumer) {}

    private static final class Write {
        final long value;
        final long begunNanos;
        long endedNanos;
        /// Whether everything before it is over once it has ended.
        boolean isFinal;
        /// Whether it is no write at all, but somebody saw the value.
        boolean isSight;

        Write(long value, long begunNanos, long endedNanos, boolean isFinal) {
            this.value = value;
            this.begunNanos = begunNanos;
            this.endedNanos = endedNanos;
            this.isFinal = isFinal;
        }
    }

    private final Map<Register, List<Write>> writes = new LinkedHashMap<>();
    private final Map<Exchange, Write> open = new LinkedHashMap<>();
    private final Set<Place> damaged = new HashSet<>();
    /// Registers with something that a power loss may have taken or brought back.
    private final Set<Register> shaky = new HashSet<>();
    private long readsCount;

    private List<Write> of(Register register) {
        return writes.computeIfAbsent(register, _ -> {
            List<Write> all = new ArrayList<>();
            all.add(new Write(NONE, Long.MIN_VALUE, Long.MIN_VALUE, false));
            if (register.incarnation.sinceNanos() > 0) {
                // What was on its way to the partition before it began anew may be stored in it.
                all.add(new Write(ANY, Long.MIN_VALUE, register.incarnation.sinceNanos() + AFTERMATH_NANOS, false));
            }
            return all;
        });
    }

    /// A store or a deletion leaves a client for the first time.
    ///
    /// @param value [#NONE] for a deletion
    public void onWriting(Exchange write, Register register, long value, long nowNanos) {
        Write begun = new Write(value, nowNanos, OPEN, false);
        of(register).add(begun);
        open.put(write, begun);
    }

    /// Whether a write is on its way, also if that is not certain any more.
    public boolean isOpen(Exchange exchange) {
        return open.containsKey(exchange);
    }

    /// It is sent again after it was lost.
    public void onRepeated(Exchange exchange) {
        Write begun = open.get(exchange);
        if (begun != null) {
            begun.endedNanos = OPEN;
        }
    }

    public void onWritten(Exchange write, long nowNanos) {
        Write begun = open.get(write);
        if (begun != null && begun.endedNanos == OPEN) {
            begun.endedNanos = nowNanos;
            begun.isFinal = true;
            open.remove(write);
        }
    }

    /// The write had no effect and will have none.
    public void onRefused(Exchange write) {
        Write begun = open.remove(write);
        if (begun != null) {
            writes.values().forEach(all -> all.remove(begun));
        }
    }

    /// A poll that stores an offset leaves a client.
    public void onPolling(Exchange poll, Register register, long nowNanos) {
        Write begun = new Write(ANY, nowNanos, OPEN, false);
        of(register).add(begun);
        open.put(poll, begun);
    }

    /// @param last the offset of the last message it returned, [#NONE] for none
    public void onPolled(Exchange poll, Register register, long last, long nowNanos) {
        onRefused(poll);
        if (last != NONE && mayRaise(register, last, poll.begunNanos)) {
            of(register).add(new Write(last, poll.begunNanos, nowNanos + AFTERMATH_NANOS, false));
        }
    }

    /// Whether an offset may have been below another one at some time from a moment on. Otherwise a poll that
    /// returned no more than the other one has changed nothing, since it never lowers an offset.
    private boolean mayRaise(Register register, long last, long nanos) {
        List<Write> all = of(register);
        for (Write write : all) {
            // NONE and ANY are less than each offset.
            if (write.value < last && !isOver(write, all, nanos)) {
                return true;
            }
        }
        return false;
    }

    /// What was asked may still happen, for a while.
    public void onLost(Exchange exchange, long nowNanos) {
        Write begun = open.get(exchange);
        if (begun != null) {
            begun.endedNanos = nowNanos + AFTERMATH_NANOS;
        }
    }

    public void onRead(Exchange read, Register register, long value, long nowNanos) {
        readsCount++;
        List<Write> all = of(register);
        boolean isLegal = damaged.contains(register.incarnation.place());
        for (Write write : all) {
            boolean isMeant = write.value == value || write.value == ANY;
            isLegal |= isMeant && write.begunNanos <= nowNanos && !isOver(write, all, read.begunNanos);
        }
        if (!isLegal) {
            throw new Violation(PROMISE, read + " gets " + value + " of " + register + ", with " + told(all));
        }
        all.removeIf(write -> isOverForGood(write, all, read.begunNanos));
        if (shaky.contains(register)) {
            return;
        }
        Write sight = new Write(value, read.begunNanos, nowNanos, true);
        sight.isSight = true;
        all.add(sight);
    }

    /// Whether a write that was confirmed has replaced it.
    private static boolean isOverForGood(Write write, List<Write> all, long nanos) {
        for (Write other : all) {
            if (!other.isSight && isReplaced(write, other, nanos)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isReplaced(Write write, Write other, long nanos) {
        return other.isFinal && other.begunNanos > write.endedNanos && other.endedNanos < nanos;
    }

    /// Whether another write has certainly replaced it before a moment.
    private static boolean isOver(Write write, List<Write> all, long nanos) {
        for (Write other : all) {
            if (isReplaced(write, other, nanos)) {
                return true;
            }
        }
        return false;
    }

    private static String told(List<Write> all) {
        StringBuilder text = new StringBuilder();
        for (Write write : all) {
            text.append(write.value == ANY ? "any" : Long.toString(write.value))
                    .append(write.isSight ? " seen (" : " (")
                    .append(write.begunNanos / 1_000_000)
                    .append(" to ")
                    .append(write.endedNanos == OPEN ? "now" : Long.toString(write.endedNanos / 1_000_000))
                    .append(write.isFinal ? " ms, confirmed) " : " ms) ");
        }
        return text.toString();
    }

    /// What was on its way has happened or will not happen; what was not on the disk is gone.
    public void onDied(End end, long nowNanos) {
        for (Write write : open.values()) {
            write.endedNanos = Math.min(write.endedNanos, nowNanos);
        }
        open.clear();
        writes.forEach((register, all) -> {
            if (end != End.STOP) {
                // What a poll stored by itself may have been seen and be gone again.
                all.removeIf(write -> write.isSight);
            }
            boolean isLost = end == End.POWER_LOSS
                    && !(register.incarnation.areOffsetsPersisted() && register.incarnation.isPersisted());
            for (Write write : all) {
                write.endedNanos = Math.min(write.endedNanos, nowNanos);
                if (isLost) {
                    write.isFinal = false;
                    write.endedNanos = nowNanos;
                }
            }
            if (isLost) {
                shaky.add(register);
                // Also what was replaced long ago may be what is found. And what is stored beyond what is left of
                // the log counts as the end of it, until the log is so long again.
                all.add(new Write(ANY, Long.MIN_VALUE, nowNanos, false));
            }
        });
    }

    /// Nothing that was stored for a partition can be relied upon any more.
    public void onDamage(Place place, long nowNanos) {
        damaged.add(place);
        writes.forEach((register, all) -> {
            if (register.incarnation.place().equals(place)) {
                all.forEach(write -> write.isFinal = false);
                all.add(new Write(ANY, Long.MIN_VALUE, nowNanos, false));
            }
        });
    }

    /// A group is gone, and its offsets with it.
    public void onGroupDeleted(String group) {
        writes.keySet().removeIf(register -> register.isGroup && register.consumer.equals(group));
    }

    public Iterable<Register> registers() {
        return List.copyOf(writes.keySet());
    }

    public long readsCount() {
        return readsCount;
    }
}
