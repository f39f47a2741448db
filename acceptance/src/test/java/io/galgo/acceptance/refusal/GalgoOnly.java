package io.galgo.acceptance.refusal;

import io.galgo.acceptance.harness.Target;
import org.junit.jupiter.api.Assumptions;

/// For tests of what the reference server does in another way: it is silent, or it predates the release.
final class GalgoOnly {
    private GalgoOnly() {}

    static void assume() {
        Assumptions.assumeFalse(Target.current().isReference(), "the reference server does this in a way of its own");
    }
}
