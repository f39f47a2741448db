package io.galgo.broker.metadata;

/// Why a login was let in, so that its turn in the log sees whether that still holds: the password may have been
/// changed since it was found right, the token deleted, and the user id given to another user.
public sealed interface Admission {
    /// The user whose credentials were right, told from a later one with the same id.
    long userCreatedAtMicros();

    /// @param phcChecksum of the stored hash that the password was found right for. No two hashes are the same, for
    ///     salt
    record ByPassword(long userCreatedAtMicros, long phcChecksum) implements Admission {}

    record ByToken(long userCreatedAtMicros, TokenHash hash) implements Admission {}

    static Admission byPassword(User user) {
        return new ByPassword(user.createdAtMicros(), AdmissionRecord.checksum(user));
    }

    static Admission byToken(User owner, TokenHash hash) {
        return new ByToken(owner.createdAtMicros(), hash);
    }
}
