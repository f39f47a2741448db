package io.galgo.torture.campaign;

import io.galgo.torture.server.Commands;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Servers that are started on the directory of one that runs, and two that race for a directory that is free.
final class TwoServersCampaign extends WorkCampaign {
    private long refusals;
    private long races;

    @Override
    public String name() {
        return "two-servers";
    }

    @Override
    public String deed() {
        return "gets rivals on its data directory, which have to give way at once";
    }

    @Override
    ServerProcess round(Trial trial, Workload workload, ServerProcess server, String when)
            throws IOException, InterruptedException {
        ServerSettings rival = server.settings().withPort(0);
        Shift shift = Shift.begin(workload, server, when, PATIENCE, WRITER_BYTES_MAX);
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Commands.Outcome>> outcomes = new ArrayList<>();
            outcomes.add(executor.submit(() -> ServerProcess.startRefused(rival)));
            outcomes.add(executor.submit(() -> ServerProcess.startRefused(rival.withArgument("--fresh"))));
            for (Future<Commands.Outcome> outcome : outcomes) {
                refusals++;
                complainUnless(isClear(outcome.get(), server), workload, when + ": " + outcome.get());
            }
        } catch (ExecutionException e) {
            workload.ledger().complain(when + ": " + e.getCause());
        }
        mustLive(workload, server, when);
        shift.finish();
        workload.judge(server, when + " beside its rivals");
        server.kill();
        return race(trial, workload, server.settings(), when);
    }

    private static boolean isClear(Commands.Outcome outcome, ServerProcess server) {
        String last = outcome.output().strip().lines().reduce("", (_, line) -> line);
        return outcome.exitCode() != 0 && last.contains("in use by process " + server.pid());
    }

    private static void complainUnless(boolean holds, Workload workload, String text) {
        if (!holds) {
            workload.ledger().complain(text + ": the rival did not refuse with one clear sentence");
        }
    }

    /// The one before was killed, so the directory is free for exactly one of two.
    private ServerProcess race(Trial trial, Workload workload, ServerSettings settings, String when)
            throws InterruptedException {
        races++;
        List<ServerProcess> winners = new ArrayList<>();
        List<String> losers = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<ServerProcess>> starts = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                // The port is told by a file in the directory they race for, so each is given its own.
                int port = freePort();
                starts.add(executor.submit(() -> ServerProcess.start(settings.withPort(port))));
            }
            for (Future<ServerProcess> start : starts) {
                try {
                    winners.add(start.get());
                } catch (ExecutionException e) {
                    losers.add(String.valueOf(e.getCause()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (winners.size() == 1) {
            return trial.recovered(winners.getFirst());
        }
        winners.forEach(ServerProcess::kill);
        workload.ledger()
                .complain(
                        when + ": of two servers that raced for a directory " + winners.size() + " got it: " + losers);
        throw new AssertionError("the race for the directory had " + winners.size() + " winners");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Override
    void tell(Trial trial) {
        trial.note(refusals + " rivals turned away, " + races + " races for a free directory");
        refusals = 0;
        races = 0;
    }
}
