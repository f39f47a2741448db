package io.galgo.broker.shard;

import io.galgo.broker.metadata.TokenHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A hasher that takes no time, with a salt as the real one. Answers when it is told to.
final class TestPasswords implements PasswordHasher {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private int capacity = 1_000;
    private int hashesMade;

    /// A hash of a password, for one who needs no salt.
    static String phc(String password) {
        return phc(password.getBytes(StandardCharsets.UTF_8), 0);
    }

    private static String phc(byte[] password, int salt) {
        return "test:" + salt + ":" + TokenHash.of(token(password));
    }

    /// The hash of a token, which is as easy to guess as that of a password.
    static byte[] token(byte[] text) {
        byte[] hash = new byte[TokenHash.BYTES];
        for (int i = 0; i < text.length; i++) {
            int at = i % hash.length;
            hash[at] = (byte) (31 * hash[at] + text[i] + 1);
        }
        return hash;
    }

    @Override
    public boolean verify(String phc, byte[] password, Consumer<Boolean> done) {
        if (waiting.size() >= capacity) {
            return false;
        }
        asked.add(phc);
        String[] parts = phc.split(":", 3);
        boolean isRight = parts[0].equals("test") && phc.equals(phc(password, Integer.parseInt(parts[1])));
        waiting.add(() -> done.accept(isRight));
        return true;
    }

    @Override
    public boolean hash(byte[] password, Consumer<String> done) {
        if (waiting.size() >= capacity) {
            return false;
        }
        hashesMade++;
        String phc = phc(password, hashesMade);
        waiting.add(() -> done.accept(phc));
        return true;
    }

    /// Answers the oldest question; false when there is none.
    boolean runNext() {
        Runnable next = waiting.poll();
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    /// The process that asked is dead.
    void forget() {
        waiting.clear();
    }

    /// How many questions may wait from now on.
    void capacity(int count) {
        capacity = count;
    }

    /// The hashes that passwords were compared with.
    List<String> asked() {
        return asked;
    }

    /// How many passwords were hashed to be kept.
    int hashesMade() {
        return hashesMade;
    }
}
