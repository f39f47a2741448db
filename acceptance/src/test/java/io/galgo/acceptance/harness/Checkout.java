package io.galgo.acceptance.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The checkout under test and the folder for what its tests leave behind.
public final class Checkout {
    private Checkout() {}

    /// The folder with the launcher.
    public static Path root() {
        for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
            if (Files.isDirectory(folder.resolve("acceptance")) && Files.isRegularFile(folder.resolve("pom.xml"))) {
                return folder;
            }
        }
        throw new IllegalStateException("no checkout around " + Path.of("").toAbsolutePath());
    }

    /// `acceptance/target/acceptance/NAME`, made if missing.
    public static Path output(String name) {
        Path folder = root().resolve("acceptance/target/acceptance").resolve(name);
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
