package io.galgo.acceptance.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.galgo.acceptance.harness.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The compiled classes of the product, as they lie in the modules' folders.
final class ProductClasses {
    static final List<String> MODULES = List.of("protocol", "consensus", "storage", "broker", "server");

    private ProductClasses() {}

    static JavaClasses load() {
        return new ClassFileImporter()
                .importPaths(MODULES.stream().map(ProductClasses::folder).toList());
    }

    /// How many class files there are, by module.
    static Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        for (String module : MODULES) {
            try (Stream<Path> files = Files.walk(folder(module))) {
                counts.put(
                        module,
                        files.filter(file -> file.toString().endsWith(".class"))
                                .filter(file -> !file.endsWith("module-info.class"))
                                .count());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return counts;
    }

    private static Path folder(String module) {
        return Checkout.root().resolve(module).resolve("target/classes");
    }
}
