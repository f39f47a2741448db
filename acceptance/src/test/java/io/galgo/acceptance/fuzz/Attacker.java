package io.galgo.acceptance.fuzz;

import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.RequestFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/// One source of bad connections. Confined to its thread.
final class Attacker {
    private static final int REMEMBERED = 64;
    private static final int OPERATION_AT = 176;
    private static final int BODY_AT = RequestFrame.HEADER_BYTES;
    private static final int NUMERIC = 1;
    private static final String ROOT = "iggy";

    private final Corpus corpus;
    private final Random random;
    private final List<byte[]> spared;
    private final Deque<byte[]> lastSent = new ArrayDeque<>();
    private long connections;
    private long frames;
    private long bytes;

    /// @param spared byte sequences that are never sent: the names of what others rely on
    Attacker(Corpus corpus, long seed, List<byte[]> spared) {
        this.corpus = corpus;
        this.random = new Random(seed);
        this.spared = spared;
    }

    /// Opens connections, one after the other, until `untilNanos`. A connection that the server closes is replaced.
    void attack(InetSocketAddress address, long untilNanos) throws IOException {
        while (System.nanoTime() < untilNanos) {
            connections++;
            try (RawClient client = RawClient.connect(address)) {
                if (random.nextInt(8) != 0) {
                    ReplyFrame reply = client.login(ROOT, ROOT);
                    if (!reply.isOk() && !reply.outcome().endsWith(" 58")) {
                        throw new AssertionError("a good login was answered with " + reply.outcome());
                    }
                }
                attackOn(client, untilNanos);
            } catch (java.net.ConnectException e) {
                throw e;
            } catch (IOException _) {
                // The server closed the connection, or a reset by this side came first: both are in order.
            }
        }
    }

    private void attackOn(RawClient client, long untilNanos) throws IOException {
        boolean isReading = random.nextInt(10) != 0;
        int count = 1 + random.nextInt(600);
        for (int i = 0; i < count && System.nanoTime() < untilNanos; i++) {
            byte[] next = draw(client);
            if (isSpared(next)) {
                continue;
            }
            remember(next);
            frames++;
            bytes += next.length;
            transmit(client, next);
            if (isReading && client.discardArrived() == 0 && random.nextInt(4) == 0) {
                LockSupport.parkNanos(200_000);
            }
        }
        switch (random.nextInt(4)) {
            case 0 -> client.closeByReset();
            case 1 -> client.finishSending();
            default -> LockSupport.parkNanos(random.nextInt(1_000_000));
        }
    }

    private byte[] draw(RawClient client) {
        byte[] frame = corpus.draw(client, random);
        adopt(frame, client);
        return random.nextInt(4) == 0 ? frame : Mutator.mutate(frame, corpus.draw(client, random), random);
    }

    /// Makes a recorded frame look like one of this client.
    private static void adopt(byte[] frame, RawClient client) {
        ByteBuffer fields = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        fields.put(128, client.clientId());
        if (fields.getLong(184) != 0) {
            fields.putLong(184, client.session());
        }
    }

    /// At once, or in pieces.
    private void transmit(RawClient client, byte[] next) throws IOException {
        if (random.nextInt(3) != 0) {
            client.transmit(next);
            return;
        }
        int position = 0;
        while (position < next.length) {
            int piece = Math.min(next.length - position, 1 + random.nextInt(400));
            client.transmit(next, position, piece);
            position += piece;
            if (random.nextInt(20) == 0) {
                LockSupport.parkNanos(500_000);
            }
        }
    }

    /// Whether a frame would rename or disable the user as whom everybody logs in, or change the password.
    private static boolean isAimedAtRoot(byte[] next) {
        int operation = next.length > BODY_AT ? next[OPERATION_AT] & 0xFF : 0;
        if (operation != Operation.UPDATE_USER && operation != Operation.CHANGE_PASSWORD) {
            return false;
        }
        return next[BODY_AT] == NUMERIC || new String(next, StandardCharsets.ISO_8859_1).contains(ROOT);
    }

    private boolean isSpared(byte[] next) {
        if (isAimedAtRoot(next)) {
            return true;
        }
        for (byte[] pattern : spared) {
            for (int i = 0; i + pattern.length <= next.length; i++) {
                if (java.util.Arrays.equals(next, i, i + pattern.length, pattern, 0, pattern.length)) {
                    return true;
                }
            }
        }
        return false;
    }

    private void remember(byte[] next) {
        lastSent.addLast(next);
        if (lastSent.size() > REMEMBERED) {
            lastSent.removeFirst();
        }
    }

    /// What was sent last, oldest first, as hexadecimal digits.
    List<String> lastSent() {
        List<String> lines = new ArrayList<>();
        lastSent.forEach(next -> lines.add(HexFormat.of().formatHex(next)));
        return lines;
    }

    String figures() {
        return connections + " connections, " + frames + " frames, " + bytes / 1024 + " KiB";
    }
}
