package io.galgo.broker.mailbox;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/// The hand-over of parcels to one shard: many put, the owner takes. The only object that shards share.
///
/// Bounded, and it never waits for room. Whoever wants to put a parcel reserves room first ([#reserve]); a
/// reservation is used up by [#put] or given back by [#unreserve], and a put with a reservation cannot fail. So a
/// request and its reply can both be sure of their places before the request is on its way.
///
/// Parcels of one sender arrive in the order in which it put them. A parcel whose put has returned is seen by every
/// later [#isEmpty] and [#drain] of the owner. Driven by a single thread it is deterministic.
public final class Mailbox<P> {
    // `claimed` counts reservations not used yet and parcels not taken yet. It never exceeds the capacity, so a
    // sender that holds a reservation and draws number n from `tail` knows that number n - capacity has been taken:
    // its slot is empty. The owner empties a slot before it lowers `claimed`, and at least one of the senders up to
    // number n reserved after that, so the emptied slot is visible to all who draw numbers behind it.
    //
    // `isAwake` says that the owner is going to look anyway. The owner lowers it after its last look and then
    // looks once more; a sender raises it after its put. One of the two sees the other.

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Object[].class);
    private static final VarHandle CLAIMED;
    private static final VarHandle TAIL;
    private static final VarHandle IS_AWAKE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CLAIMED = lookup.findVarHandle(Mailbox.class, "claimed", int.class);
            TAIL = lookup.findVarHandle(Mailbox.class, "tail", long.class);
            IS_AWAKE = lookup.findVarHandle(Mailbox.class, "isAwake", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /// What the owner does with a parcel.
    @FunctionalInterface
    public interface Receiver<P> {
        void receive(P parcel);
    }

    private final int capacity;
    private final int mask;
    private final @Nullable Object[] slots;
    private final Runnable wakeUp;

    @SuppressWarnings("unused") // through CLAIMED
    private volatile int claimed;

    @SuppressWarnings("unused") // through TAIL
    private volatile long tail;

    @SuppressWarnings("unused") // through IS_AWAKE
    private volatile boolean isAwake;

    private long head;

    /// @param capacity parcels and reservations at a time
    /// @param wakeUp makes the owner call [#drain] soon; called on the sender's thread, and only when the owner may
    ///     not look by itself
    public Mailbox(int capacity, Runnable wakeUp) {
        if (capacity < 1 || capacity > 1 << 30) {
            throw new IllegalArgumentException("a mailbox of " + capacity + " parcels");
        }
        int slotsCount = Integer.highestOneBit(capacity);
        if (slotsCount < capacity) {
            slotsCount <<= 1;
        }
        this.capacity = capacity;
        this.mask = slotsCount - 1;
        this.slots = new @Nullable Object[slotsCount];
        this.wakeUp = wakeUp;
    }

    /// Claims room for one parcel; false when there is none. Any thread.
    public boolean reserve() {
        while (true) {
            int now = (int) CLAIMED.getAcquire(this);
            if (now >= capacity) {
                return false;
            }
            if (CLAIMED.weakCompareAndSet(this, now, now + 1)) {
                return true;
            }
        }
    }

    /// Gives a reservation back that is not needed. Any thread.
    public void unreserve() {
        CLAIMED.getAndAdd(this, -1);
    }

    /// Hands a parcel over for good. The caller holds a reservation, which is used up. Any thread.
    public void put(P parcel) {
        long number = (long) TAIL.getAndAdd(this, 1L);
        SLOT.setRelease(slots, (int) number & mask, parcel);
        VarHandle.fullFence();
        if (!isAwake && IS_AWAKE.compareAndSet(this, false, true)) {
            wakeUp.run();
        }
    }

    /// Whether no parcel waits. For the owner.
    public boolean isEmpty() {
        return head == (long) TAIL.getAcquire(this);
    }

    /// Gives every parcel that waits now to the receiver. Parcels that arrive meanwhile are left for another call,
    /// for which the owner is woken. For the owner.
    public void drain(Receiver<P> receiver) {
        long end = (long) TAIL.getAcquire(this);
        while (head < end) {
            receiver.receive(take());
        }
        isAwake = false;
        VarHandle.fullFence();
        if (!isEmpty() && IS_AWAKE.compareAndSet(this, false, true)) {
            wakeUp.run();
        }
    }

    @SuppressWarnings("unchecked") // only put() fills slots
    private P take() {
        int index = (int) head & mask;
        Object parcel = SLOT.getAcquire(slots, index);
        while (parcel == null) {
            // A sender has drawn its number and is about to fill the slot. Those behind it may have returned from
            // their puts already, so they must not look absent.
            Thread.onSpinWait();
            parcel = SLOT.getAcquire(slots, index);
        }
        SLOT.setRelease(slots, index, null);
        head++;
        CLAIMED.getAndAdd(this, -1);
        return (P) parcel;
    }
}
