package io.galgo.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandLineTest {
    @Test
    void everyArgumentIsKnown() throws Exception {
        CommandLine line = CommandLine.parse(
                new String[] {"-f", "--with-default-root-credentials", "--replica-id", "7", "--config=x.toml"});
        assertThat(line).isEqualTo(new CommandLine(true, true, false, 7, "x.toml", false, false));
        assertThat(CommandLine.parse(new String[] {"--fresh", "-h", "-V"}))
                .isEqualTo(new CommandLine(true, false, false, -1, null, true, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--nonsense",
                "positional",
                "--replica-id",
                "--replica-id=256",
                "--replica-id=x",
                "--fresh=1",
                "-x"
            })
    void aWrongArgumentIsNamed(String argument) {
        assertThatThrownBy(() -> CommandLine.parse(new String[] {argument}))
                .isInstanceOf(CommandLine.Malformed.class)
                .hasMessageContaining(argument.startsWith("--replica") ? "--replica-id" : argument.split("=", 2)[0]);
    }
}
