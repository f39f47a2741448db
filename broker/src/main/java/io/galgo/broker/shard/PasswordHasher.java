package io.galgo.broker.shard;

import java.util.function.Consumer;

/// Argon2id away from the shard, on a bounded pool (spec semantics 15.3).
public interface PasswordHasher {
    /// Tells whether `password` belongs to `phc`; `done` hears it on the shard's thread.
    void verify(String phc, byte[] password, Consumer<Boolean> done);

    /// Makes the PHC string of a new password; `done` hears it on the shard's thread.
    void hash(byte[] password, Consumer<String> done);
}
