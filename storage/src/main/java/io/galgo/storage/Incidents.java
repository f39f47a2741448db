package io.galgo.storage;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/// How often each [Incident] happened in the life of a process.
///
/// One for a node; any thread. They are rare, so nobody is held up by another.
public final class Incidents {
    // Complete from the beginning on, so that threads share the counters only.
    private final Map<Incident, AtomicLong> counts = new EnumMap<>(Incident.class);

    /// Nothing has happened yet.
    public Incidents() {
        for (Incident incident : Incident.values()) {
            counts.put(incident, new AtomicLong());
        }
    }

    public void count(Incident incident) {
        counter(incident).incrementAndGet();
    }

    public long countOf(Incident incident) {
        return counter(incident).get();
    }

    private AtomicLong counter(Incident incident) {
        return Objects.requireNonNull(counts.get(incident));
    }

    /// One line for each kind that happened.
    @Override
    public String toString() {
        StringBuilder lines = new StringBuilder();
        counts.forEach((incident, count) -> {
            if (count.get() > 0) {
                lines.append(String.format(Locale.ROOT, "%,12d  %s%n", count.get(), incident.text()));
            }
        });
        return lines.toString();
    }
}
