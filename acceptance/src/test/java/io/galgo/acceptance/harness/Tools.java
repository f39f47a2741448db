package io.galgo.acceptance.harness;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/// Programs from outside that some tests need.
public final class Tools {
    private Tools() {}

    /// Ends the test: skipped with the reason, or failed where everything is expected to be there
    /// (`GALGO_REQUIRE_TOOLS=1`).
    ///
    /// Never returns; the type lets callers write `throw Tools.missing(…)`.
    public static RuntimeException missing(String reason) {
        if ("1".equals(System.getenv("GALGO_REQUIRE_TOOLS"))) {
            return Assertions.fail(reason + " (GALGO_REQUIRE_TOOLS=1 turns this skip into a failure)");
        }
        System.out.println("skipped: " + reason);
        return Assumptions.abort(reason);
    }

    /// The folder with the reference binaries, from `GALGO_REFERENCE`.
    public static Path referenceFolder() {
        String folder = System.getenv("GALGO_REFERENCE");
        if (folder == null || folder.isBlank()) {
            // They are not part of the project, so nobody is obliged to have them.
            String reason = "GALGO_REFERENCE does not name the folder with the reference binaries";
            System.out.println("skipped: " + reason);
            throw Assumptions.<RuntimeException>abort(reason);
        }
        Path path = Path.of(folder).toAbsolutePath();
        if (!Files.isExecutable(path.resolve("iggy-bench"))) {
            throw missing("GALGO_REFERENCE=" + folder + " has no executable iggy-bench");
        }
        return path;
    }
}
