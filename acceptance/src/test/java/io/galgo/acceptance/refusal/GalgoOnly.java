package io.galgo.acceptance.refusal;

import io.galgo.acceptance.harness.Target;
import org.junit.jupiter.api.Assumptions;

/// For tests of what the reference server does worse: mostly it is silent.
final class GalgoOnly {
    private GalgoOnly() {}

    static void assume() {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server does this in a way of its own");
    }
}
