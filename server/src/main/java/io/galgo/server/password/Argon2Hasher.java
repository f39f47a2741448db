package io.galgo.server.password;

import io.galgo.broker.shard.Entropy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/// Argon2id in PHC strings (spec semantics 15.3), on a small pool with a bounded queue.
///
/// A hash takes tens of milliseconds of one core and 19 MiB of heap, so few run at a time and few may wait. A
/// password that was found right is not hashed again for as long as it is remembered.
public final class Argon2Hasher implements AutoCloseable {
    private static final int MEMORY_KIB = 19_456;
    private static final int ITERATIONS = 2;
    private static final int PARALLELISM = 1;
    private static final int SALT_BYTES = 16;
    private static final int HASH_BYTES = 32;
    private static final int WAITING_MAX = 1024;

    // Foreign strings may ask for more work than ours, up to what one thread can do without being noticed.
    private static final int MEMORY_KIB_MAX = 64 * 1024;
    private static final int ITERATIONS_MAX = 16;
    private static final int PARALLELISM_MAX = 16;
    private static final int HASH_BYTES_MAX = 64;

    private static final Pattern PHC = Pattern.compile(
            "\\$argon2id\\$v=19\\$m=([0-9]{1,9}),t=([0-9]{1,9}),p=([0-9]{1,9})\\$([A-Za-z0-9+/]{1,172})\\$([A-Za-z0-9+/]{1,172})");
    private static final Base64.Encoder ENCODER = Base64.getEncoder().withoutPadding();

    private final Entropy entropy;
    private final VerifiedPasswords verified;
    private final ThreadPoolExecutor pool;

    /// @param threads hashes that run at a time
    public Argon2Hasher(int threads, Entropy entropy) {
        this.entropy = entropy;
        this.verified = new VerifiedPasswords(entropy);
        this.pool = new ThreadPoolExecutor(
                threads, threads, 10, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING_MAX), task -> {
                    Thread thread = new Thread(task, "passwords");
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
    }

    /// Runs work on the pool.
    ///
    /// @return false when the queue is full
    boolean offer(Runnable work) {
        try {
            pool.execute(work);
            return true;
        } catch (RejectedExecutionException full) {
            return false;
        }
    }

    /// The PHC string of a password, on the calling thread. Any thread may call.
    public String hashNow(byte[] password) {
        byte[] salt = new byte[SALT_BYTES];
        entropy.fill(salt);
        byte[] hash = argon2id(password, salt, MEMORY_KIB, ITERATIONS, PARALLELISM, HASH_BYTES);
        return "$argon2id$v=19$m=" + MEMORY_KIB + ",t=" + ITERATIONS + ",p=" + PARALLELISM + "$"
                + ENCODER.encodeToString(salt) + "$" + ENCODER.encodeToString(hash);
    }

    /// Whether a password belongs to a PHC string, on the calling thread. A malformed string belongs to none.
    public boolean verifyNow(String phc, byte[] password) {
        // Looked up here and not before the queue: of many that wait with the same password the first one answers
        // all.
        if (verified.contains(phc, password)) {
            return true;
        }
        boolean belongs = belongs(phc, password);
        if (belongs) {
            verified.add(phc, password);
        }
        return belongs;
    }

    private static boolean belongs(String phc, byte[] password) {
        Matcher matcher = PHC.matcher(phc);
        if (!matcher.matches()) {
            return false;
        }
        int memory = Integer.parseInt(matcher.group(1));
        int iterations = Integer.parseInt(matcher.group(2));
        int parallelism = Integer.parseInt(matcher.group(3));
        byte[] salt;
        byte[] expected;
        try {
            salt = Base64.getDecoder().decode(matcher.group(4));
            expected = Base64.getDecoder().decode(matcher.group(5));
        } catch (IllegalArgumentException malformed) {
            return false;
        }
        boolean bounded = memory >= 8 * parallelism
                && memory <= MEMORY_KIB_MAX
                && iterations >= 1
                && iterations <= ITERATIONS_MAX
                && parallelism >= 1
                && parallelism <= PARALLELISM_MAX
                && expected.length >= 4
                && expected.length <= HASH_BYTES_MAX;
        return bounded
                && MessageDigest.isEqual(
                        expected, argon2id(password, salt, memory, iterations, parallelism, expected.length));
    }

    private static byte[] argon2id(
            byte[] password, byte[] salt, int memoryKib, int iterations, int parallelism, int length) {
        Argon2BytesGenerator generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
                .withVersion(Argon2Parameters.ARGON2_VERSION_13)
                .withMemoryAsKB(memoryKib)
                .withIterations(iterations)
                .withParallelism(parallelism)
                .withSalt(salt)
                .build());
        byte[] hash = new byte[length];
        generator.generateBytes(password, hash);
        return hash;
    }

    /// A random password of letters and digits, 20..39 characters (spec config 8).
    public static String randomPassword(Entropy entropy) {
        String letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        byte[] random = new byte[40];
        entropy.fill(random);
        int length = 20 + Byte.toUnsignedInt(random[0]) % 20;
        StringBuilder password = new StringBuilder(length);
        byte[] one = new byte[1];
        while (password.length() < length) {
            entropy.fill(one);
            int draw = Byte.toUnsignedInt(one[0]);
            // Draws beyond the last whole run of the alphabet would favour its first letters.
            if (draw < 256 / letters.length() * letters.length()) {
                password.append(letters.charAt(draw % letters.length()));
            }
        }
        return password.toString();
    }

    /// The bytes of a password given as text.
    public static byte[] bytesOf(String password) {
        return password.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
