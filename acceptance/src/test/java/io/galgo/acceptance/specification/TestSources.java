package io.galgo.acceptance.specification;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import io.galgo.acceptance.harness.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/// The tests of all modules as they stand in the sources, which tell of those that are not on the path of this
/// module too.
final class TestSources {
    private static final Set<String> MARKS = Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");
    private static final String OFF = "Disabled";

    /// @param parent the name of the class that it extends, without its package
    /// @param isRun whether there is nothing that keeps the class from being run
    private record TestClass(@Nullable String parent, boolean isRun, Set<String> tests, Set<String> switchedOff) {}

    private final Map<String, TestClass> classes = new TreeMap<>();

    private TestSources() {}

    static TestSources ofTheCheckout() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Checkout.root())) {
            for (Path tests : modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> all = Files.walk(tests)) {
                    all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
                }
            }
        }
        TestSources sources = new TestSources();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        try (StandardJavaFileManager manager =
                compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, problems, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            task.parse().forEach(sources::add);
        }
        if (!problems.getDiagnostics().isEmpty()) {
            throw new AssertionError("sources that cannot be read: " + problems.getDiagnostics());
        }
        return sources;
    }

    private void add(CompilationUnitTree unit) {
        for (Tree declared : unit.getTypeDecls()) {
            if (declared instanceof ClassTree type) {
                classes.put(unit.getPackageName() + "." + type.getSimpleName(), testClass(type));
            }
        }
    }

    private static TestClass testClass(ClassTree type) {
        Set<String> tests = new HashSet<>();
        Set<String> switchedOff = new HashSet<>();
        for (Tree member : type.getMembers()) {
            if (member instanceof MethodTree method) {
                Set<String> annotations = annotations(method.getModifiers());
                String name = method.getName().toString();
                if (annotations.contains(OFF)) {
                    switchedOff.add(name);
                } else if (annotations.stream().anyMatch(MARKS::contains)) {
                    tests.add(name);
                }
            }
        }
        // Only classes with such names are looked for when tests are run.
        boolean isRun = type.getSimpleName().toString().endsWith("Test")
                && !type.getModifiers().getFlags().contains(Modifier.ABSTRACT)
                && !annotations(type.getModifiers()).contains(OFF);
        Tree parent = type.getExtendsClause();
        return new TestClass(parent == null ? null : parent.toString(), isRun, tests, switchedOff);
    }

    private static Set<String> annotations(ModifiersTree modifiers) {
        Set<String> names = new HashSet<>();
        for (AnnotationTree annotation : modifiers.getAnnotations()) {
            names.add(annotation.getAnnotationType().toString());
        }
        return names;
    }

    /// What is wrong with the name of a test, `package.Class#method`.
    ///
    /// @return null when it is one that is run
    @Nullable String problem(String name) {
        String[] parts = name.split("#", -1);
        TestClass type = classes.get(parts[0]);
        if (parts.length != 2 || type == null) {
            return name + " names no class of a test";
        }
        if (!type.isRun) {
            return name + " is in a class that is not run";
        }
        for (TestClass declaring = type; declaring != null; declaring = parent(parts[0], declaring)) {
            if (declaring.switchedOff.contains(parts[1])) {
                return name + " is switched off";
            }
            if (declaring.tests.contains(parts[1])) {
                return null;
            }
        }
        return name + " is no test";
    }

    /// The class that one extends, looked for in the same package.
    private @Nullable TestClass parent(String name, TestClass type) {
        return type.parent == null ? null : classes.get(name.substring(0, name.lastIndexOf('.') + 1) + type.parent);
    }
}
