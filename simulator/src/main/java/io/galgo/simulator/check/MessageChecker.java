package io.galgo.simulator.check;

import io.galgo.model.CommittedMetadata.Place;
import io.galgo.protocol.PollingStrategy;
import io.galgo.protocol.reply.SendConfirmation;
import io.galgo.simulator.check.Incarnations.Incarnation;
import io.galgo.simulator.world.End;
import io.galgo.simulator.world.Violation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What was confirmed stays, unchanged, at its offset; an offset that was ever told means one message for ever;
/// nothing is there that nobody sent, or more often than it was sent; offsets have no gaps but those that a loss
/// explains.
///
/// Keeps a book of each partition: every offset that an answer named, and the message there.
public final class MessageChecker {
    static final String LOST = "what was confirmed is there";
    static final String CHANGED = "an offset means one message for ever";
    static final String PHANTOM = "nothing is there that nobody sent";
    static final String COPIED = "nothing is there more often than it was sent";
    static final String RETURNED = "what was deleted does not come back";
    static final String ASLEEP = "a poll that waits gets what comes";
    static final String GAP = "offsets have no gaps";
    static final String DISORDER = "what is sent after a confirmation comes behind it";
    static final String TIME = "the times of messages never go back";

    private static final long UNKNOWN = -1;
    private static final int ANSWERS_TOLD = 12;

    /// What is known of one offset.
    private static final class Entry {
        final long sending;
        final int index;
        long timestamp = UNKNOWN;
        /// When a client was told that it is there, [#UNKNOWN] while nobody was.
        long confirmedNanos = UNKNOWN;
        /// Whether something happened that allows it to be gone.
        boolean isExcused;
        /// The process that did not have it any more, [#UNKNOWN] while none is known.
        long goneInLife = UNKNOWN;

        Entry(long sending, int index) {
            this.sending = sending;
            this.index = index;
        }
    }

    /// What is known of one partition.
    private static final class Book {
        final TreeMap<Long, Entry> entries = new TreeMap<>();
        /// Whether offsets may have been left out.
        boolean mayHaveGaps;
        /// Whether reads may fail for good.
        boolean isDamaged;
        /// Whether the oldest messages may be gone by someone's wish.
        boolean mayShrink;
        /// Whether offsets may be given again.
        boolean isForgetful;
    }

    private record Copy(Incarnation incarnation, long base) {}

    private final Map<Incarnation, Book> books = new LinkedHashMap<>();
    private final Map<Long, Sending> sendings = new HashMap<>();
    private final Map<Long, Set<Copy>> copies = new HashMap<>();
    private boolean mayCopiesBeForgotten;
    private boolean isScarce;
    private boolean isResized;
    private final Set<Place> failedWrites = new HashSet<>();
    private final Set<Place> damaged = new HashSet<>();
    private final Set<Place> forgetful = new HashSet<>();
    private int life;
    private long powerLostNanos = Long.MIN_VALUE;
    private long polledMessages;
    private long confirmedMessages;

    // The world

    /// @param number of the process that begins
    public void onStarted(int number) {
        life = number;
    }

    public void onDied(End end, long nowNanos) {
        if (end != End.POWER_LOSS) {
            return;
        }
        powerLostNanos = nowNanos;
        books.forEach((incarnation, book) -> {
            book.mayHaveGaps = true;
            if (!incarnation.isPersisted()) {
                book.entries.values().forEach(entry -> entry.isExcused = true);
            }
        });
    }

    /// A write to a partition failed: offsets may have been taken for it that nobody will see.
    public void onFailedWrite(Place place) {
        failedWrites.add(place);
        forEachBook(place, book -> book.mayHaveGaps = true);
    }

    /// Stored messages were damaged: what lies there may not be readable any more.
    public void onDamage(Place place) {
        damaged.add(place);
        forEachBook(place, MessageChecker::damage);
    }

    /// Writes may fail anywhere, for want of space or handles.
    public void onScarcity() {
        isScarce = true;
        books.values().forEach(book -> book.mayHaveGaps = true);
    }

    /// What a partition must remember of itself was damaged. Then it may begin its last purge again.
    public void onAmnesia(Place place) {
        forgetful.add(place);
        onDamage(place);
        forEachBook(place, book -> book.isForgetful = true);
    }

    private void forEachBook(Place place, Consumer<Book> action) {
        books.forEach((incarnation, book) -> {
            if (incarnation.place().equals(place)) {
                action.accept(book);
            }
        });
    }

    private static void damage(Book book) {
        book.isDamaged = true;
        book.mayHaveGaps = true;
        book.entries.values().forEach(entry -> entry.isExcused = true);
    }

    /// Somebody wished that the oldest messages of a partition go.
    public void onShrinking(Incarnation incarnation) {
        book(incarnation).mayShrink = true;
    }

    /// Topics have another number of partitions, so that a key may belong to another one.
    public void onResized() {
        isResized = true;
    }

    /// Repeats may be executed again, since the server remembers too few of them.
    public void onForgetfulServer() {
        mayCopiesBeForgotten = true;
    }

    // Sends

    /// @param target the partition that it can only meet, if that is known
    /// @param partitionsCount of the topic
    public void onTransmitted(Exchange send, @Nullable Incarnation target, int partitionsCount) {
        Sending sending = sendingOf(send);
        if (sendings.put(sending.number, sending) == null && target != null) {
            Book book = book(target);
            Map.Entry<Long, Entry> last = book.entries.lastEntry();
            while (last != null && last.getValue().confirmedNanos == UNKNOWN) {
                last = book.entries.lowerEntry(last.getKey());
            }
            sending.floor = new Sending.Floor(target, last == null ? UNKNOWN : last.getKey());
        }
        sending.onTransmitted(send.client, send.number, life, partitionsCount);
        send.life = life;
    }

    public void onRefused(Exchange send) {
        sendingOf(send).onRefused(send.client, send.number, send.life);
    }

    /// @param met the partition that the request can only have met, if that is known
    public void onConfirmed(Exchange send, SendConfirmation confirmation, @Nullable Incarnation met, long nowNanos) {
        Sending sending = sendingOf(send);
        if (sending.isPinned() && confirmation.partitionId() != sending.partition) {
            throw new Violation(PHANTOM, sending + " is confirmed in partition " + confirmation.partitionId());
        }
        sending.acknowledgements++;
        if (met == null) {
            return;
        }
        long base = confirmation.baseOffset();
        Sending.Floor floor = sending.floor;
        boolean isFirst = sending.copiesMax() == 1 && sending.acknowledgements == 1;
        if (floor != null
                && isFirst
                && floor.incarnation().equals(met)
                && base <= floor.offset()
                && !book(met).isForgetful) {
            throw new Violation(
                    DISORDER,
                    sending + " is at " + base + " of " + met + ", and offset " + floor.offset()
                            + " was told before it was sent");
        }
        Book book = book(met);
        for (int i = 0; i < sending.messagesCount; i++) {
            Entry entry = learn(met, book, base + i, sending.number, i);
            if (entry.confirmedNanos == UNKNOWN) {
                entry.confirmedNanos = nowNanos;
                confirmedMessages++;
            }
            // A confirmation may have been on its way when the power was lost.
            boolean isOlder = send.transmittedNanos <= powerLostNanos && !met.isPersisted();
            entry.isExcused = book.isDamaged || isOlder;
        }
    }

    static Sending sendingOf(Exchange send) {
        Sending sending = send.sending;
        if (sending == null) {
            throw new IllegalArgumentException(send + " sends nothing");
        }
        return sending;
    }

    private Book book(Incarnation incarnation) {
        return books.computeIfAbsent(incarnation, _ -> {
            Book book = new Book();
            Place place = incarnation.place();
            book.isDamaged = damaged.contains(place);
            book.mayHaveGaps = incarnation.sinceNanos() <= powerLostNanos
                    || book.isDamaged
                    || isScarce
                    || failedWrites.contains(place);
            book.isForgetful = forgetful.contains(place);
            return book;
        });
    }

    private Entry learn(Incarnation incarnation, Book book, long offset, long sending, int index) {
        Entry known = book.entries.get(offset);
        if (known != null && !(book.isForgetful && known.sending != sending)) {
            if (known.sending != sending || known.index != index) {
                throw new Violation(
                        CHANGED,
                        "offset " + offset + " of " + incarnation + " was message " + known.index + " of "
                                + sendings.get(known.sending) + " and is message " + index + " of "
                                + sendings.get(sending));
            }
            return known;
        }
        count(incarnation, offset - index, sending);
        Entry entry = new Entry(sending, index);
        book.entries.put(offset, entry);
        return entry;
    }

    private void count(Incarnation incarnation, long base, long number) {
        Set<Copy> found = copies.computeIfAbsent(number, _ -> new LinkedHashSet<>());
        found.add(new Copy(incarnation, base));
        Sending sending = sendings.get(number);
        boolean mayHaveMoved = isResized && sending != null && !sending.isPinned();
        if (sending != null && found.size() > sending.copiesMax() && !mayCopiesBeForgotten && !mayHaveMoved) {
            String where = found.toString();
            throw new Violation(
                    sending.copiesMax() == 0 ? PHANTOM : COPIED,
                    sending + " is at " + where + ", and can be in " + sending.copiesMax() + " places: "
                            + sending.open.keySet());
        }
    }

    // Polls

    /// A poll was answered with messages, or none.
    ///
    /// @param met the partition that the poll can only have met, if that is known
    /// @param begunNanos when it was sent
    public void onPolled(
            Exchange poll,
            @Nullable Incarnation met,
            PollingStrategy strategy,
            int partition,
            long currentOffset,
            List<Polled> messages,
            long begunNanos) {
        polledMessages += messages.size();
        for (Polled message : messages) {
            checkContent(message, partition);
        }
        if (met == null) {
            return;
        }
        Book book = book(met);
        long before = UNKNOWN;
        long timeBefore = UNKNOWN;
        for (Polled message : messages) {
            Entry entry = learn(met, book, message.offset(), message.sending(), message.index());
            if (entry.goneInLife != UNKNOWN && poll.life > entry.goneInLife) {
                throw new Violation(
                        RETURNED,
                        poll + ": offset " + message.offset() + " of " + met + " was gone in process "
                                + entry.goneInLife + " and is there in process " + poll.life);
            }
            if (before != UNKNOWN) {
                checkBetween(poll, met, book, before, message.offset(), begunNanos);
            }
            if (message.timestamp() < timeBefore) {
                throw new Violation(TIME, "offset " + message.offset() + " of " + met + " is older than " + before);
            }
            if (entry.timestamp != UNKNOWN && entry.timestamp != message.timestamp()) {
                throw new Violation(CHANGED, "the time of offset " + message.offset() + " of " + met);
            }
            entry.timestamp = message.timestamp();
            before = message.offset();
            timeBefore = message.timestamp();
        }
        checkStart(poll, met, book, strategy, messages, begunNanos);
        Map.Entry<Long, Entry> last = lastCertain(book, begunNanos);
        if (last != null && currentOffset < last.getKey()) {
            throw new Violation(
                    LOST,
                    poll + ": the last offset of " + met + " is " + currentOffset + ", and " + last.getKey()
                            + " was told before: " + answers(book, last.getKey()));
        }
    }

    /// A poll of a partition was refused because what is stored there cannot be read.
    public void onUnreadable(Exchange poll, @Nullable Incarnation met, int error) {
        if (met != null && !book(met).isDamaged && !book(met).mayHaveGaps) {
            throw new Violation(LOST, poll + " is refused with " + error + ", and nothing was damaged");
        }
    }

    private void checkContent(Polled message, int partition) {
        Sending sending = sendings.get(message.sending());
        if (sending == null || message.index() < 0 || message.index() >= sending.messagesCount) {
            throw new Violation(
                    PHANTOM,
                    "offset " + message.offset() + " has message " + message.index() + " of sending "
                            + message.sending() + ", which is " + sending);
        }
        if (sending.isPinned() && sending.partition != partition) {
            throw new Violation(PHANTOM, sending + " is in partition " + partition);
        }
        if (sending.copiesMax() == 0) {
            throw new Violation(
                    PHANTOM, sending + " is at offset " + message.offset() + ", and was refused each time it was sent");
        }
        boolean isSame = message.payload().remaining() == sending.payloadBytes(message.index());
        for (int i = 0; isSame && i < message.payload().remaining(); i++) {
            isSame = message.payload().get(i) == sending.payloadByte(message.index(), i);
        }
        if (!isSame) {
            throw new Violation(
                    Polled.PROMISE,
                    "message " + message.index() + " of " + sending + " has another payload at offset "
                            + message.offset());
        }
    }

    /// Two messages came one after the other.
    private void checkBetween(
            Exchange poll, Incarnation incarnation, Book book, long before, long after, long begunNanos) {
        if (after <= before) {
            throw new Violation(GAP, poll + ": offset " + after + " of " + incarnation + " comes behind " + before);
        }
        if (after == before + 1) {
            return;
        }
        checkNoneMissing(poll, incarnation, book, before + 1, after, begunNanos);
        if (!book.mayHaveGaps) {
            throw new Violation(
                    GAP,
                    poll + ": offset " + after + " of " + incarnation + " comes behind " + before
                            + ", and nothing has happened that explains it");
        }
    }

    private void checkStart(
            Exchange poll,
            Incarnation incarnation,
            Book book,
            PollingStrategy strategy,
            List<Polled> messages,
            long begunNanos) {
        long start = switch (strategy.kind()) {
            case PollingStrategy.KIND_OFFSET -> strategy.value();
            case PollingStrategy.KIND_FIRST -> 0;
            default -> UNKNOWN;
        };
        if (book.mayShrink && start != UNKNOWN && !messages.isEmpty()) {
            noteGone(poll, book, start, messages.getFirst().offset());
        }
        if (start == UNKNOWN || book.mayShrink) {
            return;
        }
        long end = messages.isEmpty() ? Long.MAX_VALUE : messages.getFirst().offset();
        if (end < start) {
            throw new Violation(GAP, poll + " begins with offset " + end + " of " + incarnation);
        }
        checkNoneMissing(poll, incarnation, book, start, end, begunNanos);
        if (!messages.isEmpty() && end > start && !book.mayHaveGaps) {
            throw new Violation(
                    GAP,
                    poll + " begins with offset " + end + " of " + incarnation
                            + ", and nothing has happened that explains it");
        }
    }

    /// Messages were passed over. Unless damage hides them, they are gone for good.
    private static void noteGone(Exchange poll, Book book, long from, long to) {
        if (book.isDamaged || book.isForgetful || from >= to) {
            return;
        }
        for (Entry entry : book.entries.subMap(from, to).values()) {
            if (entry.goneInLife == UNKNOWN) {
                entry.goneInLife = poll.life;
            }
        }
    }

    /// A poll waited for messages and came back without any.
    ///
    /// @param waitMicros how long it was to wait
    public void onWaitedInVain(
            Exchange poll, @Nullable Incarnation met, PollingStrategy strategy, long waitMicros, long nowNanos) {
        // The clock of the server may be off by a twentieth, and the end of the wait may have been under way.
        long end = poll.begunNanos + waitMicros * 800;
        boolean isFromOffset = strategy.kind() == PollingStrategy.KIND_OFFSET;
        if (met == null
                || poll.transmissions != 1
                || nowNanos < end
                || !(isFromOffset || strategy.kind() == PollingStrategy.KIND_FIRST)
                || book(met).mayShrink) {
            return;
        }
        Map.Entry<Long, Entry> last = lastCertain(book(met), end);
        if (last != null && last.getKey() >= (isFromOffset ? strategy.value() : 0)) {
            throw new Violation(
                    ASLEEP,
                    poll + " got nothing, and offset " + last.getKey() + " of " + met + " was told while it waited");
        }
    }

    private static void checkNoneMissing(
            Exchange poll, Incarnation incarnation, Book book, long from, long to, long begunNanos) {
        for (Map.Entry<Long, Entry> each : book.entries.subMap(from, to).entrySet()) {
            Entry entry = each.getValue();
            if (isCertain(entry, begunNanos)) {
                throw new Violation(
                        LOST,
                        poll + ": offset " + each.getKey() + " of " + incarnation + " is missing: "
                                + answers(book, each.getKey()));
            }
        }
    }

    private static boolean isCertain(Entry entry, long begunNanos) {
        return !entry.isExcused && entry.confirmedNanos != UNKNOWN && entry.confirmedNanos < begunNanos;
    }

    private static Map.@Nullable Entry<Long, Entry> lastCertain(Book book, long begunNanos) {
        Map.Entry<Long, Entry> last = book.entries.lastEntry();
        while (last != null && !isCertain(last.getValue(), begunNanos)) {
            last = book.entries.lowerEntry(last.getKey());
        }
        return last;
    }

    /// What is known around an offset, for the text of a failure.
    private static String answers(Book book, long offset) {
        StringBuilder text = new StringBuilder();
        book.entries
                .subMap(offset - ANSWERS_TOLD, offset + ANSWERS_TOLD)
                .forEach((at, entry) -> text.append(at)
                        .append("=")
                        .append(entry.sending)
                        .append(".")
                        .append(entry.index)
                        .append(
                                entry.confirmedNanos == UNKNOWN
                                        ? " "
                                        : "@" + entry.confirmedNanos / 1_000_000 + "ms"
                                                + (entry.isExcused ? "? " : " ")));
        return text.toString();
    }

    /// Whether messages of a partition that was read whole are all that must be there.
    ///
    /// @param offsets of the messages that were read, in order
    public void onReadWhole(Incarnation incarnation, Map<Long, Polled> offsets, long begunNanos) {
        Book book = book(incarnation);
        if (book.mayShrink) {
            return;
        }
        book.entries.forEach((offset, entry) -> {
            if (isCertain(entry, begunNanos) && !offsets.containsKey(offset)) {
                throw new Violation(
                        LOST,
                        "offset " + offset + " of " + incarnation + " is missing when everything is read: "
                                + answers(book, offset));
            }
        });
    }

    /// Messages that some client was told about, counted once each.
    public long confirmedMessages() {
        return confirmedMessages;
    }

    public long polledMessages() {
        return polledMessages;
    }
}
