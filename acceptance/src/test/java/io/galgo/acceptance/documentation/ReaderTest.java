package io.galgo.acceptance.documentation;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.acceptance.harness.Target;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Whoever follows a document notices what is wrong with it.
class ReaderTest {
    @TempDir
    Path folder;

    @BeforeEach
    void onlyOurServer() {
        Assumptions.assumeFalse(Target.current().isReference(), "the documentation is Galgo's");
    }

    @Test
    void aDocumentThatIsRightIsFollowed() {
        assertThatCode(reading("""
                ```toml
                [tcp]
                ```
                ```sh
                cat config.toml
                echo one two three
                ```
                ```text
                [tcp]
                one … three
                ```
                """)).doesNotThrowAnyException();
    }

    @Test
    void aFailingCommandIsNoticed() {
        assertThatThrownBy(reading("""
                prose
                ```sh
                echo before
                false
                echo behind
                ```
                """))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("made-up.md:2 fails")
                .hasMessageContaining("before");
    }

    @Test
    void anotherOutputThanThePromisedOneIsNoticed() {
        assertThatThrownBy(reading("""
                ```sh
                echo one
                ```
                ```text
                two
                ```
                """))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("made-up.md:4 promises the line\ntwo");
    }

    @Test
    void aShownFailureMustBeTheOneThatHappens() {
        assertThatCode(reading("""
                ```sh
                echo a good reason; exit 3
                ```
                ```text
                a good reason
                ```
                """)).doesNotThrowAnyException();
    }

    @Test
    void aBlockThatNobodyKnowsIsNoticed() {
        assertThatThrownBy(reading("""
                ```cobol
                DISPLAY 'HELLO'.
                ```
                """))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("made-up.md:1 has the language \"cobol\"");
    }

    @Test
    void aServerThatRefusesToStartIsNoticed() {
        assertThatThrownBy(reading("""
                ```sh
                ./galgo server --no-such-flag
                ```
                """))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("made-up.md:1 fails")
                .hasMessageContaining("--no-such-flag");
    }

    @Test
    void aServerStopsWhereTheProseSaysSo() {
        assertThatCode(reading("""
                ```sh
                ./galgo server --with-default-root-credentials
                ```
                Stop it with Ctrl-C, then start it again:
                ```sh
                ./galgo server
                ```
                ```text
                listening on tcp 127.0.0.1:8090
                ```
                """)).doesNotThrowAnyException();
    }

    private ThrowingCallable reading(String markdown) {
        return () -> {
            try (Reader reader = new Reader("made-up.md", folder, _ -> false)) {
                reader.follow(markdown);
            }
        };
    }
}
