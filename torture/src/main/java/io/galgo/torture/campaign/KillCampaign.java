package io.galgo.torture.campaign;

import io.galgo.torture.server.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// SIGKILL at work: at a random moment, or by the very client that was just told that its send is safe.
///
/// A directory is used for some rounds and everything ever confirmed on it is judged after each; then another one
/// is begun, so that a long campaign does not spend its time on reading.
final class KillCampaign implements Campaign {
    private static final int ROUNDS_OF_A_DIRECTORY = 20;
    private static final int KILL_MILLIS_MIN = 20;
    private static final int KILL_MILLIS_MAX = 700;
    private static final int ACKNOWLEDGEMENTS_MAX = 400;
    private static final long STRIKE_NANOS = 3_000_000_000L;
    private static final long WRITER_BYTES_MAX = 6 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int ACKNOWLEDGED_MIN = 20;

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String deed() {
        return "is killed (SIGKILL) at random moments and right after acknowledgements, and started again";
    }

    @Override
    public void run(Trial trial) throws IOException, InterruptedException {
        long commands = 0;
        long strikes = 0;
        boolean isNext = trial.goesOn();
        while (isNext) {
            Path data = trial.newPath("data");
            Workload workload = new Workload(trial.isGalgo(), trial.random().nextLong());
            ServerProcess server = ServerProcess.start(trial.settings(data));
            int rounds = 0;
            try {
                workload.prepare(server);
                do {
                    rounds++;
                    boolean isStruck = trial.random().nextBoolean();
                    strikes += isStruck ? 1 : 0;
                    work(trial, workload, server, isStruck);
                    server = trial.recovered(server.startAgain());
                    workload.judge(server, "round " + trial.round());
                    isNext = workload.ledger().violations().isEmpty() && trial.goesOn();
                } while (isNext && rounds < ROUNDS_OF_A_DIRECTORY);
            } finally {
                server.close();
                if (workload.ledger().tally().acknowledged() < (long) rounds * ACKNOWLEDGED_MIN) {
                    workload.ledger().complain("too little was acknowledged to prove anything");
                }
                trial.close(workload.ledger());
            }
            commands +=
                    workload.offsets().acknowledgedCount() + workload.catalog().acknowledgedCount();
            trial.discard(data);
        }
        trial.note(strikes + " of the kills right after an acknowledgement");
        trial.note(commands + " commands about offsets and metadata acknowledged");
    }

    private static void work(Trial trial, Workload workload, ServerProcess server, boolean isStruck)
            throws InterruptedException {
        String when = "round " + trial.round();
        Shift shift = Shift.begin(workload, server, when, PATIENCE, WRITER_BYTES_MAX);
        if (isStruck) {
            shift.killAfter(1 + trial.random().nextInt(ACKNOWLEDGEMENTS_MAX));
            long end = System.nanoTime() + STRIKE_NANOS;
            while (server.isAlive() && System.nanoTime() < end) {
                LockSupport.parkNanos(500_000);
            }
        } else {
            pause(KILL_MILLIS_MIN + trial.random().nextInt(KILL_MILLIS_MAX - KILL_MILLIS_MIN));
            if (!server.isAlive()) {
                workload.ledger().complain(when + ": the server died by itself:\n" + server.logTail());
            }
        }
        server.kill();
        shift.join();
    }

    static void pause(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
