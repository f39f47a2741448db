package io.galgo.torture.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How to start one server.
///
/// @param data its data directory
/// @param port 0 for any free one
/// @param openFilesMax `ulimit -n` of the process, 0 for that of this one
/// @param environment further variables; they beat those that are always set
/// @param arguments further arguments of the server command
public record ServerSettings(
        ServerProgram program,
        Path data,
        int port,
        DiskBackend disk,
        int openFilesMax,
        Map<String, String> environment,
        List<String> arguments) {
    /// What the launcher itself reads; whoever runs this decides about it.
    private static final Set<String> LAUNCHER_VARIABLES = Set.of("GALGO_JAVA_HOME", "GALGO_BUILD", "GALGO_JVM_OPTIONS");

    public static ServerSettings of(ServerProgram program, Path data) {
        return new ServerSettings(program, data, 0, DiskBackend.AUTOMATIC, 0, Map.of(), List.of());
    }

    public ServerSettings withProgram(ServerProgram value) {
        return new ServerSettings(value, data, port, disk, openFilesMax, environment, arguments);
    }

    public ServerSettings withData(Path value) {
        return new ServerSettings(program, value, port, disk, openFilesMax, environment, arguments);
    }

    public ServerSettings withPort(int value) {
        return new ServerSettings(program, data, value, disk, openFilesMax, environment, arguments);
    }

    public ServerSettings withDisk(DiskBackend value) {
        return new ServerSettings(program, data, port, value, openFilesMax, environment, arguments);
    }

    public ServerSettings withOpenFilesMax(int value) {
        return new ServerSettings(program, data, port, disk, value, environment, arguments);
    }

    /// No segment grows beyond so many bytes, whatever its topic says. Only Galgo can do that.
    public ServerSettings withSegmentBytesMax(long bytes) {
        return withJvmOption("-Dgalgo.test.segmentBytesMax=" + bytes);
    }

    /// One more option of the server's virtual machine. Only Galgo has one.
    public ServerSettings withJvmOption(String option) {
        String name = "GALGO_JVM_OPTIONS";
        String before = environment.getOrDefault(name, System.getenv().getOrDefault(name, ""));
        return withVariable(name, before + " " + option);
    }

    public ServerSettings withVariable(String name, String value) {
        Map<String, String> variables = new LinkedHashMap<>(environment);
        variables.put(name, value);
        return new ServerSettings(program, data, port, disk, openFilesMax, variables, arguments);
    }

    public ServerSettings withArgument(String argument) {
        List<String> more = new ArrayList<>(arguments);
        more.add(argument);
        return new ServerSettings(program, data, port, disk, openFilesMax, environment, more);
    }

    List<String> command() {
        List<String> command = new ArrayList<>();
        if (openFilesMax > 0) {
            command.addAll(List.of("sh", "-c", "ulimit -n " + openFilesMax + "; exec \"$0\" \"$@\""));
        }
        command.addAll(program.command());
        command.addAll(arguments);
        return command;
    }

    /// Makes a child's environment one of our own: whatever names a server setting in ours is dropped.
    void prepare(Map<String, String> variables) {
        variables.keySet().removeIf(name -> isServerSetting(name));
        String prefix = program.isGalgo() ? "GALGO_" : "IGGY_";
        variables.put(prefix + "ROOT_USERNAME", "iggy");
        variables.put(prefix + "ROOT_PASSWORD", "iggy");
        variables.put(prefix + "TCP_ADDRESS", "127.0.0.1:" + port);
        variables.put(prefix + "PATH", data.toString());
        if (!program.isGalgo()) {
            variables.put("IGGY_SYSTEM_PATH", data.toString());
            variables.put("IGGY_HTTP_ENABLED", "false");
            variables.put("IGGY_QUIC_ENABLED", "false");
            variables.put("IGGY_WEBSOCKET_ENABLED", "false");
        } else if (disk != DiskBackend.AUTOMATIC) {
            variables.put("GALGO_DISK", disk.setting());
        }
        variables.putAll(environment);
    }

    private static boolean isServerSetting(@Nullable String name) {
        return name != null
                && (name.startsWith("IGGY_") || name.startsWith("GALGO_"))
                && !LAUNCHER_VARIABLES.contains(name);
    }
}
