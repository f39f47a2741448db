package io.galgo.torture.campaign;

import io.galgo.torture.server.ServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/// SIGSTOP and SIGCONT while clients work, who must get all their answers and keep their connections.
final class SuspendCampaign extends WorkCampaign {
    private static final int MILLIS_MIN = 100;
    private static final int MILLIS_MAX = 60_000;
    private static final int MILLIS_MAX_SHORT = 1_500;
    private static final int STOPS_MAX = 3;

    private Duration longest = Duration.ZERO;
    private long stops;

    @Override
    public String name() {
        return "suspend";
    }

    @Override
    public String deed() {
        return "is suspended (SIGSTOP) for 0.1 to 60 seconds, and goes on";
    }

    @Override
    ServerProcess round(Trial trial, Workload workload, ServerProcess server, String when)
            throws IOException, InterruptedException {
        int millisMax = trial.isThorough() ? MILLIS_MAX : MILLIS_MAX_SHORT;
        Duration patience = PATIENCE.plusMillis((long) STOPS_MAX * millisMax);
        Shift shift = Shift.begin(workload, server, when, patience, WRITER_BYTES_MAX);
        int count = 1 + trial.random().nextInt(STOPS_MAX);
        for (int i = 0; i < count && server.isAlive(); i++) {
            pause(20 + trial.random().nextInt(200));
            long millis = draw(trial.random(), millisMax);
            server.suspend();
            long before = shift.acknowledgementCount();
            pause(millis);
            server.resume();
            stops++;
            longest = longest.toMillis() < millis ? Duration.ofMillis(millis) : longest;
            awaitService(trial, shift, before);
        }
        mustLive(workload, server, when);
        shift.finish();
        return server;
    }

    /// Short times are as interesting as long ones: evenly spread over their logarithms.
    private static long draw(Random random, int millisMax) {
        return Math.round(MILLIS_MIN * Math.pow((double) millisMax / MILLIS_MIN, random.nextDouble()));
    }

    private static void awaitService(Trial trial, Shift shift, long before) {
        long resumed = System.nanoTime();
        while (shift.acknowledgementCount() <= before) {
            if (System.nanoTime() - resumed > PATIENCE.toNanos()) {
                throw new AssertionError("no send was acknowledged for " + PATIENCE + " after the server went on");
            }
            LockSupport.parkNanos(1_000_000);
        }
        trial.recovered(Duration.ofNanos(System.nanoTime() - resumed));
    }

    @Override
    void tell(Trial trial) {
        trial.note(stops + " suspensions, the longest of " + longest.toMillis()
                + " ms; recovery is the time to the first acknowledgement");
        stops = 0;
        longest = Duration.ZERO;
    }
}
