package io.galgo.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The script `galgo`, beside a made-up source tree, with a JDK and a Maven that only pretend.
final class LauncherTest {
    private static final List<String> TOOLS = List.of(
            "bash",
            "sh",
            "awk",
            "basename",
            "cat",
            "cksum",
            "cp",
            "cut",
            "date",
            "dirname",
            "env",
            "find",
            "grep",
            "head",
            "ls",
            "mkdir",
            "mktemp",
            "mv",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "seq",
            "sleep",
            "sort",
            "stat",
            "tee",
            "tr",
            "uname",
            "wc",
            "xargs",
            "kill");

    @TempDir
    Path folder;

    private Path tree;
    private Path jdk;
    private Path tools;
    private final Map<String, String> environment = new TreeMap<>();

    /// How a run of the script ended.
    ///
    /// @param output what it printed, errors included
    private record Outcome(int code, long process, String output) {}

    @BeforeEach
    void makeTree() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "the launcher is a bash script");
        tree = Files.createDirectory(folder.resolve("tree"));
        Files.copy(checkout().resolve("galgo"), tree.resolve("galgo"), StandardCopyOption.COPY_ATTRIBUTES);
        write("tree/pom.xml", "<project/>");
        write("tree/server/src/main/java/A.java", "class A {}");
        tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : TOOLS) {
            for (String place : List.of("/usr/bin/", "/bin/")) {
                if (Files.exists(Path.of(place + tool)) && !Files.exists(tools.resolve(tool))) {
                    Files.createSymbolicLink(tools.resolve(tool), Path.of(place + tool));
                }
            }
        }
        jdk = folder.resolve("jdk-25");
        write("jdk-25/release", "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.1\"\n");
        script("jdk-25/bin/javac", "exit 0");
        script("jdk-25/bin/java", "echo \"java $$: $*\"; [ -z \"${EXIT:-}\" ] || exit \"$EXIT\"");
        environment.put("GALGO_JAVA_HOME", jdk.toString());
        environment.put("PATH", tools.toString());
        environment.put("HOME", folder.toString());
    }

    // Before the folder is cleaned up, which warns of every link that leads out of it.
    @AfterEach
    void removeLinks() throws IOException {
        for (String tool : TOOLS) {
            Files.deleteIfExists(tools.resolve(tool));
        }
    }

    private static Path checkout() {
        for (Path path = Path.of("").toAbsolutePath(); path != null; path = path.getParent()) {
            if (Files.isRegularFile(path.resolve("galgo"))) {
                return path;
            }
        }
        throw new IllegalStateException("no launcher above " + Path.of("").toAbsolutePath());
    }

    private Path write(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void script(String path, String text) throws IOException {
        Path file = write(path, "#!/bin/bash\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /// A Maven that notes its arguments and makes a jar.
    private void pretendMaven() throws IOException {
        script("tools/mvn", """
            echo "$*" >>"%1$s/maven-calls"
            mkdir -p server/target/lib && echo jar >server/target/lib/galgo-server-1.jar
            mkdir -p torture/target/lib && echo jar >torture/target/lib/galgo-torture-1.jar
            mkdir -p simulator/target/lib && echo jar >simulator/target/lib/galgo-simulator-1.jar
            echo '[INFO] Building Galgo server 0.1.0-SNAPSHOT                    [6/6]'
            echo '[INFO] BUILD SUCCESS'""".formatted(folder));
    }

    private int mavenCalls() throws IOException {
        Path calls = folder.resolve("maven-calls");
        return Files.exists(calls) ? Files.readAllLines(calls).size() : 0;
    }

    private Outcome run(String... arguments) throws Exception {
        return run(tree.resolve("galgo"), arguments);
    }

    private Outcome run(Path launcher, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(folder, "output", "");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS))
                .as("the launcher ends")
                .isTrue();
        return new Outcome(process.exitValue(), process.pid(), Files.readString(output, StandardCharsets.UTF_8));
    }

    @Test
    void itsHelpNamesEveryCommand() throws Exception {
        for (String[] arguments : new String[][] {{}, {"--help"}, {"-h"}, {"help"}}) {
            Outcome outcome = run(arguments);
            assertThat(outcome.code()).isZero();
            assertThat(outcome.output()).contains("  server ", "  test ", "  help ", "  version ");
        }
        assertThat(run("help", "test").output()).contains("mvn verify");
    }

    @Test
    void anUnknownCommandIsAnsweredWithTheNearest() throws Exception {
        assertThat(run("sevrer"))
                .satisfies(outcome -> assertThat(outcome.code()).isEqualTo(2))
                .satisfies(outcome -> assertThat(outcome.output())
                        .isEqualTo("galgo: there is no command \"sevrer\"; did you mean \"server\"?\n"));
        assertThat(run("wombat").output())
                .isEqualTo("galgo: there is no command \"wombat\"; ./galgo --help lists what there is\n");
    }

    @Test
    void helpForWhatThereIsNotIsRefused() throws Exception {
        assertThat(run("help", "bench"))
                .satisfies(outcome -> assertThat(outcome.code()).isEqualTo(2))
                .satisfies(outcome -> assertThat(outcome.output())
                        .isEqualTo(
                                "galgo: there is no help for \"bench\"; there is for: server test simulate torture\n"));
    }

    @Test
    void versionAndHelpNeedNoJdk() throws Exception {
        environment.put("GALGO_JAVA_HOME", folder.resolve("nowhere").toString());
        write("tree/pom.xml", "<project>\n    <version>1.2.3</version>\n</project>\n");
        write("tree/server/src/main/resources/io/galgo/server/configuration/usage.txt", "usage: all of it\n");
        assertThat(run("version").output()).isEqualTo("galgo 1.2.3, compatible with Iggy 0.9.0\n");
        assertThat(run("help", "server").output()).isEqualTo("usage: all of it\n");
        Files.delete(tree.resolve("pom.xml"));
        write("tree/lib/galgo-server-4.5.6.jar", "jar");
        assertThat(run("version").output()).isEqualTo("galgo 4.5.6, compatible with Iggy 0.9.0\n");
    }

    @Test
    void aFolderWithoutJavaIsNamed() throws Exception {
        environment.put("GALGO_JAVA_HOME", folder.resolve("nowhere").toString());
        assertThat(run("server"))
                .satisfies(outcome -> assertThat(outcome.code()).isEqualTo(1))
                .satisfies(outcome -> assertThat(outcome.output())
                        .isEqualTo("galgo: GALGO_JAVA_HOME=" + folder.resolve("nowhere")
                                + " holds no Java; point it to a JDK 25 or unset it.\n"));
    }

    @Test
    void anOldJavaIsNamedWithItsVersion() throws Exception {
        write("jdk-25/release", "JAVA_VERSION=\"17.0.9\"\n");
        assertThat(run("server"))
                .satisfies(outcome -> assertThat(outcome.code()).isEqualTo(1))
                .satisfies(outcome -> assertThat(outcome.output())
                        .contains("is Java 17.0.9, and a JDK 25 is needed")
                        .hasLineCount(1));
    }

    @Test
    void anOldJavaHomeIsPassedOverForTheRightOne() throws Exception {
        write("jdk-17/release", "JAVA_VERSION=\"17.0.9\"\n");
        script("jdk-17/bin/java", "echo wrong");
        environment.remove("GALGO_JAVA_HOME");
        environment.put("JAVA_HOME", folder.resolve("jdk-17").toString());
        environment.put("PATH", tools + ":" + jdk.resolve("bin"));
        pretendMaven();
        Outcome outcome = run("server");
        assertThat(outcome.output()).contains("with jdk-25").doesNotContain("wrong");
    }

    @Test
    void aMissingMavenIsOneSentenceWithTheRemedy() throws Exception {
        assertThat(run("server"))
                .satisfies(outcome -> assertThat(outcome.code()).isEqualTo(1))
                .satisfies(outcome -> assertThat(outcome.output())
                        .startsWith("galgo: Maven is needed to build and was not found; install it with: ")
                        .hasLineCount(1));
    }

    @Test
    void theFirstStartBuildsAndTheNextOnesDoNot() throws Exception {
        pretendMaven();
        Outcome first = run("server", "--fresh", "two words");
        assertThat(first.code()).isZero();
        assertThat(first.output())
                .contains("galgo: building (first use) with jdk-25")
                .contains("galgo: [6/6] Galgo server\n")
                // The very process becomes the server, so a signal to it is one to the server.
                .contains("java " + first.process() + ": ")
                .endsWith("-m io.galgo.server/io.galgo.server.Main --fresh two words\n");
        Outcome second = run("server");
        assertThat(second.output()).startsWith("java " + second.process());
        assertThat(mavenCalls()).isEqualTo(1);
    }

    @Test
    void changedAddedAndRemovedSourcesAreBuiltAgain() throws Exception {
        pretendMaven();
        run("server");
        Path source = tree.resolve("server/src/main/java/A.java");
        Files.setLastModifiedTime(source, FileTime.fromMillis(System.currentTimeMillis() + 5_000));
        assertThat(run("server").output()).contains("building (sources changed)");
        assertThat(mavenCalls()).isEqualTo(2);
        Files.setLastModifiedTime(source, FileTime.fromMillis(System.currentTimeMillis() - 5_000));
        Path added = write("tree/server/src/main/resources/b.txt", "b");
        Files.setLastModifiedTime(added, FileTime.fromMillis(System.currentTimeMillis() - 50_000));
        run("server");
        assertThat(mavenCalls()).isEqualTo(3);
        Files.delete(added);
        run("server");
        assertThat(mavenCalls()).isEqualTo(4);
        // Tests are no part of the program.
        write("tree/server/src/test/java/ATest.java", "class ATest {}");
        run("server");
        assertThat(mavenCalls()).isEqualTo(4);
    }

    @Test
    void aFailedBuildShowsItsErrorsAndIsTriedAgain() throws Exception {
        script("tools/mvn", """
            echo '[INFO] Scanning'
            echo '[ERROR] /x/A.java:[3,7] cannot find symbol'
            echo '[ERROR] For more information about the errors'
            echo '[ERROR] '
            echo '[INFO] BUILD FAILURE'
            exit 1""");
        Outcome outcome = run("server");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.output())
                .contains("galgo: the build failed:\n  /x/A.java:[3,7] cannot find symbol\n")
                .contains("build.log")
                .doesNotContain("For more information");
        pretendMaven();
        assertThat(run("server").code()).isZero();
    }

    @Test
    void whatIsBuiltIsStartedWhereBuildingIsForbidden() throws Exception {
        environment.put("GALGO_BUILD", "never");
        assertThat(run("server").output()).isEqualTo("galgo: nothing is built yet, and GALGO_BUILD=never forbids it\n");
        write("tree/server/target/lib/galgo-server-1.jar", "jar");
        assertThat(run("server").output())
                .contains("-p " + tree.resolve("server/target/lib").toRealPath() + " ");
    }

    @Test
    void theTortureHasTheServersJarsAndItsOwn() throws Exception {
        pretendMaven();
        Outcome outcome = run("torture", "--rounds", "1");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.output())
                .containsPattern("-p \\S+/torture:\\S+ -m io.galgo.torture/io.galgo.torture.Main --rounds 1");
        Files.delete(tree.resolve("pom.xml"));
        write("tree/lib/galgo-server-1.jar", "jar");
        assertThat(run("torture").output()).contains("the torture is not in ");
    }

    @Test
    void theSimulationHasTheServersJarsAndItsOwn() throws Exception {
        pretendMaven();
        Outcome outcome = run("simulate", "--seeds", "1");
        assertThat(outcome.code()).isZero();
        assertThat(outcome.output())
                .containsPattern("-p \\S+/simulator:\\S+ -m io.galgo.simulator/io.galgo.simulator.Main --seeds 1");
    }

    @Test
    void anUnpackedReleaseNeedsNoMaven() throws Exception {
        Files.delete(tree.resolve("pom.xml"));
        write("tree/lib/galgo-server-1.jar", "jar");
        environment.put("EXIT", "7");
        Outcome outcome = run("server", "-V");
        assertThat(outcome.code()).as("the server's own code").isEqualTo(7);
        assertThat(outcome.output()).contains("-p " + tree.resolve("lib").toRealPath() + " ");
        assertThat(run("test").output()).contains("the tests are in the source tree");
    }

    @Test
    void itCanBeCalledThroughALink() throws Exception {
        pretendMaven();
        Path link = Files.createSymbolicLink(folder.resolve("somewhere"), tree.resolve("galgo"));
        assertThat(run(link, "server").code()).isZero();
    }

    @Test
    void optionsForTheVirtualMachineArePassedOn() throws Exception {
        pretendMaven();
        environment.put("GALGO_JVM_OPTIONS", "-Xmx1g -Dx=y");
        assertThat(run("server").output()).contains(" -Xmx1g -Dx=y -p ");
    }

    @Test
    void theTestsEndInASummary() throws Exception {
        script("tools/mvn", """
            mkdir -p storage/target/surefire-reports broker/target/surefire-reports
            cat >storage/target/surefire-reports/TEST-a.xml <<'XML'
            <testsuite name="a.ATest" time="1.5" tests="3" errors="0" skipped="1" failures="1">
              <testcase name="one" classname="a.ATest" time="0.1"/>
              <testcase name="two" classname="a.ATest" time="0.1">
                <skipped message="no &quot;disk&quot; here"/>
              </testcase>
              <testcase name="three" classname="a.ATest" time="0.1">
                <failure message="expected 1 &lt; 2" type="E"/>
              </testcase>
            </testsuite>
            XML
            cat >broker/target/surefire-reports/TEST-b.xml <<'XML'
            <testsuite xmlns:xsi="x"
                name="b.BTest" time="0.5" tests="2" errors="0" skipped="0" failures="0">
              <testcase name="one" classname="b.BTest" time="0.1"/>
            </testsuite>
            XML
            echo '[INFO] BUILD FAILURE'
            echo '[ERROR] Failed to execute goal x: There are test failures.'
            exit 3""");
        Outcome outcome = run("test", "-pl", "storage");
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.output())
                .contains("mvn verify -pl storage")
                .containsPattern("broker +2 +0 +0 +0\\.5")
                .containsPattern("storage +2 +1 +1 +1\\.5")
                .containsPattern("all +4 +1 +1 +2\\.0")
                .contains("storage: ATest.three: expected 1 < 2")
                .contains("storage: ATest.two: no \"disk\" here")
                .contains("NOT passed");
        pretendMaven();
        assertThat(run("test"))
                .satisfies(passed -> assertThat(passed.code()).isZero())
                .satisfies(passed -> assertThat(passed.output()).contains("Everything passed"));
    }
}
