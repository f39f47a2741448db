package io.galgo.broker.shard;

import io.galgo.broker.mailbox.Mailbox;
import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.MetadataOperation;
import io.galgo.broker.metadata.Outcome;
import io.galgo.broker.metadata.Stream;
import io.galgo.broker.metadata.Topic;
import io.galgo.broker.metadata.User;
import io.galgo.broker.partition.PartitionDirectory;
import io.galgo.storage.Invariant;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.journal.MetadataJournal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// All shards of one node and the mailboxes between them.
///
/// Start-up, on the caller's thread and before any shard's thread runs: [#recover] reads the metadata and each
/// shard's partitions. After it every method belongs to the shards' threads.
public final class Node {
    /// Where the metadata journal is.
    static final String METADATA = "metadata";

    /// Where what is to be removed waits for it.
    static final String DISCARDED = "discarded";

    private final List<Shard> shards;
    private final List<Mailbox<Parcel>> mailboxes;

    private Node(List<Shard> shards, List<Mailbox<Parcel>> mailboxes) {
        this.shards = List.copyOf(shards);
        this.mailboxes = List.copyOf(mailboxes);
    }

    /// Opens the metadata journal and every partition in the data directory and makes the shards.
    ///
    /// @param environments one for each shard, in order
    /// @param root used when the journal is empty
    /// @param memoryWasLost whether written but unsynced bytes may be missing (the machine restarted since the
    ///     last run)
    /// @throws Unreadable when the metadata must not be used as they are
    public static Node recover(
            BrokerSettings settings,
            List<ShardEnvironment> environments,
            Supplier<RootUser> root,
            boolean memoryWasLost) {
        return recover(settings, environments, root, null, memoryWasLost);
    }

    /// The same, and before anything else the root user gets another password.
    ///
    /// @param newPassword is told the root user's name and gives the hash of the password, null for none. Not asked
    ///     when the journal is empty
    public static Node recover(
            BrokerSettings settings,
            List<ShardEnvironment> environments,
            Supplier<RootUser> root,
            @Nullable UnaryOperator<String> newPassword,
            boolean memoryWasLost) {
        ShardEnvironment first = environments.getFirst();
        Replay replay = new Replay(first.tap());
        MetadataJournal journal =
                MetadataJournal.open(first.disk(), METADATA, replay, first.log()::info, first.incidents());
        if (journal.lastOp() == 0) {
            createRoot(journal, replay, root.get(), first.clock());
        } else if (newPassword != null) {
            resetRoot(journal, replay, newPassword, first.clock());
        }
        List<Mailbox<Parcel>> mailboxes = new ArrayList<>(environments.size());
        int capacity = Math.max(settings.inboxCapacity(), mailboxCapacityMin(environments.size()));
        for (ShardEnvironment environment : environments) {
            mailboxes.add(new Mailbox<>(capacity, environment.wakeUp()));
        }
        List<Shard> shards = new ArrayList<>(environments.size());
        for (int i = 0; i < environments.size(); i++) {
            Catalog catalog = i == 0 ? replay.catalog : copy(replay.catalog);
            shards.add(new Shard(i, mailboxes, settings, environments.get(i), catalog, memoryWasLost));
        }
        discardUnknown(first.disk(), replay.catalog, shards.getFirst());
        for (int i = 0; i < shards.size(); i++) {
            shards.get(i).open(i == 0 ? journal : null);
        }
        return new Node(shards, mailboxes);
    }

    // The request that needs most is a join: every other shard answers a question into the mailbox of the asking
    // one and hears twice of the join; the metadata are asked, answer, and tell every shard. With less room than
    // that a node would refuse such requests for good, however idle it is.
    private static int mailboxCapacityMin(int shardsCount) {
        return shardsCount + 4;
    }

    /// Whether [#recover] opened every partition. One that it did not is opened later or by another process, which
    /// must be told then as well that memory was lost if it was. To be asked before the shards' threads run.
    public boolean isFullyRecovered() {
        for (Shard shard : shards) {
            if (!shard.isFullyRecovered()) {
                return false;
            }
        }
        return true;
    }

    /// The password hash of a user, or null when there is no such active user. To be asked before the shards'
    /// threads run.
    public @Nullable String passwordOf(String name) {
        return shards.getFirst().passwordOf(name);
    }

    /// Partitions of all topics. To be asked before the shards' threads run.
    public int partitionsCount() {
        return shards.getFirst().partitionsCount();
    }

    /// Whether every shard has closed its files without a fault. Any thread, once all of them have stopped.
    public boolean isClosedCleanly() {
        for (Shard shard : shards) {
            if (!shard.isClosedCleanly()) {
                return false;
            }
        }
        return true;
    }

    public List<Shard> shards() {
        return shards;
    }

    /// Tells how clients reach this node, once the listeners are bound and before clients are accepted. Any thread.
    public void publish(NodeAddress address) {
        for (Mailbox<Parcel> mailbox : mailboxes) {
            Invariant.check(mailbox.reserve(), "mailboxes have room before clients are accepted");
            mailbox.put(new Parcel.Published(address));
        }
    }

    /// The mailbox of a shard, for tests that fill it.
    Mailbox<Parcel> mailbox(int shard) {
        return mailboxes.get(shard);
    }

    /// What the journal tells, as a catalog.
    private static final class Replay implements MetadataJournal.Replay {
        private final MetadataTap tap;
        private Catalog catalog = new Catalog();

        Replay(MetadataTap tap) {
            this.tap = tap;
        }

        @Override
        public void onSnapshot(long op, ByteBuffer state) {
            try {
                catalog = Catalog.restore(state);
            } catch (Catalog.Unreadable e) {
                throw unreadable(String.valueOf(e.getMessage()));
            }
            if (catalog.appliedOp() != op) {
                throw unreadable("the metadata snapshot of op " + op + " says op " + catalog.appliedOp());
            }
            tap.onSnapshot(op, state);
        }

        @Override
        public void onOperation(long op, ByteBuffer body) {
            Outcome outcome = catalog.apply(op, body);
            if (outcome instanceof Outcome.Unknown) {
                throw unreadable("op " + op + " of the metadata journal is unknown to this program");
            }
            tap.onReplayed(op, body, outcome);
        }

        private static Unreadable unreadable(String what) {
            return new Unreadable(what + "; start the program that wrote the data directory, or restore the directory"
                    + " from a copy");
        }
    }

    private static void createRoot(MetadataJournal journal, Replay replay, RootUser root, Clock clock) {
        ByteBuffer operation = MetadataOperation.createRoot(root.name(), root.passwordPhc(), clock.wallMicros());
        journal.appendNow(1, operation);
        replay.onOperation(1, operation);
    }

    private static void resetRoot(
            MetadataJournal journal, Replay replay, UnaryOperator<String> newPassword, Clock clock) {
        User root = replay.catalog.user(User.ROOT_ID);
        if (root == null) {
            throw new Unreadable("the metadata have no root user, whose password could be changed");
        }
        long op = journal.lastOp() + 1;
        long timestampMicros = Math.max(replay.catalog.appliedAtMicros() + 1, clock.wallMicros());
        ByteBuffer operation = MetadataOperation.resetRoot(newPassword.apply(root.name()), timestampMicros);
        journal.appendNow(op, operation);
        replay.onOperation(op, operation);
    }

    private static Catalog copy(Catalog catalog) {
        Catalog copy = Catalog.restore(catalog.snapshot());
        Invariant.check(copy.digest() == catalog.digest(), "a copied catalog equals its original");
        return copy;
    }

    // Directories of a deleted partition may have outlived the process that was about to remove them.

    private static void discardUnknown(Disk disk, Catalog catalog, Shard shard) {
        for (String leftover : disk.list(DISCARDED)) {
            disk.removeLater(DISCARDED + "/" + leftover);
        }
        for (String name : disk.list(PartitionDirectory.STREAMS)) {
            String path = PartitionDirectory.STREAMS + "/" + name;
            int id = id(name);
            Stream stream = catalog.stream(id);
            if (id >= 0 && stream == null) {
                shard.discard(path);
            } else if (stream != null) {
                discardUnknownTopics(disk, stream, path + "/topics", shard);
            }
        }
    }

    private static void discardUnknownTopics(Disk disk, Stream stream, String directory, Shard shard) {
        for (String name : disk.list(directory)) {
            String path = directory + "/" + name;
            int id = id(name);
            Topic topic = stream.topic(id);
            if (id >= 0 && topic == null) {
                shard.discard(path);
            } else if (topic != null) {
                discardUnknownPartitions(disk, topic, path + "/partitions", shard);
            }
        }
    }

    private static void discardUnknownPartitions(Disk disk, Topic topic, String directory, Shard shard) {
        for (String name : disk.list(directory)) {
            if (id(name) >= topic.partitionsCount() || isDeletedPartition(name)) {
                shard.discard(directory + "/" + name);
            }
        }
    }

    /// Whether a directory is that of a deleted partition, which the process that renamed it did not come to
    /// remove.
    private static boolean isDeletedPartition(String name) {
        int dot = name.indexOf('.');
        return dot > 0 && id(name.substring(0, dot)) >= 0 && name.endsWith(PartitionDirectory.DELETED);
    }

    /// The id that a directory is named by, or -1 when its name is none: that directory is somebody else's.
    private static int id(String name) {
        boolean isNumber = !name.isEmpty() && name.length() <= 9;
        for (int i = 0; i < name.length(); i++) {
            isNumber &= '0' <= name.charAt(i) && name.charAt(i) <= '9';
        }
        return isNumber && (name.length() == 1 || name.charAt(0) != '0') ? Integer.parseInt(name) : -1;
    }
}
