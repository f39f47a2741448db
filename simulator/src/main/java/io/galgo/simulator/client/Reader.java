package io.galgo.simulator.client;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.PollMessagesOnPrimary;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.simulator.check.Polled;
import java.util.List;
import java.util.SplittableRandom;

/// A plain consumer: reads from anywhere, stores where it stands, or lets polls do that, and asks for it.
final class Reader extends Actor {
    private static final int NAMES = 5;

    private final ConsumerRef consumer;
    private final boolean mayWait;
    private long lastSeen = -1;

    Reader(Stage stage, PublishedClient client, SplittableRandom random) {
        super(stage, client, random);
        int name = random.nextInt(NAMES);
        this.consumer =
                ConsumerRef.consumer(random.nextBoolean() ? Identifier.of("consumer" + name) : Identifier.of(1 + name));
        this.mayWait = random.nextInt(3) == 0;
    }

    @Override
    void act() {
        Stage.Target target = Stage.target(random);
        Identifier stream = target.stream();
        Identifier topic = target.topic();
        OptionalPartition partition = OptionalPartition.of(Stage.partition(random));
        int roll = random.nextInt(100);
        if (roll < 60) {
            poll(stream, topic, partition);
        } else if (roll < 75) {
            long offset = lastSeen < 0 ? 0 : Math.max(0, lastSeen - random.nextInt(3));
            client.ask(
                    new StoreConsumerOffset(consumer, stream, topic, partition, offset, acknowledgement()),
                    _ -> pause());
        } else if (roll < 78) {
            client.ask(new DeleteConsumerOffset(consumer, stream, topic, partition, acknowledgement()), _ -> pause());
        } else {
            client.ask(new GetConsumerOffset(consumer, stream, topic, partition), _ -> pause());
        }
    }

    private Acknowledgement acknowledgement() {
        return random.nextBoolean() ? Acknowledgement.QUORUM : Acknowledgement.NONE;
    }

    private void poll(Identifier stream, Identifier topic, OptionalPartition partition) {
        PollingStrategy strategy = switch (random.nextInt(8)) {
            case 0 -> PollingStrategy.FIRST;
            case 1 -> PollingStrategy.LAST;
            case 2 -> PollingStrategy.timestamp(random.nextLong(2_000_000_000_000_000L));
            case 3, 4 -> PollingStrategy.offset(Math.max(0, lastSeen - 10 + random.nextInt(12)));
            default -> PollingStrategy.NEXT;
        };
        PollMessages poll = new PollMessages(
                consumer, stream, topic, partition, strategy, stage.pollCount(random), random.nextInt(3) == 0);
        boolean isWaiting = mayWait && random.nextBoolean();
        Request request = isWaiting
                ? new AwaitMessages(poll, random.nextInt(1_000_000))
                : random.nextInt(10) == 0 ? new PollMessagesOnPrimary(poll) : poll;
        client.ask(request, ending -> {
            if (ending.isDone()) {
                List<Polled> polled = stage.polled(ending.reply());
                if (!polled.isEmpty()) {
                    lastSeen = polled.getLast().offset();
                }
            }
            pause();
        });
    }
}
