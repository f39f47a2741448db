package io.galgo.server.password;

import io.galgo.broker.shard.PasswordHasher;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/// The [PasswordHasher] of one shard: work on the shared pool, answers on the shard's thread.
public final class ShardPasswords implements PasswordHasher {
    private final Argon2Hasher hasher;
    private final Executor shard;

    /// @param shard runs the answers
    public ShardPasswords(Argon2Hasher hasher, Executor shard) {
        this.hasher = hasher;
        this.shard = shard;
    }

    @Override
    public boolean verify(String phc, byte[] password, Consumer<Boolean> done) {
        return hasher.offer(() -> {
            boolean belongs = hasher.verifyNow(phc, password);
            shard.execute(() -> done.accept(belongs));
        });
    }

    @Override
    public boolean hash(byte[] password, Consumer<String> done) {
        return hasher.offer(() -> {
            String phc = hasher.hashNow(password);
            shard.execute(() -> done.accept(phc));
        });
    }
}
