package io.galgo.server.snapshot;

import io.galgo.protocol.request.SnapshotType;
import io.galgo.server.logging.LogFiles;
import io.galgo.server.password.ShownPassword;
import io.galgo.storage.Incidents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the sections of a snapshot contain (spec semantics 18).
///
/// Each is read from the machine when it is written, and takes a bounded time.
final class Sections {
    private static final List<Path> LISTED = List.of(Path.of("/tmp"), Path.of("/proc"));
    private static final int LISTED_MAX = 20_000;

    private static final Path PROC_SELF = Path.of("/proc/self");
    private static final List<String> PROCESS_DETAILS = List.of("status", "limits", "io");
    private static final List<Path> MACHINE =
            List.of(Path.of("/proc/loadavg"), Path.of("/proc/meminfo"), Path.of("/proc/stat"));

    /// Names, and no arguments: those of other programs may hold their secrets.
    private static final List<String> PROCESSES =
            List.of("ps", "-eo", "user,pid,ppid,pcpu,pmem,vsz,rss,stat,start,time,comm");

    // Any byte is a character of this, and stays that byte.
    private static final Charset BYTES = StandardCharsets.ISO_8859_1;

    private final Tools tools;
    private final Path configuration;
    private final @Nullable Path logs;
    private final Incidents incidents;

    Sections(Path directory, Path configuration, @Nullable Path logs, Incidents incidents) {
        this.tools = new Tools(directory);
        this.configuration = configuration;
        this.logs = logs;
        this.incidents = incidents;
    }

    /// @throws IOException when there is nothing to tell
    void write(SnapshotType type, OutputStream target) throws IOException {
        switch (type) {
            case FILESYSTEM_OVERVIEW -> fileSystem(target);
            case PROCESS_LIST -> processes(target);
            case RESOURCE_USAGE -> resources(target);
            case TEST -> print(target, "test");
            case SERVER_LOGS -> logs(target);
            case SERVER_CONFIG -> Files.copy(configuration, target);
            case ALL -> throw new IOException("all stands for the others");
        }
    }

    private static void fileSystem(OutputStream target) throws IOException {
        for (Path directory : LISTED) {
            if (Files.isDirectory(directory)) {
                print(target, directory + ":\n");
                list(directory, target);
            }
        }
    }

    private static void list(Path directory, OutputStream target) throws IOException {
        List<String> lines = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (lines.size() == LISTED_MAX) {
                    lines.add("~ and more");
                    break;
                }
                lines.add(describe(entry));
            }
        }
        Collections.sort(lines);
        for (String line : lines) {
            print(target, line + "\n");
        }
    }

    private static String describe(Path entry) {
        String name = String.valueOf(entry.getFileName());
        try {
            BasicFileAttributes about =
                    Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            String kind = about.isDirectory() ? "directory" : about.isSymbolicLink() ? "link" : "file";
            return name + "  " + kind + "  " + about.size() + "  " + about.lastModifiedTime();
        } catch (IOException gone) {
            return name + "  gone";
        }
    }

    private void processes(OutputStream target) throws IOException {
        boolean isListed = tools.run(PROCESSES, target);
        boolean isDetailed = false;
        for (String file : PROCESS_DETAILS) {
            isDetailed |= copy(PROC_SELF.resolve(file), target);
        }
        if (!isListed && !isDetailed) {
            throw new IOException("there is neither ps nor /proc");
        }
    }

    private void resources(OutputStream target) throws IOException {
        print(target, "incidents since the start:\n" + incidents + "\n");
        if (tools.run(List.of("top", "-H", "-b", "-n", "1"), target)) {
            return;
        }
        boolean isTold = false;
        for (Path file : MACHINE) {
            isTold |= copy(file, target);
        }
        if (!isTold) {
            throw new IOException("there is neither top nor /proc");
        }
    }

    /// Also where a tool is missing, `/proc` says a lot.
    private static boolean copy(Path file, OutputStream target) throws IOException {
        if (!Files.isReadable(file)) {
            return false;
        }
        print(target, "\n" + file + ":\n");
        Files.copy(file, target);
        return true;
    }

    private void logs(OutputStream target) throws IOException {
        if (logs == null) {
            throw new IOException("log lines go to standard output only");
        }
        Path directory = logs;
        if (LogFiles.whileNamesStay(() -> copyLogs(directory, target)) == 0) {
            throw new IOException("there are no log files");
        }
    }

    /// @return how many files were copied
    private static int copyLogs(Path directory, OutputStream target) throws IOException {
        int copied = 0;
        for (Path file : LogFiles.oldestFirst(directory)) {
            try (BufferedReader lines = Files.newBufferedReader(file, BYTES)) {
                copied++;
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    target.write((ShownPassword.masked(line) + "\n").getBytes(BYTES));
                }
            } catch (NoSuchFileException _) {
                // Somebody else removed it since it was listed.
            }
        }
        return copied;
    }

    private static void print(OutputStream target, String text) throws IOException {
        target.write(text.getBytes(StandardCharsets.UTF_8));
    }
}
