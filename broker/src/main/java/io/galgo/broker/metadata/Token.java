package io.galgo.broker.metadata;

/// One personal access token.
///
/// @param userId its owner
/// @param name unique among the owner's
/// @param expiryAtMicros when it ends, 0 for never
public record Token(int userId, String name, TokenHash hash, long expiryAtMicros) {
    /// Whether it opens nothing any more.
    public boolean isExpired(long nowMicros) {
        return expiryAtMicros != 0 && Long.compareUnsigned(expiryAtMicros, nowMicros) <= 0;
    }
}
