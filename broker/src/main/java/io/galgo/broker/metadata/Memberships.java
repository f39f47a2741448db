package io.galgo.broker.metadata;

import io.galgo.protocol.ClientId;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Which consumer groups each client is a member of: the groups' own lists, turned around.
final class Memberships {
    private static final NavigableSet<ConsumerGroup> NONE =
            Collections.unmodifiableNavigableSet(new TreeSet<>(ConsumerGroup.BY_IDS));

    private final Map<ClientId, NavigableSet<ConsumerGroup>> groupsByClient = new HashMap<>();

    /// The groups of a client, ordered by stream, topic and id.
    NavigableSet<ConsumerGroup> of(ClientId client) {
        NavigableSet<ConsumerGroup> groups = groupsByClient.get(client);
        return groups == null ? NONE : groups;
    }

    void add(ClientId client, ConsumerGroup group) {
        groupsByClient
                .computeIfAbsent(client, _ -> new TreeSet<>(ConsumerGroup.BY_IDS))
                .add(group);
    }

    void remove(ClientId client, ConsumerGroup group) {
        @Nullable NavigableSet<ConsumerGroup> groups = groupsByClient.get(client);
        if (groups != null) {
            groups.remove(group);
            if (groups.isEmpty()) {
                groupsByClient.remove(client);
            }
        }
    }

    /// A group is gone.
    void remove(ConsumerGroup group) {
        for (ClientId client : group.clients()) {
            remove(client, group);
        }
    }

    /// A client is gone from all of its groups.
    ///
    /// @return the groups that it was in, in their order
    List<ConsumerGroup> removeAll(ClientId client) {
        NavigableSet<ConsumerGroup> groups = groupsByClient.remove(client);
        return groups == null ? List.of() : List.copyOf(groups);
    }
}
