package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Permissions;
import io.galgo.protocol.Utf8;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The users, by id and by name.
final class UserTable {
    private final Slots<User> users = new Slots<>();
    private final Map<String, User> usersByName = new HashMap<>();

    @Nullable User user(int userId) {
        return users.get(userId);
    }

    @Nullable User user(String name) {
        return usersByName.get(name);
    }

    @Nullable User user(Identifier identifier) {
        return switch (identifier) {
            case Identifier.Numeric numeric -> users.get(numeric.id());
            case Identifier.Named named -> usersByName.get(named.name());
        };
    }

    int count() {
        return users.count();
    }

    /// One more than the highest user id in use.
    int end() {
        return users.end();
    }

    /// Users are kept by id in an array, so ids must not run away.
    static final int USERS_MAX = 16_777_216;

    int lowestFreeId() {
        return users.lowestFree();
    }

    static boolean isName(String name) {
        int bytes = Utf8.bytes(name);
        return bytes >= User.NAME_BYTES_MIN && bytes <= User.NAME_BYTES_MAX;
    }

    User create(String name, String passwordPhc, boolean active, Grants grants, long createdAtMicros) {
        User user = new User(users.lowestFree(), createdAtMicros, name, passwordPhc, active, grants);
        add(user);
        return user;
    }

    void rename(User user, String name) {
        usersByName.remove(user.name());
        user.rename(name);
        usersByName.put(name, user);
    }

    void remove(User user) {
        users.remove(user.id());
        usersByName.remove(user.name());
    }

    private void add(User user) {
        users.put(user.id(), user);
        usersByName.put(user.name(), user);
    }

    /// | size | field |
    /// |---|---|
    /// | 4 | users, then for each, in the order of ids: |
    /// | 4, 8 | id, creation time |
    /// | | name behind 8 bits of length, password hash behind 32 bits of length |
    /// | 1 | whether active |
    /// | 1 | whether permissions follow, then length in 32 bits and block |
    void write(ByteWriter out) {
        out.u32(users.count());
        for (int userId = 0; userId < users.end(); userId++) {
            User user = users.get(userId);
            if (user != null) {
                out.u32(userId).u64(user.createdAtMicros()).name(user.name()).text(user.passwordPhc());
                out.flag(user.isActive()).permissions(user.permissions());
            }
        }
    }

    /// Reads what [#write] wrote into an empty table. Fails the reader on anything else.
    void read(BodyReader in) {
        int count = in.count(4 + 8 + 2 + 4 + 1 + 1);
        int lastId = -1;
        for (int i = 0; i < count && !in.isFailed(); i++) {
            User user = new User(
                    in.u32(),
                    in.u64(),
                    in.name(),
                    in.longText(),
                    in.u8() == 1,
                    Grants.of(Permissions.readOptional(in)));
            in.require(user.id() > lastId && user.id() < USERS_MAX && !usersByName.containsKey(user.name()));
            lastId = user.id();
            if (!in.isFailed()) {
                add(user);
            }
        }
    }
}
