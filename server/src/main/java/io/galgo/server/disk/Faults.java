package io.galgo.server.disk;

import io.galgo.server.machine.Posix;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFault.Kind;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/// What an error of the operating system means to the core.
final class Faults {
    private Faults() {}

    /// @param errno a positive error number
    static DiskFault ofNumber(String operation, String path, int errno) {
        Kind kind = switch (errno) {
            case Posix.ENOSPC, Posix.EDQUOT, Posix.EFBIG -> Kind.NO_SPACE;
            case Posix.ENOENT -> Kind.NOT_FOUND;
            case Posix.EMFILE, Posix.ENFILE -> Kind.TOO_MANY_FILES;
            default -> Kind.IO;
        };
        return new DiskFault(kind, operation, path, Posix.describe(errno) + ", errno " + errno);
    }

    /// @param file where the path is on the machine
    static DiskFault ofException(String operation, String path, Path file, IOException exception) {
        return new DiskFault(kindOf(exception, file), operation, path, detailOf(exception));
    }

    static DiskException exceptionOf(String operation, String path, Path file, IOException exception) {
        return new DiskException(ofException(operation, path, file, exception));
    }

    // The JDK passes on what the system says, in the system's language. So a full disk that does not say so in
    // English is recognized by having no room.
    private static Kind kindOf(IOException exception, Path file) {
        if (exception instanceof NoSuchFileException) {
            return Kind.NOT_FOUND;
        }
        if (exception instanceof NotDirectoryException || exception instanceof FileAlreadyExistsException) {
            return Kind.IO;
        }
        String text = detailOf(exception).toLowerCase(Locale.ROOT);
        if (text.contains("no space left") || text.contains("quota exceeded") || text.contains("file too large")) {
            return Kind.NO_SPACE;
        }
        if (text.contains("too many open files")) {
            return Kind.TOO_MANY_FILES;
        }
        return isFull(file) ? Kind.NO_SPACE : Kind.IO;
    }

    private static boolean isFull(Path file) {
        try {
            Path known = Files.exists(file) ? file : file.getParent();
            return known != null && Files.getFileStore(known).getUsableSpace() == 0;
        } catch (IOException unknown) {
            return false;
        }
    }

    private static String detailOf(IOException exception) {
        String text = exception instanceof FileSystemException named ? named.getReason() : exception.getMessage();
        if (text == null || text.isBlank()) {
            return exception instanceof NoSuchFileException
                    ? "no such file or directory"
                    : exception.getClass().getSimpleName();
        }
        return text;
    }
}
