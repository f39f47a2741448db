package io.galgo.server.configuration;

import org.jspecify.annotations.Nullable;

/// A life span that may be endless or left to the server (spec config 4, `expiry`).
sealed interface Expiry {
    long SECONDS_MAX = 4_294_967_295L;

    /// It never ends.
    record Never() implements Expiry {}

    /// The server's own default.
    record ServerDefault() implements Expiry {}

    /// It ends after a time.
    record After(long nanos) implements Expiry {}

    static @Nullable Expiry parse(String text) {
        return switch (text) {
            case "none", "None", "unlimited", "Unlimited", "never_expire" -> new Never();
            case "default", "server_default", "Default", "Server_default" -> new ServerDefault();
            default -> {
                Long nanos = DurationText.parsePairs(text);
                yield nanos == null || nanos / 1_000_000_000L > SECONDS_MAX ? null : new After(nanos);
            }
        };
    }

    static String print(Expiry expiry) {
        return switch (expiry) {
            case Never _ -> "never_expire";
            case ServerDefault _ -> "server_default";
            case After(long nanos) -> DurationText.print(nanos);
        };
    }
}
