package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// A campaign whose rounds are: the clients of a [Workload] work, the server is harmed, everything is judged.
///
/// A directory is used for some rounds and everything ever confirmed on it is judged after each; then another one
/// is begun, so that a long campaign does not spend its time on reading.
abstract class WorkCampaign implements Campaign {
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final long WRITER_BYTES_MAX = 3 << 20;

    private static final int ROUNDS_OF_A_DIRECTORY = 20;
    private static final int ACKNOWLEDGED_MIN = 20;

    /// The settings of the servers of this campaign.
    ServerSettings settings(Trial trial, Path data) throws IOException, InterruptedException, SkippedException {
        return trial.settings(data);
    }

    /// Creates what this campaign has beside the workload, in its stream.
    void prepare(RawClient client) throws IOException {}

    /// Lets the clients work and harms the server. Returns the server to be judged, with no client on it.
    abstract ServerProcess round(Trial trial, Workload workload, ServerProcess server, String when)
            throws IOException, InterruptedException, SkippedException;

    @Override
    public final void run(Trial trial) throws IOException, InterruptedException, SkippedException {
        long commands = 0;
        boolean isNext = trial.goesOn();
        while (isNext) {
            Path data = trial.newPath("data");
            Workload workload = new Workload(trial.isGalgo(), trial.random().nextLong());
            ServerProcess server = ServerProcess.start(settings(trial, data));
            int rounds = 0;
            try {
                workload.prepare(server, this::prepare);
                do {
                    rounds++;
                    String when = "round " + trial.round();
                    server = round(trial, workload, server, when);
                    workload.judge(server, when);
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
        tell(trial);
        trial.note(commands + " commands about offsets and metadata acknowledged");
    }

    /// Notes what this campaign counts beside what all of them do.
    void tell(Trial trial) {}

    static void mustLive(Workload workload, ServerProcess server, String when) {
        if (!server.isAlive()) {
            workload.ledger().complain(when + ": the server died by itself:\n" + server.logTail());
        }
    }

    /// Notes for everything that was confirmed that the power was cut.
    static void cutPower(Workload workload) {
        for (Place place : workload.places()) {
            workload.ledger().powerCut(place, isSafe(place));
        }
        workload.offsets().powerCut(stand -> isSafe(stand.place()));
    }

    private static boolean isSafe(Place place) {
        return place.topic().equals(Workload.PERSISTED);
    }

    static void pause(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() < until) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
