package io.galgo.server.password;

import io.galgo.broker.shard.TokenHasher;
import org.bouncycastle.crypto.digests.Blake3Digest;

/// BLAKE3 with its usual 32 bytes. Keeps nothing; any thread may use it.
public final class Blake3TokenHasher implements TokenHasher {
    private static final int HASH_BYTES = 32;

    @Override
    public byte[] hash(byte[] text) {
        Blake3Digest digest = new Blake3Digest(8 * HASH_BYTES);
        digest.update(text, 0, text.length);
        byte[] hash = new byte[HASH_BYTES];
        digest.doFinal(hash, 0);
        return hash;
    }
}
