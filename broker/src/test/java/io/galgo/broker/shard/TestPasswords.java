package io.galgo.broker.shard;

import io.galgo.broker.metadata.TokenHash;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// A hasher that hashes nothing: the hash of a password names it. Answers when it is told to.
final class TestPasswords implements PasswordHasher {
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private int capacity = 1_000;

    static String phc(String password) {
        return "test:" + password;
    }

    @Override
    public boolean verify(String phc, byte[] password, Consumer<Boolean> done) {
        if (waiting.size() >= capacity) {
            return false;
        }
        asked.add(phc);
        boolean isRight = phc.equals(phc(new String(password, StandardCharsets.UTF_8)));
        waiting.add(() -> done.accept(isRight));
        return true;
    }

    @Override
    public boolean hash(byte[] password, Consumer<String> done) {
        if (waiting.size() >= capacity) {
            return false;
        }
        String phc = phc(new String(password, StandardCharsets.UTF_8));
        waiting.add(() -> done.accept(phc));
        return true;
    }

    /// The hash of a token, which is as easy to guess as that of a password.
    static byte[] token(byte[] text) {
        byte[] hash = new byte[TokenHash.BYTES];
        for (int i = 0; i < text.length; i++) {
            hash[i % hash.length] = (byte) (31 * hash[i % hash.length] + text[i]);
        }
        return hash;
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
}
