package io.galgo.torture.wire;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;

/// A small blocking client that sends exactly what a test wants on the wire.
///
/// It numbers requests as published clients do. Confined to one thread.
public final class RawClient implements Closeable {
    private static final int ATTEMPTS_MAX = 2000;
    private static final long ATTEMPT_PAUSE_NANOS = 5_000_000;
    // As long as published clients wait.
    private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(30);

    private static volatile Runnable whenReplyIsMissing = () -> {};

    private final Socket socket;
    private final InputStream input;
    private final OutputStream output;
    private byte[] client = newClientId();
    private long session;
    private long requestsTaken;
    private int replyMillisMax = (int) REPLY_TIMEOUT.toMillis();

    private RawClient(Socket socket) throws IOException {
        this.socket = socket;
        this.input = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        this.output = socket.getOutputStream();
    }

    public static RawClient connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout((int) REPLY_TIMEOUT.toMillis());
            socket.connect(address, 5000);
            return new RawClient(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /// Connects and logs in as the root user of every test server.
    public static RawClient loggedIn(InetSocketAddress address) throws IOException {
        RawClient client = connect(address);
        ReplyFrame reply = client.login("iggy", "iggy");
        if (!reply.isOk()) {
            client.close();
            throw new RefusedException("login", reply.outcome());
        }
        return client;
    }

    public static byte[] newClientId() {
        UUID id = UUID.randomUUID();
        return ByteBuffer.allocate(16)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    public static byte[] loginBody(String user, String password) {
        return loginBody(11264, user, password);
    }

    public static byte[] loginBody(long protocolVersion, String user, String password) {
        return Body.of()
                .u32(protocolVersion)
                .name("acceptance")
                .name("1.0")
                .name(user)
                .name(password)
                .u32(0)
                .toBytes();
    }

    /// How long a reply may take from now on.
    public void waitFor(Duration patience) throws IOException {
        replyMillisMax = (int) patience.toMillis();
        socket.setSoTimeout(replyMillisMax);
    }

    public byte[] clientId() {
        return client.clone();
    }

    public long session() {
        return session;
    }

    /// The number that the next write would take.
    public long nextRequest() {
        return requestsTaken + 1;
    }

    /// Uses an identity of the test's choice from the next login on.
    public void useClientId(byte[] id) {
        client = id.clone();
    }

    public ReplyFrame login(String user, String password) throws IOException {
        return loginWith(loginBody(user, password));
    }

    public ReplyFrame loginWith(byte[] body) throws IOException {
        ReplyFrame reply = exchange(register(body));
        if (reply.isOk()) {
            onLoggedIn(reply);
        }
        return reply;
    }

    /// The frame of a login.
    public RequestFrame register(byte[] body) {
        return new RequestFrame(client, 0, 0, Operation.REGISTER, 0, 0, body).stamped();
    }

    /// Takes the session of a successful login over, and begins to count requests anew.
    public void onLoggedIn(ReplyFrame reply) {
        Fields fields = new Fields(reply.payload());
        fields.u32();
        session = fields.u64();
        requestsTaken = 0;
    }

    /// Takes numbers above this one from now on, as one that comes back under a client id has to.
    public void resumeNumbering(long last) {
        requestsTaken = last;
    }

    public ReplyFrame logout() throws IOException {
        return exchange(write(Operation.LOGOUT, new byte[0]).stamped());
    }

    /// The frame of a non-replicated request: it carries the next number without taking it.
    public RequestFrame read(int code, byte[] body) {
        return new RequestFrame(client, 0, nextRequest(), Operation.NON_REPLICATED, session, code, body);
    }

    /// The frame of a write: it takes the next number.
    public RequestFrame write(int operation, byte[] body) {
        requestsTaken++;
        return new RequestFrame(client, 0, requestsTaken, operation, session, 0, body);
    }

    public ReplyFrame ask(int code, byte[] body) throws IOException {
        return exchange(read(code, body));
    }

    public ReplyFrame ask(int code, Body body) throws IOException {
        return ask(code, body.toBytes());
    }

    public ReplyFrame change(int operation, byte[] body) throws IOException {
        RequestFrame frame = write(operation, body);
        return exchange(operation < Operation.SEND ? frame.stamped() : frame);
    }

    public ReplyFrame change(int operation, Body body) throws IOException {
        return change(operation, body.toBytes());
    }

    /// A write; the identical frame again while the answer is one of the transient codes 57 and 58, as published
    /// clients do.
    public ReplyFrame persist(int operation, byte[] body) throws IOException {
        RequestFrame unstamped = write(operation, body);
        RequestFrame frame = operation < Operation.SEND ? unstamped.stamped() : unstamped;
        for (int attempt = 1; ; attempt++) {
            ReplyFrame reply = exchange(frame);
            if (!isTransient(reply) || attempt == ATTEMPTS_MAX) {
                return reply;
            }
            LockSupport.parkNanos(ATTEMPT_PAUSE_NANOS);
        }
    }

    private static boolean isTransient(ReplyFrame reply) {
        return reply.outcome().endsWith(" 58") || reply.outcome().endsWith(" 57");
    }

    public ReplyFrame exchange(RequestFrame frame) throws IOException {
        transmit(frame.toBytes());
        ReplyFrame reply = receive();
        if (!reply.isEviction() && reply.request() != frame.request()) {
            throw new AssertionError("request " + frame.request() + " was answered as " + reply.request());
        }
        return reply;
    }

    public void transmit(byte[] bytes) throws IOException {
        transmit(bytes, 0, bytes.length);
    }

    public void transmit(byte[] bytes, int start, int length) throws IOException {
        output.write(bytes, start, length);
        output.flush();
    }

    /// What is to be done when a reply does not come, so that the reason can be found.
    public static void onMissingReply(Runnable action) {
        whenReplyIsMissing = action;
    }

    public ReplyFrame receive() throws IOException {
        try {
            return receiveFrame();
        } catch (SocketTimeoutException e) {
            whenReplyIsMissing.run();
            throw e;
        }
    }

    /// The next frame, or none when nothing has come for as long as `patience`.
    public Optional<ReplyFrame> receiveWithin(Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        try {
            input.mark(1);
            if (input.read() >= 0) {
                input.reset();
            }
        } catch (SocketTimeoutException _) {
            return Optional.empty();
        } finally {
            socket.setSoTimeout(replyMillisMax);
        }
        return Optional.of(receiveFrame());
    }

    private ReplyFrame receiveFrame() throws IOException {
        byte[] header = input.readNBytes(RequestFrame.HEADER_BYTES);
        if (header.length < RequestFrame.HEADER_BYTES) {
            throw new EOFException("the server closed the connection after " + header.length + " bytes of a header");
        }
        int size = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getInt(48);
        if (size < RequestFrame.HEADER_BYTES || size > 64 << 20) {
            throw new AssertionError("the server sent a frame of " + size + " bytes");
        }
        byte[] body = input.readNBytes(size - RequestFrame.HEADER_BYTES);
        if (body.length < size - RequestFrame.HEADER_BYTES) {
            throw new EOFException("the server closed the connection in the middle of a reply");
        }
        return new ReplyFrame(header, body);
    }

    /// Waits until the server has closed the connection. False when a frame or nothing came instead.
    public boolean isClosedByServer(Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        try {
            return input.read() < 0;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) {
            return true;
        } finally {
            if (!socket.isClosed()) {
                socket.setSoTimeout(replyMillisMax);
            }
        }
    }

    /// Whether nothing at all arrives for as long as `patience`.
    public boolean isSilent(Duration patience) throws IOException {
        socket.setSoTimeout((int) patience.toMillis());
        try {
            input.read();
            return false;
        } catch (SocketTimeoutException _) {
            return true;
        } finally {
            socket.setSoTimeout(replyMillisMax);
        }
    }

    /// Whether something has arrived that was not read.
    public boolean hasArrived() throws IOException {
        return input.available() > 0;
    }

    /// What has arrived and was not read: thrown away. Says how much that was.
    public int discardArrived() throws IOException {
        int available = input.available();
        return (int) input.skip(available);
    }

    /// Makes [#close] reset the connection instead of ending it politely.
    public void closeByReset() throws IOException {
        socket.setSoLinger(true, 0);
    }

    /// Closes the sending half only.
    public void finishSending() throws IOException {
        socket.shutdownOutput();
    }

    public int localPort() {
        return socket.getLocalPort();
    }

    // Commands that must succeed.

    public StreamDescription createStream(String name) throws IOException {
        Fields fields = succeed(
                "create stream " + name,
                change(Operation.CREATE_STREAM, Body.of().name(name)));
        return StreamDescription.read(fields);
    }

    public TopicDescription createTopic(String stream, String topic, int partitions, byte[] options)
            throws IOException {
        Body body = Body.of().id(stream).u32(partitions).name(topic).raw(options);
        Fields fields = succeed("create topic " + topic, persist(Operation.CREATE_TOPIC, body.toBytes()));
        return TopicDescription.readWithPartitions(fields);
    }

    public TopicDescription createTopic(String stream, String topic, int partitions) throws IOException {
        return createTopic(stream, topic, partitions, new byte[0]);
    }

    public void succeed(int operation, Body body) throws IOException {
        succeed("operation " + operation, persist(operation, body.toBytes())).mustEnd();
    }

    /// A write that must succeed and whose reply has a payload.
    public Fields succeedWith(int operation, Body body) throws IOException {
        return succeed("operation " + operation, persist(operation, body.toBytes()));
    }

    public Optional<StreamDescription> stream(String name) throws IOException {
        Fields fields = succeed("get stream " + name, ask(Code.STREAM, Body.of().id(name)));
        return fields.hasMore() ? Optional.of(StreamDescription.readWithTopics(fields)) : Optional.empty();
    }

    public List<StreamDescription> streams() throws IOException {
        Fields fields = succeed("get streams", ask(Code.STREAMS, Body.of()));
        List<StreamDescription> streams = new ArrayList<>();
        while (fields.hasMore()) {
            streams.add(StreamDescription.read(fields));
        }
        return streams;
    }

    public Optional<TopicDescription> topic(String stream, String topic) throws IOException {
        Fields fields = succeed(
                "get topic " + topic, ask(Code.TOPIC, Body.of().id(stream).id(topic)));
        return fields.hasMore() ? Optional.of(TopicDescription.readWithPartitions(fields)) : Optional.empty();
    }

    public static byte[] sendBody(String stream, String topic, Partitioning partitioning, List<Message> messages) {
        return sendBody(
                stream,
                topic,
                partitioning,
                messages.size(),
                Batch.encode(messages, System.currentTimeMillis() * 1000));
    }

    public static byte[] sendBody(
            String stream, String topic, Partitioning partitioning, long messagesCount, byte[] batch) {
        byte[] target = Body.of()
                .id(stream)
                .id(topic)
                .raw(partitioning.bytes())
                .u32(messagesCount)
                .toBytes();
        return Body.of().u32(target.length).raw(target).raw(batch).toBytes();
    }

    public Confirmation send(String stream, String topic, Partitioning partitioning, List<Message> messages)
            throws IOException {
        ReplyFrame reply = persist(Operation.SEND, sendBody(stream, topic, partitioning, messages));
        return confirmationOf(reply);
    }

    public Confirmation send(String stream, String topic, Partitioning partitioning, String... payloads)
            throws IOException {
        List<Message> messages = new ArrayList<>();
        for (String payload : payloads) {
            messages.add(Message.of(payload));
        }
        return send(stream, topic, partitioning, messages);
    }

    public static Confirmation confirmationOf(ReplyFrame reply) {
        if (!reply.isOk()) {
            throw new RefusedException("send", reply.outcome());
        }
        return Confirmation.of(reply.body());
    }

    public static byte[] pollBody(
            Body consumer, String stream, String topic, long partition, Strategy strategy, long count, boolean commit) {
        return Body.of()
                .raw(consumer.toBytes())
                .id(stream)
                .id(topic)
                .partition(partition)
                .strategy(strategy.kind(), strategy.value())
                .u32(count)
                .u8(commit ? 1 : 0)
                .toBytes();
    }

    public Polled poll(
            Body consumer, String stream, String topic, long partition, Strategy strategy, long count, boolean commit)
            throws IOException {
        ReplyFrame reply = ask(Code.POLL, pollBody(consumer, stream, topic, partition, strategy, count, commit));
        if (!reply.isOk()) {
            throw new RefusedException("poll", reply.outcome());
        }
        return polled(reply);
    }

    /// The messages in the reply to a poll.
    public static Polled polled(ReplyFrame reply) {
        return Polled.of(reply.body());
    }

    public Polled poll(String stream, String topic, long partition, Strategy strategy, long count) throws IOException {
        return poll(Body.of().consumer(1), stream, topic, partition, strategy, count, false);
    }

    public ReplyFrame storeOffset(Body consumer, String stream, String topic, long partition, long offset)
            throws IOException {
        return change(
                Operation.STORE_OFFSET,
                Body.of()
                        .raw(consumer.toBytes())
                        .id(stream)
                        .id(topic)
                        .partition(partition)
                        .u64(offset)
                        .u8(1));
    }

    public ReplyFrame deleteOffset(Body consumer, String stream, String topic, long partition) throws IOException {
        return change(
                Operation.DELETE_OFFSET,
                Body.of()
                        .raw(consumer.toBytes())
                        .id(stream)
                        .id(topic)
                        .partition(partition)
                        .u8(1));
    }

    public OptionalLong storedOffset(Body consumer, String stream, String topic, long partition) throws IOException {
        Fields fields = succeed(
                "get offset",
                ask(
                        Code.OFFSET,
                        Body.of().raw(consumer.toBytes()).id(stream).id(topic).partition(partition)));
        if (!fields.hasMore()) {
            return OptionalLong.empty();
        }
        fields.u32();
        fields.u64();
        long stored = fields.u64();
        fields.mustEnd();
        return OptionalLong.of(stored);
    }

    private static Fields succeed(String command, ReplyFrame reply) {
        if (!reply.isOk()) {
            throw new RefusedException(command, reply.outcome());
        }
        return new Fields(reply.payload());
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
