package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Checksum;
import io.galgo.protocol.EvictionReason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// An [Admission] as it lies in the log.
///
/// | size | field |
/// |---|---|
/// | 8 | the user's creation time; older bodies end here |
/// | 1 | 1 by password, 2 by token |
/// | 8 or 32 | XXH3-64 of the password hash, or the token's hash |
final class AdmissionRecord {
    private static final int BY_PASSWORD = 1;
    private static final int BY_TOKEN = 2;

    private AdmissionRecord() {}

    static long checksum(User user) {
        ByteBuffer phc = ByteBuffer.wrap(user.passwordPhc().getBytes(StandardCharsets.UTF_8));
        return Checksum.xxh3(phc, 0, phc.remaining());
    }

    static void write(Admission admission, ByteWriter out) {
        out.u64(admission.userCreatedAtMicros());
        switch (admission) {
            case Admission.ByPassword password -> out.u8(BY_PASSWORD).u64(password.phcChecksum());
            case Admission.ByToken token -> out.u8(BY_TOKEN).hash(token.hash());
        }
    }

    /// Why a user is not let in now, read from what [#write] wrote; null when all is as it was.
    ///
    /// Whether a password that was right belongs to one who may not log in is told to nobody.
    static @Nullable EvictionReason refusal(BodyReader in, User user, TokenTable tokens, long nowMicros) {
        if (in.u64() != user.createdAtMicros()) {
            return EvictionReason.SESSION_ERROR;
        }
        if (in.remaining() == 0) {
            return user.isActive() ? null : EvictionReason.USER_INACTIVE;
        }
        return switch (in.u8()) {
            case BY_PASSWORD ->
                in.u64() == checksum(user) && user.isActive() ? null : EvictionReason.INVALID_CREDENTIALS;
            case BY_TOKEN -> {
                Token token = tokens.token(new TokenHash(in.u64(), in.u64(), in.u64(), in.u64()));
                if (token == null || token.userId() != user.id() || token.isExpired(nowMicros)) {
                    yield EvictionReason.INVALID_TOKEN;
                }
                yield user.isActive() ? null : EvictionReason.USER_INACTIVE;
            }
            default -> EvictionReason.SESSION_ERROR;
        };
    }
}
