package io.galgo.acceptance.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;

/// What a test run measured or counted, for people to read: printed, and kept in `target/acceptance/figures.txt`.
public final class Figures {
    private Figures() {}

    public static synchronized void tell(String line) {
        System.out.println(line);
        try {
            Files.writeString(
                    Checkout.output("").resolve("figures.txt"),
                    line + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
