package io.galgo.simulator.client;

import java.util.SplittableRandom;

/// A program that uses a client: it does one thing after the other until it is told to stop.
abstract class Actor {
    private static final long MILLIS = 1_000_000;

    final Stage stage;
    final PublishedClient client;
    final SplittableRandom random;
    private final long pauseNanosMean;
    private boolean isStopped;

    Actor(Stage stage, PublishedClient client, SplittableRandom random) {
        this.stage = stage;
        this.client = client;
        this.random = random;
        this.pauseNanosMean = (long) (MILLIS * Math.pow(10, 3 * random.nextDouble()));
    }

    void start() {
        client.start();
        pause();
    }

    /// Finishes what was begun and begins nothing.
    void stop() {
        isStopped = true;
    }

    boolean isStopped() {
        return isStopped;
    }

    boolean isAtRest() {
        return isStopped && client.waitingCount() == 0;
    }

    /// Does the next thing and calls [#pause] when it is done.
    abstract void act();

    /// Goes on after a while.
    final void pause() {
        double chance = 1 - random.nextDouble();
        stage.world().after((long) (-Math.log(chance) * pauseNanosMean) + 1, () -> {
            if (!isStopped) {
                act();
            }
        });
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " with " + client;
    }
}
