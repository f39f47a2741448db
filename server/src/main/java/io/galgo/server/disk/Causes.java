package io.galgo.server.disk;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;

/// Why something could not be done with a file, for people: what is the matter with which file, and what helps.
public final class Causes {
    private Causes() {}

    /// A clause without a full stop, such as `its file system is full (0 bytes free); …`.
    ///
    /// @param path what was to be used
    public static String of(Path path, IOException failed) {
        Path named = failed instanceof FileSystemException known && known.getFile() != null
                ? Path.of(known.getFile()).toAbsolutePath()
                : path.toAbsolutePath();
        if (failed instanceof FileAlreadyExistsException || failed instanceof NotDirectoryException) {
            return named + " is a file, and a directory is needed; move it away, or choose another place";
        }
        String text = reasonOf(failed);
        String wording = text.toLowerCase(Locale.ROOT);
        if (failed instanceof AccessDeniedException || wording.contains("permission denied")) {
            return "the user " + System.getProperty("user.name") + " has no right to write " + named
                    + "; give it the right, or choose another place";
        }
        if (failed instanceof NoSuchFileException) {
            return named + " is not there";
        }
        if (wording.contains("not a directory")) {
            return "a part of " + named
                    + " is a file, and a directory is needed; move it away, or choose another place";
        }
        if (wording.contains("read-only")) {
            return "the file system of " + named + " is read-only; make it writable, or choose another place";
        }
        if (isFull(wording)) {
            return "the file system of " + named + " is full (" + freeBytes(named)
                    + " bytes free); make room, or choose another place";
        }
        if (isOutOfHandles(wording)) {
            return "this process has as many files open as it may; raise the limit (ulimit -n)";
        }
        return named + ": " + text;
    }

    /// Whether the system says in lower case that there is no room.
    static boolean isFull(String wording) {
        return wording.contains("no space left") || wording.contains("quota exceeded");
    }

    /// Whether it says that there is no handle.
    static boolean isOutOfHandles(String wording) {
        return wording.contains("too many open files");
    }

    /// Bytes that a user may still write where a path is or would be; -1 when that cannot be told.
    static long freeBytes(Path path) {
        try {
            Path known = path.toAbsolutePath();
            while (known != null && !Files.exists(known)) {
                known = known.getParent();
            }
            return known == null ? -1 : Files.getFileStore(known).getUsableSpace();
        } catch (IOException unknown) {
            return -1;
        }
    }

    static String reasonOf(IOException failed) {
        String text = failed instanceof FileSystemException named ? named.getReason() : failed.getMessage();
        if (text != null && !text.isBlank()) {
            return text;
        }
        return failed instanceof NoSuchFileException
                ? "no such file or directory"
                : failed.getClass().getSimpleName();
    }
}
