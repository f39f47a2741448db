package io.galgo.server.password;

import io.galgo.broker.shard.Entropy;
import java.security.SecureRandom;

/// The system's source of chance. Any thread may use it.
public final class SystemEntropy implements Entropy {
    private final SecureRandom source = new SecureRandom();

    @Override
    public void fill(byte[] target) {
        source.nextBytes(target);
    }
}
