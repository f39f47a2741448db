package io.galgo.torture.campaign;

import io.galgo.torture.server.DiskBackend;
import java.io.IOException;

/// One way to harm a server, over and over.
public interface Campaign {
    /// A word for the command line.
    String name();

    /// What is done, for people: a clause that goes on after "the server".
    String deed();

    /// Whether there is a point in it, or a way to do it, with this disk.
    default boolean fits(DiskBackend disk) {
        return true;
    }

    /// Goes on as long as the trial says. Whatever does not hold is told to the trial.
    void run(Trial trial) throws IOException, InterruptedException, SkippedException;
}
