package io.galgo.simulator.client;

import io.galgo.model.CommittedMetadata;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Options;
import io.galgo.protocol.request.CreatePartitions;
import io.galgo.protocol.request.CreatePersonalAccessToken;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeletePartitions;
import io.galgo.protocol.request.DeleteStream;
import io.galgo.protocol.request.DeleteTopic;
import io.galgo.protocol.request.Request;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Makes, changes and deletes streams, topics, groups, users and tokens, and looks at everything there is.
final class Administrator extends Actor {
    private final Errands errands;
    private final Wallet wallet;

    Administrator(Stage stage, PublishedClient client, SplittableRandom random, Wallet wallet) {
        super(stage, client, random);
        this.errands = new Errands(stage, random);
        this.wallet = wallet;
    }

    private @Nullable Request again(Request request) {
        return switch (request) {
            case DeleteStream delete
            when delete.stream() instanceof Identifier.Named named -> new CreateStream(named.name(), Options.NONE);
            case DeleteTopic delete
            when delete.topic() instanceof Identifier.Named named ->
                new CreateTopic(
                        delete.stream(),
                        1 + random.nextInt(3),
                        named.name(),
                        CommittedMetadata.options(random.nextBoolean(), random.nextBoolean()));
            case DeletePartitions delete ->
                new CreatePartitions(delete.stream(), delete.topic(), delete.partitionsCount());
            default -> null;
        };
    }

    @Override
    void act() {
        Request request = random.nextInt(4) == 0 ? errands.read() : errands.change();
        client.ask(request, ending -> {
            if (request instanceof CreatePersonalAccessToken create) {
                wallet.onCreated(client.id(), create, ending);
            }
            Request again = ending.isDone() ? again(request) : null;
            if (again != null && random.nextBoolean()) {
                // Under the same name and often the same id, while what was there is still being removed.
                client.ask(again, _ -> pause());
            } else {
                pause();
            }
        });
    }
}
