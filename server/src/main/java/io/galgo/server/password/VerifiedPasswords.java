package io.galgo.server.password;

import io.galgo.broker.shard.Entropy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Which passwords were found right lately, so that many logins of few users do not hash the same password again
/// and again.
///
/// What is remembered is a statement about a password and one hash of it, never about a user: when a password is
/// changed, the new hash has another salt and nothing that was remembered speaks of it. Whether the user still
/// exists and may log in is for the caller to ask each time.
///
/// Any thread may call.
final class VerifiedPasswords {
    // Neither password nor hash is kept, only their HMAC under a key that dies with the process. Whoever reads the
    // memory of the process gets the key with it, but such a reader sees the passwords of the next logins anyway.

    static final int COUNT_MAX = 1024;

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;

    private final SecretKeySpec key;

    /// The one used least recently is the first.
    private final LinkedHashMap<ByteBuffer, Boolean> verified = new LinkedHashMap<>();

    VerifiedPasswords(Entropy entropy) {
        byte[] random = new byte[KEY_BYTES];
        entropy.fill(random);
        key = new SecretKeySpec(random, ALGORITHM);
    }

    /// Whether the password was found to belong to the hash, and is still remembered.
    boolean contains(String phc, byte[] password) {
        ByteBuffer statement = statement(phc, password);
        synchronized (verified) {
            if (!verified.containsKey(statement)) {
                return false;
            }
            verified.putLast(statement, true);
            return true;
        }
    }

    /// Remembers that the password belongs to the hash, in place of the oldest one when there are too many.
    void add(String phc, byte[] password) {
        ByteBuffer statement = statement(phc, password);
        synchronized (verified) {
            verified.putLast(statement, true);
            if (verified.size() > COUNT_MAX) {
                verified.pollFirstEntry();
            }
        }
    }

    private ByteBuffer statement(String phc, byte[] password) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(phc.getBytes(StandardCharsets.UTF_8));
            // No PHC string holds a zero byte, so the two cannot be divided otherwise.
            mac.update((byte) 0);
            return ByteBuffer.wrap(mac.doFinal(password));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
