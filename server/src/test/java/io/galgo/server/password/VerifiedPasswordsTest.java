package io.galgo.server.password;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class VerifiedPasswordsTest {
    private final VerifiedPasswords verified = new VerifiedPasswords(new SystemEntropy());

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void whatIsRememberedIsOneHashWithOnePassword() {
        verified.add("$hash$one", bytes("secret"));
        assertThat(verified.contains("$hash$one", bytes("secret"))).isTrue();
        assertThat(verified.contains("$hash$one", bytes("Secret")))
                .as("another password")
                .isFalse();
        assertThat(verified.contains("$hash$two", bytes("secret")))
                .as("the same password under another hash, as after a change to itself")
                .isFalse();
        assertThat(verified.contains("$hash$o", bytes("nesecret")))
                .as("the same bytes, divided otherwise")
                .isFalse();
    }

    @Test
    void theOneUsedLeastRecentlyIsForgottenWhenThereAreTooMany() {
        for (int i = 0; i < VerifiedPasswords.COUNT_MAX; i++) {
            verified.add("hash " + i, bytes("secret"));
        }
        assertThat(verified.contains("hash 0", bytes("secret"))).isTrue();
        verified.add("one more", bytes("secret"));
        assertThat(verified.contains("hash 0", bytes("secret")))
                .as("the one used just now")
                .isTrue();
        assertThat(verified.contains("hash 1", bytes("secret"))).isFalse();
        assertThat(verified.contains("hash 2", bytes("secret"))).isTrue();
    }
}
