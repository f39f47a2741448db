package io.galgo.acceptance.harness;

import io.galgo.torture.server.ServerProgram;
import io.galgo.torture.server.ServerSettings;
import java.nio.file.Path;
import java.util.List;

/// The server that is under test.
public final class Servers {
    private Servers() {}

    /// The program under test with its settings as they come, on a data directory.
    public static ServerSettings on(Path data) {
        return ServerSettings.of(program(), data);
    }

    public static ServerProgram program() {
        ServerProgram program = Target.current().isReference()
                ? reference()
                : ServerProgram.galgo(Checkout.root().resolve("galgo"), Checkout.output("logs"));
        return program.onStart(StartReport::add);
    }

    /// The reference server. Skips the test where it is not at hand.
    public static ServerProgram reference() {
        return ServerProgram.other(
                "reference",
                List.of(Tools.referenceFolder().resolve("iggy-server").toString()),
                Checkout.output("logs"));
    }
}
