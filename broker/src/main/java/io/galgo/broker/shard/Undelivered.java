package io.galgo.broker.shard;

import io.galgo.protocol.CommandCode;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// The commands of the protocol that this server does not carry out yet: they are answered with code 5, feature
/// unavailable. Whoever delivers one deletes its line.
final class Undelivered {
    static final Set<CommandCode> COMMANDS = Collections.unmodifiableSet(EnumSet.of(CommandCode.GET_SNAPSHOT));

    private Undelivered() {}
}
