package io.galgo.simulator.client;

import io.galgo.protocol.ClientId;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.request.AttachConsumerSession;
import io.galgo.simulator.check.Polled;
import io.galgo.simulator.check.Received;
import io.galgo.simulator.check.Sending;
import io.galgo.simulator.world.Violation;
import io.galgo.simulator.world.World;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;

/// What all actors of a run share: the topics that messages go to, and the numbers of what is sent.
///
/// The stream and its topics are made first, so their ids are known.
final class Stage {
    static final String STREAM = "data";
    static final String[] TOPICS = {"replicated", "persisted", "small", "small-persisted"};
    static final String[] GROUPS = {"workers", "auditors"};
    static final int PARTITIONS = 3;
    private static final int SESSIONS_MAX = 8;

    private final World world;
    private final int payloadBytesMax;
    private final int messagesMax;
    private long sendings;
    private final ArrayDeque<AttachConsumerSession> sessions = new ArrayDeque<>();

    /// @param frameBytesMax of the server
    Stage(World world, int frameBytesMax) {
        this.world = world;
        this.payloadBytesMax = Math.max(16, Math.min(2_000, frameBytesMax / 64));
        this.messagesMax = Math.max(1, Math.min(24, frameBytesMax / 2 / (payloadBytesMax + 48) - 1));
    }

    /// Somebody has logged in.
    void onLogin(ClientId client, long session) {
        sessions.addFirst(new AttachConsumerSession(client, session, 0));
        if (sessions.size() > SESSIONS_MAX) {
            sessions.removeLast();
        }
    }

    /// Takes on one of the latest sessions, which may be over by now.
    AttachConsumerSession attach(SplittableRandom random) {
        return sessions.isEmpty()
                ? new AttachConsumerSession(new ClientId(1, 2), 3, 0)
                : List.copyOf(sessions).get(random.nextInt(sessions.size()));
    }

    World world() {
        return world;
    }

    /// Where messages go to and come from.
    record Target(Identifier stream, Identifier topic) {}

    /// Most often a topic that everybody works with; now and then one that administrators may just have made,
    /// changed or deleted.
    static Target target(SplittableRandom random) {
        return random.nextInt(8) == 0
                ? new Target(Identifier.of(Errands.stream(random)), Identifier.of(Errands.topic(random)))
                : new Target(stream(random), topic(random));
    }

    static Identifier stream(SplittableRandom random) {
        return random.nextInt(3) == 0 ? Identifier.of(STREAM) : Identifier.of(0);
    }

    static Identifier topic(SplittableRandom random) {
        int topic = random.nextInt(TOPICS.length);
        return random.nextInt(3) == 0 ? Identifier.of(TOPICS[topic]) : Identifier.of(topic);
    }

    static int partition(SplittableRandom random) {
        return random.nextInt(50) == 0 ? PARTITIONS : random.nextInt(PARTITIONS);
    }

    Sending sending(SplittableRandom random, Identifier stream, Identifier topic, int partition) {
        sendings++;
        int payload = random.nextInt(3) == 0 ? 16 : 1 + random.nextInt(payloadBytesMax);
        return new Sending(sendings, stream, topic, partition, 1 + random.nextInt(messagesMax), payload);
    }

    int pollCount(SplittableRandom random) {
        return random.nextInt(4) == 0 ? 1_000 : 1 + random.nextInt(40);
    }

    /// The messages that a poll was answered with; none when they are spoilt, which the checkers judge.
    List<Polled> polled(Received answer) {
        try {
            return Polled.of(answer.body());
        } catch (Violation _) {
            return List.of();
        }
    }
}
