package io.galgo.broker.shard;

import java.util.function.Consumer;

/// Argon2id away from the shard, on a bounded pool (spec semantics 15.3).
///
/// The queue in front of the pool is bounded. When it is full a call answers false, `done` never hears of it, and the
/// request is refused with the transient code 58.
public interface PasswordHasher {
    /// Tells whether `password` belongs to `phc`; `done` hears it on the shard's thread.
    ///
    /// @return whether the pool took it
    boolean verify(String phc, byte[] password, Consumer<Boolean> done);

    /// Makes the PHC string of a new password; `done` hears it on the shard's thread.
    ///
    /// @return whether the pool took it
    boolean hash(byte[] password, Consumer<String> done);
}
