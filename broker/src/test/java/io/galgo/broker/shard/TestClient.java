package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.Body;
import io.galgo.protocol.ClientId;
import io.galgo.protocol.CommandCode;
import io.galgo.protocol.ConsumerRef;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.Identifier;
import io.galgo.protocol.Operation;
import io.galgo.protocol.OptionalPartition;
import io.galgo.protocol.Options;
import io.galgo.protocol.Partitioning;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.ProtocolVersion;
import io.galgo.protocol.RequestHeader;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.reply.GroupAssignment;
import io.galgo.protocol.reply.GroupDetails;
import io.galgo.protocol.reply.LoginReply;
import io.galgo.protocol.reply.PollHeader;
import io.galgo.protocol.reply.SendConfirmations;
import io.galgo.protocol.reply.StoredOffset;
import io.galgo.protocol.reply.TopicDetails;
import io.galgo.protocol.request.Acknowledgement;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.CreateConsumerGroup;
import io.galgo.protocol.request.CreateStream;
import io.galgo.protocol.request.CreateTopic;
import io.galgo.protocol.request.DeleteConsumerGroup;
import io.galgo.protocol.request.DeleteConsumerOffset;
import io.galgo.protocol.request.GetConsumerGroup;
import io.galgo.protocol.request.GetConsumerOffset;
import io.galgo.protocol.request.GetTopic;
import io.galgo.protocol.request.JoinConsumerGroup;
import io.galgo.protocol.request.LeaveConsumerGroup;
import io.galgo.protocol.request.PasswordLogin;
import io.galgo.protocol.request.PollMessages;
import io.galgo.protocol.request.Request;
import io.galgo.protocol.request.SendMessages;
import io.galgo.protocol.request.StoreConsumerOffset;
import io.galgo.protocol.request.SyncConsumerGroup;
import io.galgo.protocol.request.TokenLogin;
import io.galgo.storage.memory.PooledBuffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A client of a [TestNode] on one connection: makes frames as published clients do and reads what comes back.
final class TestClient {
    static final Identifier S = Identifier.of("s");
    static final Identifier T = Identifier.of("t");
    static final ConsumerRef CONSUMER = ConsumerRef.consumer(Identifier.of("worker"));

    final TestNode node;
    final Shard shard;
    final TestLink link;
    final Connection connection;
    ClientId id;
    long session;
    long number;

    TestClient(TestNode node, Shard shard, TestLink link, Connection connection, ClientId id) {
        this.node = node;
        this.shard = shard;
        this.link = link;
        this.connection = connection;
        this.id = id;
    }

    // Frames

    /// The frame of a request; writes take the next number, reads carry it without taking it.
    ByteBuffer frame(Request request) {
        Operation operation = request.command().operation();
        boolean isRead = operation == Operation.NON_REPLICATED;
        long used = operation == Operation.REGISTER ? 0 : number + 1;
        if (!isRead && operation != Operation.REGISTER) {
            number++;
        }
        return frame(operation, isRead ? request.command().code() : 0, used, request);
    }

    ByteBuffer frame(Operation operation, int code, long requestNumber, Body body) {
        return frame(operation, code, requestNumber, body.toBuffer());
    }

    ByteBuffer frame(Operation operation, int code, long requestNumber, ByteBuffer body) {
        int length = FrameHeader.BYTES + body.remaining();
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        long sentSession = operation == Operation.REGISTER ? 0 : session;
        RequestHeader.write(frame, 0, length, operation, id, sentSession, requestNumber, code);
        frame.put(FrameHeader.BYTES, body, body.position(), body.remaining());
        return frame;
    }

    /// Hands a frame to the connection without letting the node work on.
    void deliver(ByteBuffer frame) {
        PooledBuffer buffer = node.buffers(shard).acquire(frame.remaining());
        if (buffer == null && shard.makeRoom(frame.remaining())) {
            buffer = node.buffers(shard).acquire(frame.remaining());
        }
        if (buffer == null) {
            connection.onFrameWithoutMemory(frame);
            return;
        }
        buffer.bytes().put(0, frame, 0, frame.remaining());
        connection.onFrame(buffer, frame.remaining());
    }

    /// Sends a request without letting the node work on.
    void post(Request request) {
        deliver(frame(request));
    }

    /// Sends a request and lets the node work until nothing is left to do.
    Answer ask(Request request) {
        return ask(frame(request));
    }

    Answer ask(ByteBuffer frame) {
        deliver(frame);
        node.run();
        return next();
    }

    /// The oldest answer that was not read yet.
    Answer next() {
        ByteBuffer frame = link.next();
        assertThat(frame).as("an answer").isNotNull();
        return new Answer(Objects.requireNonNull(frame));
    }

    boolean hasNothing() {
        return link.receivedCount() == 0;
    }

    // Logins

    static PasswordLogin password(String username, String password) {
        return new PasswordLogin(ProtocolVersion.CURRENT, "test", "1", username, password, "");
    }

    Answer tryLogin(String username, String password) {
        return ask(password(username, password));
    }

    TestClient login() {
        return login(TestNode.ROOT_NAME, TestNode.ROOT_PASSWORD);
    }

    TestClient login(String username, String password) {
        return loggedIn(tryLogin(username, password));
    }

    Answer tryLogin(String token) {
        return ask(token(token));
    }

    static TokenLogin token(String token) {
        return new TokenLogin(ProtocolVersion.CURRENT, "test", "1", token, "");
    }

    /// Takes note of a login that must have succeeded.
    TestClient loggedIn(Answer answer) {
        assertThat(answer.outcome()).as("a login").isEqualTo("ok");
        session = loginReply(answer).session();
        number = 0;
        return this;
    }

    static LoginReply loginReply(Answer answer) {
        return Objects.requireNonNull(LoginReply.decode(answer.payload()));
    }

    Answer logout() {
        return ask(new BodilessRequest(CommandCode.LOGOUT));
    }

    Answer ping() {
        return ask(new BodilessRequest(CommandCode.PING));
    }

    // Streams and topics

    Answer createStream(String name) {
        return ask(new CreateStream(name, Options.NONE));
    }

    Answer createTopic(String stream, String name, int partitions, Options.Entry... options) {
        return ask(new CreateTopic(Identifier.of(stream), partitions, name, new Options(List.of(options))));
    }

    /// Makes stream `s` and topic `t`.
    void createTopic(int partitions, Options.Entry... options) {
        assertThat(createStream("s").outcome()).isEqualTo("ok");
        assertThat(createTopic("s", "t", partitions, options).outcome()).isEqualTo("ok");
    }

    TopicDetails topic() {
        Answer answer = ask(new GetTopic(Identifier.of("s"), Identifier.of("t")));
        assertThat(answer.outcome()).isEqualTo("ok");
        return Objects.requireNonNull(TopicDetails.decode(answer.body()));
    }

    // Messages

    static SendMessages send(Partitioning partitioning, ByteBuffer batch) {
        return send("s", "t", partitioning, batch);
    }

    static SendMessages send(String stream, String topic, Partitioning partitioning, ByteBuffer batch) {
        return send(Identifier.of(stream), Identifier.of(topic), partitioning, batch);
    }

    static SendMessages send(Identifier stream, Identifier topic, Partitioning partitioning, ByteBuffer batch) {
        return new SendMessages(
                stream, topic, partitioning, BatchHeader.messageCount(batch, 0), true, batch, 0, batch.remaining());
    }

    static SendMessages send(int partition, String... payloads) {
        return send(Partitioning.partition(partition), Batches.of(payloads));
    }

    /// Sends and expects a confirmation.
    ///
    /// @return the base offset
    long sendOk(int partition, String... payloads) {
        Answer answer = ask(send(partition, payloads));
        assertThat(answer.outcome()).as("a send").isEqualTo("ok");
        return confirmations(answer).confirmations().getFirst().baseOffset();
    }

    static SendConfirmations confirmations(Answer answer) {
        return Objects.requireNonNull(SendConfirmations.decode(answer.body()));
    }

    static PollMessages poll(int partition, PollingStrategy strategy, long count, boolean autoCommit) {
        return new PollMessages(
                CONSUMER,
                Identifier.of("s"),
                Identifier.of("t"),
                OptionalPartition.of(partition),
                strategy,
                count,
                autoCommit);
    }

    List<Batches.Message> pollOk(int partition, PollingStrategy strategy, long count) {
        return pollOk(poll(partition, strategy, count, false));
    }

    List<Batches.Message> pollOk(PollMessages poll) {
        Answer answer = ask(poll);
        assertThat(answer.outcome()).as("a poll").isEqualTo("ok");
        return messages(answer);
    }

    static List<Batches.Message> messages(Answer answer) {
        ByteBuffer body = answer.body();
        int count = PollHeader.messagesCount(body, 0);
        List<Batches.Message> messages =
                Batches.messages(body.position(PollHeader.BYTES).slice().order(ByteOrder.LITTLE_ENDIAN));
        assertThat(messages).as("messages in a poll that says %s", count).hasSize(count);
        return messages;
    }

    static List<String> payloads(List<Batches.Message> messages) {
        return messages.stream().map(Batches.Message::payload).toList();
    }

    static List<Long> offsets(List<Batches.Message> messages) {
        return messages.stream().map(Batches.Message::offset).toList();
    }

    // Consumer offsets

    static StoreConsumerOffset store(ConsumerRef consumer, int partition, long offset) {
        return new StoreConsumerOffset(
                consumer,
                Identifier.of("s"),
                Identifier.of("t"),
                OptionalPartition.of(partition),
                offset,
                Acknowledgement.QUORUM);
    }

    static DeleteConsumerOffset delete(ConsumerRef consumer, int partition) {
        return new DeleteConsumerOffset(
                consumer,
                Identifier.of("s"),
                Identifier.of("t"),
                OptionalPartition.of(partition),
                Acknowledgement.QUORUM);
    }

    static GetConsumerOffset get(ConsumerRef consumer, int partition) {
        return new GetConsumerOffset(consumer, Identifier.of("s"), Identifier.of("t"), OptionalPartition.of(partition));
    }

    /// The stored offset, or -1 for none.
    long stored(ConsumerRef consumer, int partition) {
        Answer answer = ask(get(consumer, partition));
        assertThat(answer.outcome()).isEqualTo("ok");
        return answer.body().hasRemaining()
                ? Objects.requireNonNull(StoredOffset.decode(answer.body())).storedOffset()
                : -1;
    }

    // Consumer groups of topic t

    static ConsumerRef group(String name) {
        return ConsumerRef.group(Identifier.of(name));
    }

    Answer createGroup(String name) {
        return ask(new CreateConsumerGroup(S, T, name));
    }

    Answer deleteGroup(String name) {
        return ask(new DeleteConsumerGroup(S, T, Identifier.of(name)));
    }

    static JoinConsumerGroup join(String name) {
        return new JoinConsumerGroup(S, T, Identifier.of(name));
    }

    TestClient joinOk(String name) {
        assertThat(ask(join(name)).outcome()).as("a join of %s", name).isEqualTo("ok");
        return this;
    }

    static LeaveConsumerGroup leave(String name) {
        return new LeaveConsumerGroup(S, T, Identifier.of(name));
    }

    static SyncConsumerGroup sync(String name) {
        return new SyncConsumerGroup(S, T, Identifier.of(name));
    }

    /// What the client may poll, or null when it is no member.
    @Nullable GroupAssignment assignment(String name) {
        Answer answer = ask(sync(name));
        assertThat(answer.outcome()).as("a sync of %s", name).isEqualTo("ok");
        return answer.body().hasRemaining() ? GroupAssignment.decode(answer.body()) : null;
    }

    /// The partitions that the client may poll; empty when it is no member.
    List<Integer> pollable(String name) {
        GroupAssignment assignment = assignment(name);
        return assignment == null ? List.of() : assignment.partitionIds();
    }

    GroupDetails groupDetails(String name) {
        Answer answer = ask(new GetConsumerGroup(S, T, Identifier.of(name)));
        assertThat(answer.outcome()).as("the details of %s", name).isEqualTo("ok");
        return Objects.requireNonNull(GroupDetails.decode(answer.body()));
    }

    static PollMessages groupPoll(String group, int partition, long count, boolean autoCommit) {
        return new PollMessages(
                group(group), S, T, OptionalPartition.of(partition), PollingStrategy.NEXT, count, autoCommit);
    }

    /// Whether an answer to a group's poll says that the client does not own the partition.
    static boolean isNotOwned(Answer poll) {
        return PollHeader.partitionId(poll.body(), 0) == PollHeader.PARTITION_NOT_OWNED;
    }

    /// What a poll for a group delivers, which the client must own.
    List<Batches.Message> groupPollOk(String group, int partition, long count, boolean autoCommit) {
        Answer answer = ask(groupPoll(group, partition, count, autoCommit));
        assertThat(answer.outcome()).as("a poll for %s", group).isEqualTo("ok");
        assertThat(isNotOwned(answer))
                .as("partition %s is not owned", partition)
                .isFalse();
        return messages(answer);
    }

    /// Whether the client may poll a partition for a group.
    boolean mayPoll(String group, int partition) {
        Answer answer = ask(groupPoll(group, partition, 0, false));
        assertThat(answer.outcome()).as("a poll for %s", group).isEqualTo("ok");
        return !isNotOwned(answer);
    }
}
