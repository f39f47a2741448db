package io.galgo.simulator.client;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.AwaitMessages;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.SyncConsumerGroup;
import io.galgo.simulator.check.Polled;
import java.util.List;
import java.util.SplittableRandom;

/// A member of a consumer group: joins after each login, asks which partitions are its own, polls and stores,
/// leaves now and then.
final class Member extends Actor {
    private static final int NO_GROUP = 5000;

    private final Identifier topic;
    private final String groupName;
    private final Identifier group;
    private final boolean isAutoCommitting;
    private final boolean mayWait;
    private boolean isJoined;
    private List<Integer> partitions = List.of();
    private int turn;

    Member(Stage stage, PublishedClient client, SplittableRandom random) {
        super(stage, client, random);
        this.topic = Identifier.of(random.nextInt(2));
        this.groupName = Stage.GROUPS[random.nextInt(Stage.GROUPS.length)];
        this.group = Identifier.of(groupName);
        this.isAutoCommitting = random.nextBoolean();
        this.mayWait = random.nextInt(3) == 0;
        client.onLogin(() -> {
            isJoined = false;
            partitions = List.of();
        });
    }

    private Identifier stream() {
        return Identifier.of(0);
    }

    @Override
    void act() {
        int roll = random.nextInt(100);
        if (!isJoined) {
            client.ask(new JoinConsumerGroup(stream(), topic, group), ending -> {
                isJoined = ending.isDone();
                if (ending.error() == NO_GROUP) {
                    client.ask(new CreateConsumerGroup(stream(), topic, groupName), _ -> pause());
                } else {
                    pause();
                }
            });
        } else if (partitions.isEmpty() || roll < 15) {
            sync();
        } else if (roll < 18) {
            client.ask(new LeaveConsumerGroup(stream(), topic, group), _ -> {
                isJoined = false;
                partitions = List.of();
                pause();
            });
        } else if (roll < 22) {
            client.ask(new GetConsumerOffset(ConsumerRef.group(group), stream(), topic, nextPartition()), _ -> pause());
        } else {
            poll(nextPartition());
        }
    }

    private OptionalPartition nextPartition() {
        return OptionalPartition.of(partitions.get(turn++ % partitions.size()));
    }

    private void sync() {
        client.ask(new SyncConsumerGroup(stream(), topic, group), ending -> {
            if (ending.isDone() && ending.reply().body().hasRemaining()) {
                GroupAssignment told = GroupAssignment.decode(ending.reply().body());
                partitions = told == null ? List.of() : told.partitionIds();
            } else if (ending.isDone()) {
                isJoined = false;
            }
            pause();
        });
    }

    private void poll(OptionalPartition partition) {
        PollMessages poll = new PollMessages(
                ConsumerRef.group(group),
                stream(),
                topic,
                partition,
                PollingStrategy.NEXT,
                stage.pollCount(random),
                isAutoCommitting);
        boolean isWaiting = mayWait && random.nextBoolean();
        client.ask(isWaiting ? new AwaitMessages(poll, random.nextInt(1_000_000)) : poll, ending -> {
            if (!ending.isDone()) {
                pause();
                return;
            }
            if (PollHeader.partitionId(ending.reply().body(), 0) == PollHeader.PARTITION_NOT_OWNED) {
                partitions = List.of();
                pause();
                return;
            }
            List<Polled> polled = stage.polled(ending.reply());
            if (polled.isEmpty() || isAutoCommitting) {
                pause();
                return;
            }
            client.ask(
                    new StoreConsumerOffset(
                            ConsumerRef.group(group),
                            stream(),
                            topic,
                            partition,
                            polled.getLast().offset(),
                            Acknowledgement.QUORUM),
                    _ -> pause());
        });
    }
}
