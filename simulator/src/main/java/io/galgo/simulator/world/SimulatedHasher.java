package io.galgo.simulator.world;

import io.galgo.broker.shard.PasswordHasher;
import io.galgo.broker.shard.TokenHasher;
import io.galgo.protocol.Checksum;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/// Hashes that are as easy to make as they are to break, after a time as a real one takes, by a pool with a bounded
/// queue.
final class SimulatedHasher implements PasswordHasher, TokenHasher {
    private static final int WAITING_MAX = 16;
    private static final long NANOS_MAX = 40_000_000L;

    private final SimulatedProcess process;
    private final SplittableRandom random;
    private int waiting;

    SimulatedHasher(SimulatedProcess process, SplittableRandom random) {
        this.process = process;
        this.random = random;
    }

    /// The text that is kept of a password.
    static String phc(byte[] password, int salt) {
        return "$simulated$" + salt + "$" + HexFormat.of().formatHex(digest(password, salt));
    }

    private static byte[] digest(byte[] text, long salt) {
        byte[] hash = new byte[32];
        ByteBuffer out = ByteBuffer.wrap(hash).order(ByteOrder.LITTLE_ENDIAN);
        long sum = Checksum.xxh3(ByteBuffer.wrap(text).order(ByteOrder.LITTLE_ENDIAN), 0, text.length) + salt;
        for (int i = 0; i < 4; i++) {
            sum = (sum ^ (sum >>> 29)) * 0x9e37_79b9_7f4a_7c15L + i;
            out.putLong(sum);
        }
        return hash;
    }

    @Override
    public byte[] hash(byte[] text) {
        return digest(text, 0);
    }

    @Override
    public boolean verify(String phc, byte[] password, Consumer<Boolean> done) {
        String[] parts = phc.split("\\$", -1);
        boolean isRight = parts.length == 4 && phc.equals(phc(password, Integer.parseInt(parts[2])));
        return later(() -> done.accept(isRight));
    }

    @Override
    public boolean hash(byte[] password, Consumer<String> done) {
        String phc = phc(password, random.nextInt(1 << 20));
        return later(() -> done.accept(phc));
    }

    private boolean later(Runnable answer) {
        if (waiting >= WAITING_MAX) {
            return false;
        }
        waiting++;
        process.post(random.nextLong(NANOS_MAX), () -> {
            waiting--;
            answer.run();
        });
        return true;
    }
}
