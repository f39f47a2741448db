package io.galgo.torture.campaign;

import io.galgo.torture.history.Ledger;
import io.galgo.torture.history.Ledger.Place;
import io.galgo.torture.history.Payload;
import io.galgo.torture.wire.Confirmation;
import io.galgo.torture.wire.Message;
import io.galgo.torture.wire.Operation;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.Polled;
import io.galgo.torture.wire.PolledMessage;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import io.galgo.torture.wire.Strategy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Sends batches one by one, keeps the ledger, and reads partitions back.
record Producer(String stream, Ledger ledger, Sequence sequence) {
    /// Any other refusal says that the messages are not in the log and never will be. Behind this one they may be.
    private static final String UNKNOWN = "DENY 57";

    /// Sends a batch of messages of `bytes` each. Returns what it was answered with.
    String send(RawClient client, Place place, int count, int bytes) throws IOException {
        long[] ids = new long[count];
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids[i] = sequence.id(bytes);
            messages.add(Message.of(Payload.of(ids[i])));
        }
        ledger.sending(ids);
        byte[] body = RawClient.sendBody(stream, place.topic(), Partitioning.to(place.partition()), messages);
        ReplyFrame reply = client.change(Operation.SEND, body);
        String outcome = reply.outcome();
        if (reply.isOk()) {
            Confirmation confirmation = RawClient.confirmationOf(reply);
            ledger.acknowledged(place, confirmation.baseOffset(), ids);
        } else if (!outcome.equals(UNKNOWN)) {
            ledger.refused(ids);
        }
        return outcome;
    }

    List<PolledMessage> readAll(RawClient client, Place place) throws IOException {
        List<PolledMessage> all = new ArrayList<>();
        long next = 0;
        while (true) {
            Polled polled = client.poll(stream, place.topic(), place.partition(), Strategy.offset(next), 1000);
            if (polled.messages().isEmpty()) {
                return all;
            }
            all.addAll(polled.messages());
            next = all.getLast().offset() + 1;
        }
    }

    /// Judges these partitions.
    void judge(RawClient client, List<Place> places) throws IOException {
        for (Place place : places) {
            ledger.check(place, readAll(client, place));
        }
        ledger.endRound();
    }
}
