package io.galgo.storage.form;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.function.Consumer;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/// Encrypts and decrypts sections with AES-256-GCM: nonce (12 bytes), ciphertext, tag (16 bytes), without
/// additional data (spec semantics 19.1).
///
/// Reusable; one thread at a time.
public final class SectionCipher {
    // Two sections under one nonce would betray both. Drawing each nonce at random would be safe for 2^32 sections
    // of a key only (a collision then has a chance of 2^-32), which a busy node has in an hour. So only the first
    // nonce is drawn; the following ones count on from there. Nonces can then only meet when two counts overlap:
    // with k counts of 2^32 sections each the chance is below k^2 / 2^63, so 2^-32 at 2^47 sections. Nobody but us
    // cares: to those who decrypt, a nonce is twelve bytes.

    /// What a section grows by.
    public static final int OVERHEAD_BYTES = 28;

    static final int NONCE_BYTES = 12;
    static final int TAG_BYTES = 16;

    // Sections after which a nonce is drawn anew.
    private static final long SECTIONS_A_DRAW = 1L << 32;

    private final SecretKey key;
    private final Consumer<byte[]> chance;
    private final Cipher cipher;
    private final byte[] nonce = new byte[NONCE_BYTES];
    private final byte[] foundNonce = new byte[NONCE_BYTES];
    private long noncesLeft;

    /// @param chance fills an array with random bytes
    public SectionCipher(SecretKey key, Consumer<byte[]> chance) {
        this.key = key;
        this.chance = chance;
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has AES in GCM mode", e);
        }
    }

    /// Encrypts what is between position and limit of `source` and writes the section at the position of `target`,
    /// as far as its limit. Both may be views of the same memory when the plaintext begins [#NONCE_BYTES] behind
    /// the section. Positions move.
    ///
    /// @return the section's length
    public int seal(ByteBuffer source, ByteBuffer target) {
        int begin = target.position();
        countNonce();
        target.put(nonce);
        try {
            cipher.init(Cipher.ENCRYPT_MODE, key, new GCMParameterSpec(8 * TAG_BYTES, nonce));
            cipher.doFinal(source, target);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("encryption of a section with room for it cannot fail", e);
        }
        return target.position() - begin;
    }

    /// Decrypts the section between position and limit of `source` to the position of `target`. Positions move.
    ///
    /// When that fails, everything in `target` up to there may be overwritten with zeros: the platform's cipher
    /// wipes from the beginning of the memory that it was given.
    ///
    /// @return the plaintext's length, -1 when the section is not one of this key, or was changed
    public int open(ByteBuffer source, ByteBuffer target) {
        if (source.remaining() < OVERHEAD_BYTES) {
            return -1;
        }
        int begin = target.position();
        source.get(foundNonce);
        try {
            cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(8 * TAG_BYTES, foundNonce));
            cipher.doFinal(source, target);
        } catch (AEADBadTagException e) {
            return -1;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("decryption of a section with room for it cannot fail otherwise", e);
        }
        return target.position() - begin;
    }

    private void countNonce() {
        if (noncesLeft == 0) {
            chance.accept(nonce);
            noncesLeft = SECTIONS_A_DRAW;
        }
        noncesLeft--;
        for (int i = NONCE_BYTES - 1; i >= 0; i--) {
            nonce[i]++;
            if (nonce[i] != 0) {
                return;
            }
        }
    }
}
