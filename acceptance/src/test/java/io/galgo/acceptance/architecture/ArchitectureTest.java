package io.galgo.acceptance.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.invoke.VarHandle;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/// The architecture rules of the product, and a look at whether each rule can fail.
class ArchitectureTest {
    private static final JavaClasses PRODUCT = ProductClasses.load();
    private static final String[] CORE = {
        "io.galgo.protocol..", "io.galgo.consensus..", "io.galgo.storage..", "io.galgo.broker.."
    };
    private static final String[] PATH_OF_A_REQUEST = {
        "io.galgo.consensus..",
        "io.galgo.storage..",
        "io.galgo.broker.shard..",
        "io.galgo.broker.session..",
        "io.galgo.broker.partition..",
        "io.galgo.broker.mailbox.."
    };

    private static final DescribedPredicate<JavaClass> TIME = resideInAPackage("java.time..")
            .or(assignableTo(java.util.Date.class))
            .or(assignableTo(java.util.Calendar.class))
            .as("time");
    private static final DescribedPredicate<JavaClass> THREADS = assignableTo(Thread.class)
            .or(assignableTo(Executor.class))
            .or(assignableTo(Lock.class))
            .or(assignableTo(ThreadLocal.class))
            .or(assignableTo(java.util.Timer.class))
            .or(assignableTo(java.util.concurrent.Future.class))
            .as("threads, executors, locks and futures");
    private static final DescribedPredicate<JavaClass> CHANCE = assignableTo(RandomGenerator.class)
            .or(assignableTo(ThreadLocalRandom.class))
            .or(assignableTo(UUID.class))
            .as("chance");
    private static final DescribedPredicate<JavaClass> THE_WORLD = resideInAnyPackage(
                    "java.net..", "java.nio.file..", "java.nio.channels..", "javax.net..", "io.netty..", "org.slf4j..")
            .or(simpleName("File").and(resideInAPackage("java.io")))
            .as("sockets, files and logging");
    private static final DescribedPredicate<JavaCall<?>> CLOCK = call("java.lang.System", "currentTimeMillis")
            .or(call("java.lang.System", "nanoTime"))
            .or(call("java.lang.Math", "random"))
            .or(call("java.lang.Object", "wait"))
            .as("the clock, Math.random or Object.wait");

    private static final ArchRule THE_CORE_KNOWS_NO_TIME =
            noClasses().that().resideInAnyPackage(CORE).should().dependOnClassesThat(TIME);
    private static final ArchRule THE_CORE_KNOWS_NO_CLOCK =
            noClasses().that().resideInAnyPackage(CORE).should().callCodeUnitWhere(CLOCK);
    // The mailbox is where two shards' threads meet.
    private static final ArchRule THE_CORE_KNOWS_NO_THREADS = noClasses()
            .that(not(belongTo(simpleName("Mailbox"))))
            .and()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat(THREADS);
    // The disk in memory is a fake for tests and simulation: its caller gives it the seed.
    private static final ArchRule THE_CORE_KNOWS_NO_CHANCE = noClasses()
            .that(not(belongTo(simpleName("MemoryDisk"))))
            .and()
            .resideInAnyPackage(CORE)
            .should()
            .dependOnClassesThat(CHANCE);
    private static final ArchRule THE_CORE_KNOWS_NO_WORLD =
            noClasses().that().resideInAnyPackage(CORE).should().dependOnClassesThat(THE_WORLD);
    private static final ArchRule REQUESTS_PASS_NO_STREAMS_OR_FUTURES = noClasses()
            .that()
            .resideInAnyPackage(PATH_OF_A_REQUEST)
            .should()
            .dependOnClassesThat(resideInAPackage("java.util.stream..").or(assignableTo(CompletableFuture.class)));
    private static final ArchRule ONLY_THE_SHELL_KNOWS_NETTY = noClasses()
            .that()
            .resideOutsideOfPackage("io.galgo.server..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.netty..");
    private static final ArchRule ONLY_THE_MAILBOX_HAS_VAR_HANDLES = noClasses()
            .that(not(belongTo(simpleName("Mailbox"))))
            .should()
            .dependOnClassesThat(assignableTo(VarHandle.class));
    private static final ArchRule NOBODY_USES_UNSAFE =
            noClasses().should().dependOnClassesThat().resideInAnyPackage("sun.misc..", "jdk.internal..");
    private static final ArchRule PACKAGES_FORM_NO_CYCLES =
            slices().matching("io.galgo.(**)").should().beFreeOfCycles();

    @Test
    void everyClassOfEveryModuleWasImported() {
        var counts = ProductClasses.counts();
        assertThat(counts).hasSameSizeAs(ProductClasses.MODULES);
        counts.forEach((module, count) ->
                assertThat(count).as("classes of module %s", module).isPositive());
        assertThat((long) PRODUCT.size())
                .as("imported classes, of %s", counts)
                .isEqualTo(counts.values().stream().mapToLong(Long::longValue).sum());
    }

    @Test
    void modulesUseOnlyWhatTheyMay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInAnyPackage("io.galgo..")
                .layer("protocol")
                .definedBy("io.galgo.protocol..")
                .layer("consensus")
                .definedBy("io.galgo.consensus..")
                .layer("storage")
                .definedBy("io.galgo.storage..")
                .layer("broker")
                .definedBy("io.galgo.broker..")
                .layer("server")
                .definedBy("io.galgo.server..")
                .whereLayer("protocol")
                .mayNotAccessAnyLayer()
                .whereLayer("consensus")
                .mayOnlyAccessLayers("protocol")
                .whereLayer("storage")
                .mayOnlyAccessLayers("protocol")
                .whereLayer("broker")
                .mayOnlyAccessLayers("protocol", "consensus", "storage")
                .whereLayer("server")
                .mayNotBeAccessedByAnyLayer()
                .ensureAllClassesAreContainedInArchitecture()
                .check(PRODUCT);
    }

    @Test
    void theCoreKnowsNoTimeThreadsChanceOrWorld() {
        THE_CORE_KNOWS_NO_TIME.check(PRODUCT);
        THE_CORE_KNOWS_NO_CLOCK.check(PRODUCT);
        THE_CORE_KNOWS_NO_THREADS.check(PRODUCT);
        THE_CORE_KNOWS_NO_CHANCE.check(PRODUCT);
        THE_CORE_KNOWS_NO_WORLD.check(PRODUCT);
    }

    @Test
    void requestsPassNoStreamsOrFutures() {
        REQUESTS_PASS_NO_STREAMS_OR_FUTURES.check(PRODUCT);
    }

    @Test
    void onlyTheShellKnowsNetty() {
        ONLY_THE_SHELL_KNOWS_NETTY.check(PRODUCT);
    }

    @Test
    void onlyTheMailboxHasVarHandles() {
        ONLY_THE_MAILBOX_HAS_VAR_HANDLES.check(PRODUCT);
    }

    @Test
    void nobodyUsesUnsafe() {
        NOBODY_USES_UNSAFE.check(PRODUCT);
    }

    @Test
    void packagesFormNoCycles() {
        PACKAGES_FORM_NO_CYCLES.check(PRODUCT);
    }

    @Test
    void theProtocolIsBuiltForJava17() {
        classes()
                .that()
                .resideInAPackage("io.galgo.protocol..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.galgo.protocol..", "java..", "com.dynatrace.hash4j..", "org.jspecify..")
                .check(PRODUCT);
    }

    @Test
    void theRulesSeeABreach() {
        JavaClasses guilty = new ClassFileImporter().importClasses(Guilty.class);
        assertBreach(noClasses().should().dependOnClassesThat(TIME), guilty);
        assertBreach(noClasses().should().callCodeUnitWhere(CLOCK), guilty);
        assertBreach(noClasses().should().dependOnClassesThat(THREADS), guilty);
        assertBreach(noClasses().should().dependOnClassesThat(CHANCE), guilty);
        assertBreach(noClasses().should().dependOnClassesThat(THE_WORLD), guilty);
        assertBreach(ONLY_THE_MAILBOX_HAS_VAR_HANDLES, guilty);
    }

    private static void assertBreach(ArchRule rule, JavaClasses guilty) {
        assertThatThrownBy(() -> rule.check(guilty))
                .as(rule.getDescription())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Guilty");
    }

    private static DescribedPredicate<JavaCall<?>> call(String owner, String method) {
        return DescribedPredicate.describe(
                owner + "." + method,
                call -> call.getTargetOwner().getName().equals(owner)
                        && name(method).test(call.getTarget()));
    }

    /// Breaks every rule that is checked here.
    @SuppressWarnings({"unused", "JavaDurationGetSecondsToToSeconds"})
    private static final class Guilty {
        private final Random random = new Random(1);
        private final Thread thread = Thread.ofVirtual().unstarted(() -> {});

        long now(VarHandle handle, java.nio.file.Path path) {
            handle.setVolatile(this, 1L);
            return System.nanoTime() + java.time.Duration.ofSeconds(1).toSeconds() + random.nextInt();
        }
    }
}
