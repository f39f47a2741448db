package io.galgo.storage.form;

import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/// Whether batches are encrypted at rest, and the key (spec semantics 19.1).
///
/// A key without encryption is possible: what was encrypted before stays readable, what comes is stored in clear.
/// The key is in no text that this makes.
public final class Encryption {
    /// No key, nothing is encrypted.
    public static final Encryption NONE = new Encryption(null, false);

    public static final int KEY_BYTES = 32;

    private final @Nullable SecretKey key;
    private final boolean isOn;

    private Encryption(@Nullable SecretKey key, boolean isOn) {
        this.key = key;
        this.isOn = isOn;
    }

    /// @param key [#KEY_BYTES] bytes, copied
    /// @param isOn whether new batches are encrypted
    public static Encryption with(byte[] key, boolean isOn) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a key of " + key.length + " bytes, " + KEY_BYTES + " are needed");
        }
        return new Encryption(new SecretKeySpec(key, "AES"), isOn);
    }

    /// Whether new batches are encrypted.
    public boolean isOn() {
        return isOn;
    }

    public @Nullable SecretKey key() {
        return key;
    }

    @Override
    public String toString() {
        return isOn ? "AES-256-GCM" : key == null ? "none" : "none for new batches";
    }
}
