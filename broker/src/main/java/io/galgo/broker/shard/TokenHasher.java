package io.galgo.broker.shard;

/// BLAKE3 over the text of a personal access token (spec semantics 17).
///
/// Cheap enough for a shard's thread: the text is long and random, so nothing has to slow down whoever guesses.
public interface TokenHasher {
    /// The 32 bytes of the hash.
    byte[] hash(byte[] text);
}
