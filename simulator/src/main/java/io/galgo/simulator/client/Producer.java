package io.galgo.simulator.client;

import io.galgo.protocol.Identifier;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.request.SendMessages;
import io.galgo.simulator.check.Sending;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/// Sends batches: to one partition, to the one that the server chooses, or to that of a key. What became of a batch
/// is not always known; some producers send it again then.
final class Producer extends Actor {
    private static final int RETRIES_MAX = 3;

    private final int ahead;
    private final boolean isRetrying;
    private int underWay;

    /// @param ahead batches that it has under way at a time
    Producer(Stage stage, PublishedClient client, SplittableRandom random, int ahead) {
        super(stage, client, random);
        this.ahead = ahead;
        this.isRetrying = random.nextBoolean();
    }

    @Override
    void act() {
        if (underWay < ahead) {
            Stage.Target target = Stage.target(random);
            Identifier stream = target.stream();
            Identifier topic = target.topic();
            int partition = Stage.partition(random);
            int kind = random.nextInt(6);
            Partitioning partitioning = switch (kind) {
                case 0 -> Partitioning.balanced();
                case 1 -> Partitioning.key(("key" + random.nextInt(9)).getBytes(StandardCharsets.US_ASCII));
                default -> Partitioning.partition(partition);
            };
            Sending sending = stage.sending(
                    random,
                    stream,
                    topic,
                    switch (kind) {
                        case 0 -> Sending.IN_TURN;
                        case 1 -> Sending.ANY_PARTITION;
                        default -> partition;
                    });
            underWay++;
            send(sending, stream, topic, partitioning, 0);
        }
        pause();
    }

    private void send(Sending sending, Identifier stream, Identifier topic, Partitioning partitioning, int retries) {
        ByteBuffer batch = sending.batch();
        SendMessages request =
                new SendMessages(stream, topic, partitioning, sending.messagesCount, true, batch, 0, batch.remaining());
        client.ask(request, sending, ending -> {
            boolean isOpen = ending.kind() == Ending.Kind.UNKNOWN;
            if (isOpen && isRetrying && retries < RETRIES_MAX && !isStopped()) {
                send(sending, stream, topic, partitioning, retries + 1);
            } else {
                underWay--;
            }
        });
    }

    @Override
    boolean isAtRest() {
        return super.isAtRest() && underWay == 0;
    }
}
