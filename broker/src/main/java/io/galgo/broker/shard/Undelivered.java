package io.galgo.broker.shard;

import io.galgo.protocol.CommandCode;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/// The commands of the protocol that this server does not carry out yet: they are answered with code 5, feature
/// unavailable. Whoever delivers one deletes its line.
final class Undelivered {
    static final Set<CommandCode> COMMANDS = Collections.unmodifiableSet(EnumSet.of(
            CommandCode.GET_SNAPSHOT,
            CommandCode.ATTACH_CONSUMER_SESSION,
            CommandCode.GET_POLL_ROUTING,
            CommandCode.POLL_MESSAGES_ON_PRIMARY,
            CommandCode.GET_CONSUMER_OFFSET_ROUTING,
            CommandCode.DELETE_SEGMENTS,
            CommandCode.GET_CONSUMER_GROUP,
            CommandCode.GET_CONSUMER_GROUPS,
            CommandCode.CREATE_CONSUMER_GROUP,
            CommandCode.DELETE_CONSUMER_GROUP,
            CommandCode.JOIN_CONSUMER_GROUP,
            CommandCode.LEAVE_CONSUMER_GROUP,
            CommandCode.SYNC_CONSUMER_GROUP));

    private Undelivered() {}
}
