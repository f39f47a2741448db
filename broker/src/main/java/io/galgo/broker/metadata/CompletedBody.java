package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.request.ChangePassword;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateUser;
import io.galgo.protocol.request.DeleteSegments;
import io.galgo.protocol.request.JoinConsumerGroup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/// The bodies of commands that cannot go into the log as they came: they hold a secret, or lack what only the node
/// that orders them can know.
///
/// Each begins with the same four bytes, so that a body that was not completed is noticed before it is written.
/// Little-endian.
///
/// What completes a body is not asked for when the user may not give the command: others would be kept busy with
/// it, and could tell something by their refusal. Such a body says so, and in its turn the command is refused even
/// when the user may by then, for what it needs is missing.
public final class CompletedBody {
    private static final int MARK = 0x4C_4A_47_00;
    private static final int MARK_BYTES = 4;

    /// In the place of an op, and of a count: the user was not allowed to give the command.
    private static final long NO_OP = -1;

    private static final int NO_COUNT = -1;

    private CompletedBody() {}

    /// Whether commands of this kind have a completed body.
    public static boolean isNeeded(Operation operation) {
        return switch (operation) {
            case CREATE_USER, CHANGE_PASSWORD, CREATE_PERSONAL_ACCESS_TOKEN, JOIN_CONSUMER_GROUP, DELETE_SEGMENTS ->
                true;
            default -> false;
        };
    }

    static boolean isMarked(ByteBuffer body) {
        return body.remaining() >= MARK_BYTES
                && body.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(body.position()) == MARK;
    }

    /// CreateUser with the hash in the place of the password: name, hash behind 32 bits of length, status,
    /// permissions behind a flag. Options were refused before.
    ///
    /// @param passwordPhc the Argon2id hash as a PHC string
    public static ByteBuffer createUser(CreateUser request, String passwordPhc) {
        return start().name(request.username())
                .text(passwordPhc)
                .u8(request.status())
                .permissions(request.permissions())
                .toBuffer();
    }

    /// The same for a user who may not create any: without a hash.
    public static ByteBuffer createUserNotAllowed(CreateUser request) {
        return createUser(request, "");
    }

    record NewUser(
            String name,
            String passwordPhc,
            int status,
            @Nullable Permissions permissions) {
        boolean wasAllowed() {
            return !passwordPhc.isEmpty();
        }
    }

    static @Nullable NewUser readCreateUser(BodyReader in) {
        readMark(in);
        return in.orNull(new NewUser(in.name(), in.longText(), in.u8(), Permissions.readOptional(in)));
    }

    /// ChangePassword with hashes: identifier, the hash that the current password was verified against, the new
    /// hash, both behind 32 bits of length.
    ///
    /// @param verifiedPhc the user's hash that the given current password belongs to; empty when there is none.
    ///     When the user has another one by the command's turn, the password given is not the current one any more
    /// @param newPhc the hash of the new password; may be empty when nothing was verified
    public static ByteBuffer changePassword(ChangePassword request, String verifiedPhc, String newPhc) {
        return start().identifier(request.user()).text(verifiedPhc).text(newPhc).toBuffer();
    }

    record NewPassword(Identifier user, String verifiedPhc, String newPhc) {}

    static @Nullable NewPassword readChangePassword(BodyReader in) {
        readMark(in);
        return in.orNull(new NewPassword(Identifier.read(in), in.longText(), in.longText()));
    }

    /// CreatePersonalAccessToken with the hash of the token that the reply will show: name, expiry in 64 bits, hash
    /// in 32 bytes, limit in 64 bits; before that was added, bodies ended without it, and the limit was kept by
    /// whoever wrote them. The text of the token goes nowhere but into the first reply.
    ///
    /// @param tokensMax how many tokens the user may have with this one; travels with the operation, so that every
    ///     replay decides alike whatever the configuration says then
    public static ByteBuffer createToken(CreatePersonalAccessToken request, TokenHash hash, long tokensMax) {
        return start().name(request.name())
                .u64(request.expiryMicros())
                .hash(hash)
                .u64(tokensMax)
                .toBuffer();
    }

    record NewToken(String name, long expiryMicros, TokenHash hash, long tokensMax) {}

    static @Nullable NewToken readCreateToken(BodyReader in) {
        readMark(in);
        String name = in.name();
        long expiryMicros = in.u64();
        TokenHash hash = new TokenHash(in.u64(), in.u64(), in.u64(), in.u64());
        long tokensMax = in.remaining() > 0 ? in.u64() : Long.MAX_VALUE;
        return in.orNull(new NewToken(name, expiryMicros, hash, tokensMax));
    }

    /// JoinConsumerGroup with the partitions that the group was served from beyond its stored offsets: three
    /// identifiers, a count, and so many ids, in 32 bits each.
    public static ByteBuffer joinGroup(JoinConsumerGroup request, int[] inFlight) {
        ByteWriter body = start().identifier(request.stream())
                .identifier(request.topic())
                .identifier(request.group())
                .u32(inFlight.length);
        for (int partition : inFlight) {
            body.u32(partition);
        }
        return body.toBuffer();
    }

    /// The same for a user who may not join, for whom nobody was asked: a count of all ones, and no ids.
    public static ByteBuffer joinGroupNotAllowed(JoinConsumerGroup request) {
        return start().identifier(request.stream())
                .identifier(request.topic())
                .identifier(request.group())
                .u32(NO_COUNT)
                .toBuffer();
    }

    @SuppressWarnings("ArrayRecordComponent") // read once, where it was made
    record Join(Identifier stream, Identifier topic, Identifier group, boolean wasAllowed, int[] inFlight) {}

    static @Nullable Join readJoinGroup(BodyReader in) {
        readMark(in);
        Identifier stream = Identifier.read(in);
        Identifier topic = Identifier.read(in);
        Identifier group = Identifier.read(in);
        int count = in.u32();
        if (count == NO_COUNT) {
            return in.orNull(new Join(stream, topic, group, false, new int[0]));
        }
        in.require(0 <= count && count <= in.remaining() / 4);
        int[] inFlight = new int[in.isFailed() ? 0 : count];
        for (int i = 0; i < inFlight.length; i++) {
            inFlight[i] = in.u32();
        }
        return in.orNull(new Join(stream, topic, group, true, inFlight));
    }

    /// DeleteSegments, resolved by the partition's owner: two identifiers, partition id in 32 bits, offset and op
    /// in 64.
    ///
    /// @param offset first offset to keep: the end of the segments that the request names, 0 when there is no such
    ///     partition or segment
    /// @param begun the op at which the offsets of the partition began when the owner was asked. After a purge, or
    ///     in a partition made anew, the same offset means other messages, and nothing is deleted
    public static ByteBuffer deleteSegments(DeleteSegments request, long offset, long begun) {
        return start().identifier(request.stream())
                .identifier(request.topic())
                .u32(request.partitionId())
                .u64(offset)
                .u64(begun)
                .toBuffer();
    }

    /// The same for a user who may not delete segments, for whom no owner was asked: all ones in the place of the
    /// op.
    public static ByteBuffer deleteSegmentsNotAllowed(DeleteSegments request) {
        return deleteSegments(request, 0, NO_OP);
    }

    record Truncation(Identifier stream, Identifier topic, int partition, long offset, long begun) {
        boolean wasAllowed() {
            return begun != NO_OP;
        }
    }

    static @Nullable Truncation readDeleteSegments(BodyReader in) {
        readMark(in);
        return in.orNull(new Truncation(Identifier.read(in), Identifier.read(in), in.u32(), in.u64(), in.u64()));
    }

    private static ByteWriter start() {
        return new ByteWriter(256).u32(MARK);
    }

    private static void readMark(BodyReader in) {
        in.require(in.u32() == MARK);
    }
}
