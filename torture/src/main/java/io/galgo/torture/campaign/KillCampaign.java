package io.galgo.torture.campaign;

import io.galgo.torture.server.ServerProcess;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/// SIGKILL at work: at a random moment, or by the very client that was just told that its send is safe.
final class KillCampaign extends WorkCampaign {
    private static final int KILL_MILLIS_MIN = 20;
    private static final int KILL_MILLIS_MAX = 700;
    private static final int ACKNOWLEDGEMENTS_MAX = 400;
    private static final long STRIKE_NANOS = 10_000_000_000L;

    private long strikes;

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String deed() {
        return "is killed (SIGKILL) at random moments and right after acknowledgements, and started again";
    }

    @Override
    ServerProcess round(Trial trial, Workload workload, ServerProcess server, String when)
            throws IOException, InterruptedException {
        Shift shift = Shift.begin(workload, server, when, PATIENCE, WRITER_BYTES_MAX);
        if (trial.random().nextBoolean()) {
            strikes++;
            shift.killAfter(1 + trial.random().nextInt(ACKNOWLEDGEMENTS_MAX));
            long end = System.nanoTime() + STRIKE_NANOS;
            while (server.isAlive() && System.nanoTime() < end) {
                LockSupport.parkNanos(500_000);
            }
        } else {
            pause(KILL_MILLIS_MIN + trial.random().nextInt(KILL_MILLIS_MAX - KILL_MILLIS_MIN));
            mustLive(workload, server, when);
        }
        server.kill();
        shift.join();
        return trial.recovered(server.startAgain());
    }

    @Override
    void tell(Trial trial) {
        trial.note(strikes + " of the kills right after an acknowledgement");
        strikes = 0;
    }
}
