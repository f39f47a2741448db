package io.galgo.acceptance.differential;

import io.galgo.acceptance.differential.Arguments.Argument;
import java.util.List;

/// One line of a script.
sealed interface Step {
    int line();

    /// Sends a request and reads the reply.
    ///
    /// @param text the line as it stands, for failures and recordings
    /// @param arguments those of the command
    /// @param edits those that begin with `@`, without it: how the frame departs from what a client would send
    /// @param kept the fields of the reply to keep under a name: the name, then the field
    /// @param deviations where the expected reply is not the recorded one
    record Request(
            int line,
            String text,
            String connection,
            String command,
            List<Argument> arguments,
            List<Argument> edits,
            List<Argument> kept,
            List<Deviation> deviations)
            implements Step {
        Request withoutDeviations() {
            return new Request(line, text, connection, command, arguments, edits, kept, List.of());
        }
    }

    /// Closes a connection. It is made anew when its name is used again.
    record Close(int line, String connection) implements Step {}

    /// Stops the server in good order and starts it again. All connections are gone.
    record Restart(int line) implements Step {}
}
