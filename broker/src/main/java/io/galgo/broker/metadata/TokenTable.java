package io.galgo.broker.metadata;

import io.galgo.protocol.BodyReader;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The personal access tokens, by owner and name, by hash, and by their end.
final class TokenTable {
    private final TreeMap<Integer, TreeMap<String, Token>> tokensByUser = new TreeMap<>();
    private final Map<TokenHash, Token> tokensByHash = new HashMap<>();

    /// Those that end, the next one first.
    private final TreeSet<Token> ending = new TreeSet<>(Comparator.comparingLong(TokenTable::unsignedEnd)
            .thenComparingInt(Token::userId)
            .thenComparing(Token::name));

    /// Signed numbers in the order of the unsigned ends.
    private static long unsignedEnd(Token token) {
        return token.expiryAtMicros() + Long.MIN_VALUE;
    }

    @Nullable Token token(TokenHash hash) {
        return tokensByHash.get(hash);
    }

    @Nullable Token token(int userId, String name) {
        TreeMap<String, Token> tokens = tokensByUser.get(userId);
        return tokens == null ? null : tokens.get(name);
    }

    /// A user's tokens in the order of their names.
    Collection<Token> tokens(int userId) {
        TreeMap<String, Token> tokens = tokensByUser.get(userId);
        return tokens == null ? Collections.emptyList() : Collections.unmodifiableCollection(tokens.values());
    }

    void add(Token token) {
        tokensByUser.computeIfAbsent(token.userId(), _ -> new TreeMap<>()).put(token.name(), token);
        tokensByHash.put(token.hash(), token);
        if (token.expiryAtMicros() != 0) {
            ending.add(token);
        }
    }

    void remove(Token token) {
        tokensByHash.remove(token.hash());
        ending.remove(token);
        TreeMap<String, Token> tokens = tokensByUser.get(token.userId());
        if (tokens != null) {
            tokens.remove(token.name());
            if (tokens.isEmpty()) {
                tokensByUser.remove(token.userId());
            }
        }
    }

    void removeUser(int userId) {
        TreeMap<String, Token> tokens = tokensByUser.remove(userId);
        if (tokens != null) {
            for (Token token : tokens.values()) {
                tokensByHash.remove(token.hash());
                ending.remove(token);
            }
        }
    }

    /// Whether any token is expired.
    boolean hasExpired(long nowMicros) {
        return !ending.isEmpty() && ending.first().isExpired(nowMicros);
    }

    /// Removes expired tokens, those that ended first before others.
    ///
    /// @param max how many at most
    void removeExpired(long nowMicros, int max) {
        for (int i = 0; i < max && hasExpired(nowMicros); i++) {
            remove(ending.first());
        }
    }

    /// | size | field |
    /// |---|---|
    /// | 4 | tokens, then for each, in the order of users and names: |
    /// | 4 | user id |
    /// | | name behind 8 bits of length |
    /// | 32 | hash |
    /// | 8 | when it ends, 0 for never |
    void write(ByteWriter out) {
        out.u32(tokensByHash.size());
        for (TreeMap<String, Token> tokens : tokensByUser.values()) {
            for (Token token : tokens.values()) {
                out.u32(token.userId()).name(token.name());
                out.hash(token.hash()).u64(token.expiryAtMicros());
            }
        }
    }

    /// Reads what [#write] wrote into an empty table. Fails the reader on anything else.
    void read(BodyReader in) {
        int count = in.count(4 + 2 + TokenHash.BYTES + 8);
        for (int i = 0; i < count && !in.isFailed(); i++) {
            Token token =
                    new Token(in.u32(), in.name(), new TokenHash(in.u64(), in.u64(), in.u64(), in.u64()), in.u64());
            in.require(token(token.userId(), token.name()) == null && token(token.hash()) == null);
            if (!in.isFailed()) {
                add(token);
            }
        }
    }
}
