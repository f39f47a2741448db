package io.galgo.broker.mailbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class MailboxTest {
    private final AtomicInteger wakeUps = new AtomicInteger();

    private Mailbox<String> mailbox(int capacity) {
        return new Mailbox<>(capacity, wakeUps::incrementAndGet);
    }

    private static List<String> drained(Mailbox<String> mailbox) {
        List<String> parcels = new ArrayList<>();
        mailbox.drain(parcels::add);
        return parcels;
    }

    @Test
    void parcelsArriveInTheOrderOfTheirPuts() {
        Mailbox<String> mailbox = mailbox(4);
        for (String parcel : List.of("a", "b", "c")) {
            assertThat(mailbox.reserve()).isTrue();
            mailbox.put(parcel);
        }
        assertThat(drained(mailbox)).containsExactly("a", "b", "c");
        assertThat(mailbox.isEmpty()).isTrue();
    }

    @Test
    void aFullMailboxRefusesAtItsExactCapacity() {
        Mailbox<String> mailbox = mailbox(3);
        assertThat(mailbox.reserve()).isTrue();
        assertThat(mailbox.reserve()).isTrue();
        assertThat(mailbox.reserve()).isTrue();
        assertThat(mailbox.reserve()).as("a fourth reservation").isFalse();
    }

    @Test
    void aReservationHoldsItsRoomUntilItIsGivenBack() {
        Mailbox<String> mailbox = mailbox(1);
        assertThat(mailbox.reserve()).isTrue();
        assertThat(mailbox.reserve()).isFalse();
        mailbox.unreserve();
        assertThat(mailbox.reserve()).as("after the first was given back").isTrue();
        mailbox.put("a");
        assertThat(mailbox.reserve()).as("while the parcel waits").isFalse();
        assertThat(drained(mailbox)).containsExactly("a");
        assertThat(mailbox.reserve()).as("after the parcel was taken").isTrue();
    }

    @Test
    void aLateReservationStillFindsItsSlotEmptyAfterManyRounds() {
        Mailbox<String> mailbox = mailbox(3);
        assertThat(mailbox.reserve()).isTrue();
        for (int round = 0; round < 100; round++) {
            assertThat(mailbox.reserve()).isTrue();
            mailbox.put("round " + round);
            assertThat(drained(mailbox)).containsExactly("round " + round);
        }
        mailbox.put("late");
        assertThat(drained(mailbox)).containsExactly("late");
    }

    @Test
    void theOwnerIsWokenOnceForManyParcels() {
        Mailbox<String> mailbox = mailbox(8);
        for (int i = 0; i < 5; i++) {
            mailbox.reserve();
            mailbox.put("parcel");
        }
        assertThat(wakeUps).hasValue(1);
        drained(mailbox);
        mailbox.reserve();
        mailbox.put("another");
        assertThat(wakeUps).hasValue(2);
    }

    @Test
    void parcelsThatArriveDuringADrainAreLeftForTheNextOneAndWakeTheOwner() {
        Mailbox<String> mailbox = mailbox(8);
        mailbox.reserve();
        mailbox.put("first");
        List<String> seen = new ArrayList<>();
        mailbox.drain(parcel -> {
            seen.add(parcel);
            mailbox.reserve();
            mailbox.put("second");
        });
        assertThat(seen).containsExactly("first");
        assertThat(wakeUps)
                .as("wake-ups: the first put and the end of the drain")
                .hasValue(2);
        assertThat(drained(mailbox)).containsExactly("second");
    }

    /// Senders that reserve, put, give back and put late, against an owner that sleeps whenever it may.
    @Test
    void nothingIsLostDoubledOrReorderedBetweenThreads() throws Exception {
        int sendersCount = 4;
        int parcelsCount = 50_000;
        Semaphore awake = new Semaphore(0);
        Mailbox<long[]> mailbox = new Mailbox<>(7, awake::release);
        CountDownLatch sendersDone = new CountDownLatch(sendersCount);
        AtomicLong refusals = new AtomicLong();
        List<Thread> senders = new ArrayList<>();
        for (int s = 0; s < sendersCount; s++) {
            int sender = s;
            senders.add(Thread.ofPlatform().start(() -> {
                for (long n = 0; n < parcelsCount; n++) {
                    if (n % 5 == 0 && mailbox.reserve()) {
                        mailbox.unreserve();
                    }
                    while (!mailbox.reserve()) {
                        refusals.incrementAndGet();
                        LockSupport.parkNanos(1_000);
                    }
                    mailbox.put(new long[] {sender, n});
                }
                sendersDone.countDown();
            }));
        }
        long[] next = new long[sendersCount];
        long[] received = new long[1];
        List<String> wrong = new ArrayList<>();
        while (received[0] < (long) sendersCount * parcelsCount && wrong.isEmpty()) {
            if (!awake.tryAcquire(10, TimeUnit.SECONDS)) {
                wrong.add("the owner slept with " + received[0] + " parcels received");
                break;
            }
            mailbox.drain(parcel -> {
                if (parcel[1] != next[(int) parcel[0]]++) {
                    wrong.add("sender " + parcel[0] + " sent " + parcel[1] + " out of turn");
                }
                received[0]++;
            });
        }
        assertThat(wrong).isEmpty();
        assertThat(sendersDone.await(30, TimeUnit.SECONDS)).isTrue();
        for (Thread sender : senders) {
            sender.join();
        }
        assertThat(mailbox.isEmpty()).isTrue();
        assertThat(refusals.get()).as("a mailbox of 7 was full now and then").isPositive();
        for (int i = 0; i < 7; i++) {
            assertThat(mailbox.reserve()).as("all room is free again").isTrue();
        }
        assertThat(mailbox.reserve()).isFalse();
    }
}
