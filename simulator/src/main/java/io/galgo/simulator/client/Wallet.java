package io.galgo.simulator.client;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.reply.TokenSecret;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.simulator.check.Checkers;
import io.galgo.simulator.world.FaultClass;
import io.galgo.simulator.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// The personal access tokens whose text somebody was told, whether they still let anybody in or not.
final class Wallet {
    private static final int TOKENS_MAX = 40;
    private static final int RECENT = 6;

    /// A token as it was made.
    ///
    /// @param op that made it
    /// @param expiredMicros wall time of the machine from which on it has expired, 0 for never
    record Token(String text, int userId, String name, long op, long expiredMicros) {}

    private final World world;
    private final Checkers checkers;
    private final List<Token> tokens = new ArrayList<>();

    Wallet(World world, Checkers checkers) {
        this.world = world;
        this.checkers = checkers;
    }

    void onCreated(ClientId client, CreatePersonalAccessToken create, Ending ending) {
        int userId = checkers.metadata().userId(client);
        TokenSecret secret = ending.isDone() && checkers.isNetworkHonest()
                ? TokenSecret.decode(ending.reply().payload())
                : null;
        if (secret == null || userId < 0) {
            return;
        }
        if (tokens.size() == TOKENS_MAX) {
            tokens.removeFirst();
        }
        long expired =
                create.expiryMicros() == 0 ? 0 : world.machines().getFirst().wallMicros() + create.expiryMicros();
        tokens.add(
                new Token(secret.text(), userId, create.name(), ending.reply().op(), expired));
    }

    /// One of them, most often one of the latest; null while there is none.
    @Nullable Token any(SplittableRandom random) {
        if (tokens.isEmpty()) {
            return null;
        }
        int among = random.nextInt(3) == 0 ? tokens.size() : Math.min(tokens.size(), RECENT);
        return tokens.get(tokens.size() - 1 - random.nextInt(among));
    }

    /// Whether it is certain that a token lets nobody in any more, whatever else happens.
    boolean isVoid(Token token) {
        if (checkers.isBlind() || !checkers.isNetworkHonest()) {
            return false;
        }
        boolean isExpired = token.expiredMicros != 0
                && !world.swarm().isOn(FaultClass.CLOCK_JUMP)
                && world.machines().getFirst().wallMicros() > token.expiredMicros;
        return isExpired || checkers.metadata().tokenOp(token.userId, token.name) != token.op;
    }
}
