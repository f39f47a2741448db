package io.galgo.server.disk;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/// Removes files and whole directories.
public final class Removal {
    private Removal() {}

    /// Removes a file, or a directory and all below it. Links are removed, not followed; what is missing is fine.
    public static void removeAll(Path doomed) throws IOException {
        try {
            Files.walkFileTree(doomed, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failed)
                        throws IOException {
                    if (failed != null) {
                        throw failed;
                    }
                    Files.deleteIfExists(directory);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException goneAlready) {
            // Somebody else removed it, or it never was: both are what was asked for.
        }
    }
}
