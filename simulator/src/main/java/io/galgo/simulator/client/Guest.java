package io.galgo.simulator.client;

import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.simulator.check.Sending;
import io.galgo.simulator.world.SimulatedMachine;
import io.galgo.simulator.world.Violation;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Somebody with few rights, or none, or not any more: logs in by password and by token as whoever there is, also
/// with secrets that do not count any more, and tries a bit of everything.
final class Guest extends Actor {
    private static final String VOID = "a token that was deleted or has expired lets nobody in";

    private final Errands errands;
    private final Wallet wallet;
    private final ConsumerRef consumer;

    /// @param who the credentials of `client`
    Guest(Stage stage, PublishedClient client, SplittableRandom random, Wallet wallet, Somebody who) {
        super(stage, client, random);
        this.errands = new Errands(stage, random);
        this.wallet = wallet;
        this.consumer = ConsumerRef.consumer(Identifier.of(50 + random.nextInt(3)));
        client.onLogin(who::onLogin);
    }

    /// Another user each time.
    static final class Somebody implements Credentials {
        private final SplittableRandom random;
        private final Wallet wallet;
        private Wallet.@Nullable Token voided;

        Somebody(SplittableRandom random, Wallet wallet) {
            this.random = random;
            this.wallet = wallet;
        }

        @Override
        public Request login() {
            voided = null;
            int roll = random.nextInt(12);
            Wallet.Token token = roll < 5 ? wallet.any(random) : null;
            if (token != null) {
                voided = wallet.isVoid(token) ? token : null;
                return Credentials.token(token.text());
            }
            return roll == 11
                    ? Credentials.password(SimulatedMachine.ROOT_NAME, SimulatedMachine.ROOT_PASSWORD)
                    : Credentials.password(Errands.username(random), Errands.password(random));
        }

        private void onLogin() {
            if (voided != null) {
                throw new Violation(VOID, "token \"" + voided.name() + "\" of op " + voided.op() + " did");
            }
        }

        @Override
        public String toString() {
            return "somebody";
        }
    }

    @Override
    void act() {
        Stage.Target target = Stage.target(random);
        int partition = Stage.partition(random);
        OptionalPartition from = OptionalPartition.of(partition);
        int roll = random.nextInt(100);
        if (roll < 15) {
            client.ask(errands.read(), _ -> pause());
        } else if (roll < 22) {
            client.ask(errands.change(), _ -> pause());
        } else if (roll < 30) {
            CreatePersonalAccessToken create = errands.token();
            client.ask(create, ending -> {
                wallet.onCreated(client.id(), create, ending);
                pause();
            });
        } else if (roll < 38) {
            client.stumble();
            pause();
        } else if (roll < 62) {
            send(target, partition);
        } else if (roll < 84) {
            PollMessages poll = new PollMessages(
                    consumer,
                    target.stream(),
                    target.topic(),
                    from,
                    random.nextBoolean() ? PollingStrategy.NEXT : PollingStrategy.LAST,
                    stage.pollCount(random),
                    random.nextBoolean());
            client.ask(poll, _ -> pause());
        } else if (roll < 92) {
            client.ask(
                    new StoreConsumerOffset(
                            consumer,
                            target.stream(),
                            target.topic(),
                            from,
                            random.nextInt(3),
                            random.nextBoolean() ? Acknowledgement.QUORUM : Acknowledgement.NONE),
                    _ -> pause());
        } else {
            client.ask(new GetConsumerOffset(consumer, target.stream(), target.topic(), from), _ -> pause());
        }
    }

    private void send(Stage.Target target, int partition) {
        Sending sending = stage.sending(random, target.stream(), target.topic(), partition);
        ByteBuffer batch = sending.batch();
        client.ask(
                new SendMessages(
                        target.stream(),
                        target.topic(),
                        Partitioning.partition(partition),
                        sending.messagesCount,
                        true,
                        batch,
                        0,
                        batch.remaining()),
                sending,
                _ -> pause());
    }
}
