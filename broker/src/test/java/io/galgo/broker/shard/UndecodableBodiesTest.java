package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Operation;
import io.galgo.protocol.request.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Bodies of every command that end too early or are noise: each is answered, and one that cannot be decoded with
/// code 3.
class UndecodableBodiesTest {
    static Set<CommandCode> commands() {
        return Scene.commands();
    }

    /// What the specification asks for where it is not code 3.
    private static String refusal(CommandCode command) {
        return switch (command) {
            case SEND_MESSAGES -> "deny 20";
            case FLUSH_UNSAVED_BUFFER -> "deny 5";
            case GET_CLIENT, SYNC_CONSUMER_GROUP -> "ok empty";
            default -> "deny 3";
        };
    }

    @ParameterizedTest
    @MethodSource("commands")
    void aBodyThatEndsTooEarlyIsRefusedWhereverItEnds(CommandCode command) {
        Scene scene = new Scene();
        ByteBuffer whole = scene.there(command).toBuffer();
        for (int length = 0; length < whole.remaining(); length++) {
            ByteBuffer cut = whole.slice(0, length).order(ByteOrder.LITTLE_ENDIAN);
            if (Request.decode(command, cut) == null) {
                assertThat(Scene.outcome(send(scene.root, command, cut)))
                        .as("%s, %d of %d bytes", command.label(), length, whole.remaining())
                        .isEqualTo(refusal(command));
            }
        }
        assertThat(scene.root.ping().outcome()).isEqualTo("ok");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void noiseIsAnswered(CommandCode command) {
        Scene scene = new Scene();
        for (long seed = 1; seed <= 40; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] noise = new byte[random.nextInt(64)];
            random.nextBytes(noise);
            ByteBuffer body = ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN);
            boolean isUndecodable = Request.decode(command, body) == null;
            String outcome = Scene.outcome(send(scene.root, command, body));
            assertThat(outcome).as("%s, seed %d", command.label(), seed).isNotEmpty();
            if (isUndecodable) {
                assertThat(outcome).as("%s, seed %d", command.label(), seed).isEqualTo(refusal(command));
            }
        }
        assertThat(scene.root.ping().outcome()).isEqualTo("ok");
    }

    private static Answer send(TestClient client, CommandCode command, ByteBuffer body) {
        boolean isRead = command.operation() == Operation.NON_REPLICATED;
        long number = isRead ? client.number + 1 : ++client.number;
        client.deliver(client.frame(command.operation(), isRead ? command.code() : 0, number, body));
        client.node.run();
        if (client.hasNothing()) {
            // Noise may name a moment that does not come; then it is waited for, but not for ever.
            client.node.clock.advance(3_000_000_000L);
            client.node.run();
        }
        return client.next();
    }
}
