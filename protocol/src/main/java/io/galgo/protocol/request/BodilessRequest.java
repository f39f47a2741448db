package io.galgo.protocol.request;

import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;

/// A command that its name says all of; bytes in the body are ignored (spec protocol 8).
///
/// @param command one of [#COMMANDS]
public record BodilessRequest(CommandCode command) implements Request {
    /// The commands without a body, in the order of their codes.
    public static final Set<CommandCode> COMMANDS = Set.copyOf(EnumSet.of(
            CommandCode.PING,
            CommandCode.GET_STATS,
            CommandCode.GET_CLUSTER_METADATA,
            CommandCode.GET_ME,
            CommandCode.GET_CLIENTS,
            CommandCode.GET_USERS,
            CommandCode.LOGOUT,
            CommandCode.GET_PERSONAL_ACCESS_TOKENS,
            CommandCode.GET_STREAMS));

    public BodilessRequest {
        if (!COMMANDS.contains(command)) {
            throw new IllegalArgumentException(command + " has a body");
        }
    }

    @Override
    public int encodedBytes() {
        return 0;
    }

    @Override
    public void put(ByteBuffer target) {}
}
