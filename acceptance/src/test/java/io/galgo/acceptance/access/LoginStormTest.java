package io.galgo.acceptance.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Bystander;
import io.galgo.acceptance.harness.Figures;
import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.SharedServer;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.Body;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.RawClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/// Many logins at once: all are answered as they would be alone, within the time that published clients wait, and
/// whoever is logged in does not notice.
///
/// A hash takes 19 MiB. Hundreds at a time would need gigabytes, which the server's heap does not have.
@ExtendWith(ServerLogs.class)
class LoginStormTest {
    private static final int LOGINS = 500;

    /// A hash takes a twentieth of a second. A step of one who waits for the hashes of others would take many times
    /// longer than this.
    private static final long STEP_MILLIS_MAX = 10_000;

    private ServerProcess server;

    private record Credentials(String user, String password, String outcome) {}

    @BeforeEach
    void start() throws Exception {
        server = SharedServer.running();
    }

    @Test
    void allLoginsOfOneUserSucceed() throws Exception {
        storm(LOGINS, _ -> new Credentials("iggy", "iggy", "OK"));
    }

    @Test
    void allLoginsOfManyUsersSucceed() throws Exception {
        List<String> users = new ArrayList<>();
        try (RawClient root = server.client()) {
            for (int i = 0; i < 50; i++) {
                String name = SharedServer.newName("storm");
                Body user =
                        Body.of().name(name).name("password of " + name).u8(1).u8(0);
                assertThat(root.change(Operation.CREATE_USER, user).outcome()).isEqualTo("OK");
                users.add(name);
            }
        }
        storm(LOGINS, i -> {
            String name = users.get(i % users.size());
            return new Credentials(name, "password of " + name, "OK");
        });
    }

    @Test
    void wrongPasswordsAndUnknownUsersAreRefusedAmongRightOnes() throws Exception {
        storm(150, i -> switch (i % 3) {
            case 0 -> new Credentials("iggy", "iggy", "OK");
            case 1 -> new Credentials("iggy", "wrong " + i, "EVICT 9");
            default -> new Credentials("nobody" + i, "iggy", "EVICT 9");
        });
    }

    private void storm(int count, IntFunction<Credentials> credentials) throws Exception {
        CountDownLatch connected = new CountDownLatch(count);
        List<Future<String>> outcomes = new ArrayList<>();
        try (Bystander bystander = new Bystander(server);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < count; i++) {
                Credentials own = credentials.apply(i);
                outcomes.add(threads.submit(() -> {
                    try (RawClient client = RawClient.connect(server.address())) {
                        connected.countDown();
                        connected.await();
                        return client.login(own.user(), own.password()).outcome();
                    }
                }));
            }
            assertThat(connected.await(60, TimeUnit.SECONDS))
                    .as("all are connected")
                    .isTrue();
            long started = System.nanoTime();
            long worstMillis = 0;
            int steps = 0;
            do {
                long before = System.nanoTime();
                bystander.step();
                worstMillis = Math.max(
                        worstMillis,
                        Duration.ofNanos(System.nanoTime() - before).toMillis());
                steps++;
            } while (!outcomes.stream().allMatch(Future::isDone));
            long millis = Duration.ofNanos(System.nanoTime() - started).toMillis();
            for (int i = 0; i < count; i++) {
                Credentials own = credentials.apply(i);
                assertThat(outcomes.get(i).get())
                        .as("login %d, as %s", i, own.user())
                        .isEqualTo(own.outcome());
            }
            bystander.mustBeUnharmed();
            assertThat(worstMillis)
                    .as("the bystander's slowest of %d steps", steps)
                    .isLessThan(STEP_MILLIS_MAX);
            Figures.tell(count + " logins at once: " + millis + " ms, a bystander's slowest step meanwhile "
                    + worstMillis + " ms of " + steps + ", peak memory " + (server.peakMemory() >> 20)
                    + " MiB");
        }
    }
}
