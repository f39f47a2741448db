package io.galgo.acceptance.harness;

import java.util.Locale;

/// The server that the tests run against: system property `galgo.acceptance.server`.
public enum Target {
    /// `./galgo server` of this checkout.
    GALGO,
    /// The reference server, to learn whether a test is right. Tests of what Galgo does better fail there or skip.
    REFERENCE;

    public static Target current() {
        return valueOf(
                System.getProperty("galgo.acceptance.server", "galgo").trim().toUpperCase(Locale.ROOT));
    }

    public boolean isReference() {
        return this == REFERENCE;
    }
}
