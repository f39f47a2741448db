package io.galgo.simulator.world;

import java.util.List;

/// Those who take part in a run beside the machines: clients, and checkers that watch.
///
/// Made anew for each run. Nothing has started when it is made.
public interface Cast {
    /// Who watches. Asked once, before the first machine starts.
    List<Observer> observers();

    /// A phase begins. Clients start in [Phase#WARM_UP].
    void enter(Phase phase);

    /// Whether everything that the current phase asks for is done. The world waits for it in [Phase#QUIESCE] and
    /// [Phase#AUDIT]; if it takes too long although nothing is broken any more, that is a violation.
    boolean isAtRest();
}
