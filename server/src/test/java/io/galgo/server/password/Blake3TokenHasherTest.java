package io.galgo.server.password;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class Blake3TokenHasherTest {
    private final Blake3TokenHasher hasher = new Blake3TokenHasher();

    /// From the test vectors that the inventors of BLAKE3 publish, whose input counts 0, 1, .., 250, 0, 1, ..
    @Test
    void hashesAreThoseOfTheInventors() {
        assertThat(hash(0)).isEqualTo("af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
        assertThat(hash(1)).isEqualTo("2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");
        assertThat(hash(64)).isEqualTo("4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98");
        assertThat(hash(65)).isEqualTo("de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee");
    }

    @Test
    void anotherTextHasAnotherHash() {
        byte[] text = "A".repeat(68).getBytes(StandardCharsets.UTF_8);
        byte[] first = hasher.hash(text);
        text[67]++;
        assertThat(hasher.hash(text)).isNotEqualTo(first).hasSize(32);
    }

    private String hash(int length) {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++) {
            text[i] = (byte) (i % 251);
        }
        return HexFormat.of().formatHex(hasher.hash(text));
    }
}
