package io.galgo.simulator.sabotage;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongFunction;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Puts a [Fault] into the server, and the whole server and simulator with it into a class loader of their own. The
/// classes of the build are not touched.
final class Saboteur implements AutoCloseable {
    private static final String PROBE = "io.galgo.simulator.Probe";

    private final URLClassLoader loader;
    private final LongFunction<@Nullable String> probe;

    /// @param top of the source tree
    /// @param scratch an empty directory for what is compiled
    Saboteur(Fault fault, Path top, Path scratch) throws IOException {
        Path sources = Files.createDirectories(scratch.resolve("sources"));
        Path classes = Files.createDirectories(scratch.resolve("classes"));
        Path original = top.resolve(fault.file());
        Path edited = sources.resolve(String.valueOf(original.getFileName()));
        Files.writeString(edited, fault.applyTo(Files.readString(original)));
        compile(fault, edited, classes);
        URL[] path = Stream.concat(
                        Stream.of(classes),
                        Stream.of(classPath().split(File.pathSeparator)).map(Path::of))
                .map(Saboteur::url)
                .toArray(URL[]::new);
        // Its parent knows the JDK only, so that everything else is loaded afresh, the edited classes first.
        loader = new URLClassLoader("sabotaged by " + fault.name(), path, ClassLoader.getPlatformClassLoader());
        probe = newProbe(loader);
    }

    @SuppressWarnings("unchecked") // the probe is what it is here, only from another class loader
    private static LongFunction<@Nullable String> newProbe(ClassLoader loader) {
        try {
            return (LongFunction<@Nullable String>)
                    loader.loadClass(PROBE).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the simulator cannot be loaded again", e);
        }
    }

    private static String classPath() {
        return String.join(
                File.pathSeparator,
                System.getProperty("surefire.test.class.path", ""),
                System.getProperty("java.class.path", ""));
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(path + " is no place for classes", e);
        }
    }

    private static void compile(Fault fault, Path source, Path classes) {
        ToolProvider compiler = ToolProvider.findFirst("javac")
                .orElseThrow(() -> new AssertionError("faults need a JDK, and this is a Java without a compiler"));
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        List<String> arguments =
                List.of("-nowarn", "-proc:none", "-implicit:none", "-cp", classPath(), "-d", "" + classes, "" + source);
        if (compiler.run(out, out, arguments.toArray(String[]::new)) != 0) {
            throw new AssertionError("the fault " + fault.name() + " does not compile any more: adapt it\n" + said);
        }
    }

    /// Runs one seed.
    ///
    /// @return who found out, and which promise was broken; null when every promise held
    @Nullable String run(long seed) {
        return probe.apply(seed);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
