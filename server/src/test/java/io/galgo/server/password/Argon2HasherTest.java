package io.galgo.server.password;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class Argon2HasherTest {
    private final Argon2Hasher hasher = new Argon2Hasher(1, new SystemEntropy());

    @AfterEach
    void stop() {
        hasher.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aHashHasTheParametersOfTheSpecification() {
        String phc = hasher.hashNow(bytes("secret"));
        assertThat(phc).matches("\\$argon2id\\$v=19\\$m=19456,t=2,p=1\\$[A-Za-z0-9+/]{22}\\$[A-Za-z0-9+/]{43}");
        assertThat(hasher.hashNow(bytes("secret"))).as("salted").isNotEqualTo(phc);
    }

    @Test
    void onlyTheRightPasswordBelongsToAHash() {
        String phc = hasher.hashNow(bytes("secret"));
        assertThat(hasher.verifyNow(phc, bytes("secret"))).isTrue();
        assertThat(hasher.verifyNow(phc, bytes("secreT"))).isFalse();
        assertThat(hasher.verifyNow(phc, new byte[0])).isFalse();
    }

    @Test
    void aHashOfTheReferenceImplementationIsUnderstood() {
        // argon2 test vector of the reference implementation: password "password", salt "somesalt", t=2, m=2^16,
        // p=1.
        String phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
        assertThat(hasher.verifyNow(phc, bytes("password"))).isTrue();
        assertThat(hasher.verifyNow(phc, bytes("differentpassword"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
                "$argon2id$v=19$m=999999999,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
                "$argon2id$v=19$m=65536,t=999,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
                "$argon2id$v=19$m=65536,t=0,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
                "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C"
            })
    void aStringThatIsNoHashBelongsToNoPassword(String phc) {
        assertThat(hasher.verifyNow(phc, bytes("password"))).isFalse();
    }

    @Test
    void aPasswordFoundRightIsNotHashedAgainAndAWrongOneAlwaysIs() {
        String phc = hasher.hashNow(bytes("secret"));
        assertThat(hasher.verifyNow(phc, bytes("secret"))).isTrue();
        // A hash allocates 19 MiB; what does not is none.
        assertThat(bytesAllocated(() -> hasher.verifyNow(phc, bytes("secret")))).isLessThan(1 << 20);
        assertThat(hasher.verifyNow(phc, bytes("wrong"))).isFalse();
        assertThat(bytesAllocated(() -> hasher.verifyNow(phc, bytes("wrong")))).isGreaterThan(19 << 20);
        assertThat(hasher.verifyNow(hasher.hashNow(bytes("secret")), bytes("secreT")))
                .isFalse();
    }

    private static long bytesAllocated(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void answersComeOnTheShardAndAFullQueueRefuses() throws InterruptedException {
        BlockingQueue<Runnable> shard = new LinkedBlockingQueue<>();
        ShardPasswords passwords = new ShardPasswords(hasher, shard::add);
        CountDownLatch blocked = new CountDownLatch(1);
        assertThat(hasher.offer(() -> {
                    try {
                        blocked.await();
                    } catch (InterruptedException interrupted) {
                        Thread.currentThread().interrupt();
                    }
                }))
                .isTrue();
        String[] answer = new String[1];
        assertThat(passwords.hash(bytes("x"), phc -> answer[0] = phc)).isTrue();
        int accepted = 0;
        while (passwords.verify("none", bytes("x"), _ -> {})) {
            accepted++;
        }
        assertThat(accepted).isBetween(100, 5_000);
        blocked.countDown();
        Runnable first = shard.poll(30, TimeUnit.SECONDS);
        assertThat(first).isNotNull();
        assertThat(answer[0]).isNull();
        first.run();
        assertThat(answer[0]).startsWith("$argon2id$");
    }

    @Test
    void randomPasswordsAreOfLettersAndDigitsAndDiffer() {
        SystemEntropy entropy = new SystemEntropy();
        Set<String> seen = new HashSet<>();
        Set<Integer> lengths = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            String password = Argon2Hasher.randomPassword(entropy);
            assertThat(password).matches("[A-Za-z0-9]{20,39}");
            seen.add(password);
            lengths.add(password.length());
        }
        assertThat(seen).hasSize(500);
        assertThat(lengths).hasSize(20);
    }
}
