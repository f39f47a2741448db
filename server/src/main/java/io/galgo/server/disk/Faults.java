package io.galgo.server.disk;

import io.galgo.server.machine.Posix;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFault.Kind;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/// What an error of the operating system means to the core.
final class Faults {
    private Faults() {}

    /// @param errno a positive error number
    /// @param file where the path is on the machine
    static DiskFault ofNumber(String operation, String path, Path file, int errno) {
        Kind kind = switch (errno) {
            case Posix.ENOSPC, Posix.EDQUOT, Posix.EFBIG -> Kind.NO_SPACE;
            case Posix.ENOENT -> Kind.NOT_FOUND;
            case Posix.EMFILE, Posix.ENFILE -> Kind.TOO_MANY_FILES;
            default -> Kind.IO;
        };
        return new DiskFault(kind, operation, path, detail(kind, Posix.describe(errno), file));
    }

    /// @param file where the path is on the machine
    static DiskFault ofException(String operation, String path, Path file, IOException exception) {
        Kind kind = kindOf(exception, file);
        return new DiskFault(kind, operation, path, detail(kind, Causes.reasonOf(exception), file));
    }

    /// Whoever is to make room must know where, and how much there is.
    private static String detail(Kind kind, String cause, Path file) {
        Path folder = file.toAbsolutePath().getParent();
        return kind == Kind.NO_SPACE && folder != null
                ? cause + ", " + Causes.freeBytes(folder) + " bytes free in " + folder
                : cause;
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
        String text = Causes.reasonOf(exception).toLowerCase(Locale.ROOT);
        if (Causes.isFull(text) || text.contains("file too large")) {
            return Kind.NO_SPACE;
        }
        if (Causes.isOutOfHandles(text)) {
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
}
