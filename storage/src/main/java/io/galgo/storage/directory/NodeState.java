package io.galgo.storage.directory;

import io.galgo.protocol.Checksum;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What a data directory remembers of the node that used it last: the format of its files, and the run of the
/// machine.
///
/// The file `node.state` is replaced as a whole, so no crash tears it. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGONOD` |
/// | 8 | 4 | format version of the data directory, 1 |
/// | 12 | 4 | the same with all bits turned round |
/// | 16 | 1 | 1 when metadata were there at the end of a recovery, else 0 |
/// | 17 | 1 | bytes of the boot id, 0 when it is not known |
/// | 18 | 94 | boot id in UTF-8, then 0 |
/// | 112 | 8 | XXH3-64 of bytes 0..111 |
///
/// Damage behind the format version counts as a restart of the machine, which costs a jump of offsets at most.
/// Damage in it refuses: nothing says then that the files are ours to write to. Refused are also messages without
/// metadata: a start would take them for what deleted streams left, and remove them.
///
/// For start-up, on one thread.
public final class NodeState {
    // Written bytes survive the death of the process and not that of the machine. So bytes may be missing unless
    // this run of the machine is the one of the last note. The note is taken only when recovery is complete: a
    // process that dies during the first recovery after a power loss leaves partitions that the next one must still
    // treat so.

    static final String FILE = "node.state";
    static final int VERSION = 1;
    static final int BYTES = 120;

    private static final String TEMPORARY = "node.state.tmp";
    private static final String METADATA = "metadata";
    private static final String STREAMS = "streams";
    private static final long MAGIC = 0x444f_4e4f_474c_4147L;
    private static final int HAD_METADATA = 16;
    private static final int BOOT_ID_BYTES = 17;
    private static final int BOOT_ID = 18;
    private static final int CHECKSUM = BYTES - 8;
    private static final int BOOT_ID_BYTES_MAX = CHECKSUM - BOOT_ID;

    private final Disk disk;
    private final byte[] bootId;
    private final boolean memoryWasLost;

    private NodeState(Disk disk, byte[] bootId, boolean memoryWasLost) {
        this.disk = disk;
        this.bootId = bootId;
        this.memoryWasLost = memoryWasLost;
    }

    /// Reads what the last run left in the root of the disk. A directory without data becomes ours.
    ///
    /// @param bootId names this run of the machine, null when the system does not tell
    /// @param events hears what was odd, one sentence each
    /// @throws Unreadable when the directory must not be used: of another format, or not ours
    public static NodeState open(Disk disk, @Nullable String bootId, Consumer<String> events) {
        byte[] known = bootId == null ? new byte[0] : bootId.getBytes(StandardCharsets.UTF_8);
        if (known.length > BOOT_ID_BYTES_MAX) {
            known = new byte[0];
        }
        if (!disk.exists(FILE)) {
            begin(disk);
            return new NodeState(disk, known, true);
        }
        ByteBuffer state = read(disk);
        byte[] last = new byte[0];
        if (isWhole(state)) {
            last = bootId(state);
            if (state.get(HAD_METADATA) == 1 && disk.list(METADATA).isEmpty()) {
                throw new Unreadable("the data directory holds no " + METADATA + " any more, and without them the"
                        + " messages in it cannot be told apart; restore the directory from a copy, or start with an"
                        + " empty one");
            }
        } else {
            events.accept(FILE + " in the data directory is damaged behind position 16; the machine is taken to have"
                    + " restarted since the last run");
        }
        boolean isSameRun = known.length > 0 && Arrays.equals(known, last);
        return new NodeState(disk, known, !isSameRun);
    }

    /// Whether bytes that the last run wrote and did not sync may be missing: the machine restarted since, or that
    /// cannot be told.
    public boolean memoryWasLost() {
        return memoryWasLost;
    }

    /// Notes durably that what this run of the machine may have lost is dealt with. To be called when all metadata
    /// and partitions are recovered, before the first client is served.
    public void recovered() {
        write(disk, bootId, !disk.list(METADATA).isEmpty());
    }

    private static void begin(Disk disk) {
        for (String directory : List.of(METADATA, STREAMS)) {
            if (!disk.list(directory).isEmpty()) {
                throw new Unreadable("the data directory holds " + directory + " but no " + FILE
                        + ", so it is another program's or incomplete; start with an empty directory, or restore this"
                        + " one from a copy");
            }
        }
        write(disk, new byte[0], false);
    }

    /// The content of the file, up to one byte more than belongs there.
    private static ByteBuffer read(Disk disk) {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES + 1).order(ByteOrder.LITTLE_ENDIAN);
        DiskFile file = disk.open(FILE, false);
        try {
            bytes.limit(file.readNow(0, bytes));
        } finally {
            file.close();
        }
        if (bytes.limit() < 16 || bytes.getLong(0) != MAGIC || bytes.getInt(8) != ~bytes.getInt(12)) {
            throw new Unreadable(FILE + " in the data directory is damaged at position 0, so the format of the files"
                    + " is not known; restore the directory from a copy, or start with an empty one");
        }
        if (bytes.getInt(8) != VERSION) {
            throw new Unreadable("the data directory has format version " + Integer.toUnsignedString(bytes.getInt(8))
                    + " by " + FILE + " and this program knows version " + VERSION
                    + "; start the program that wrote it, or a later one");
        }
        return bytes;
    }

    private static boolean isWhole(ByteBuffer bytes) {
        return bytes.limit() == BYTES && bytes.getLong(CHECKSUM) == Checksum.xxh3(bytes, 0, CHECKSUM);
    }

    private static byte[] bootId(ByteBuffer bytes) {
        byte[] bootId = new byte[Math.clamp(bytes.get(BOOT_ID_BYTES), 0, BOOT_ID_BYTES_MAX)];
        bytes.get(BOOT_ID, bootId);
        return bootId;
    }

    private static void write(Disk disk, byte[] bootId, boolean hasMetadata) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC);
        bytes.putInt(8, VERSION);
        bytes.putInt(12, ~VERSION);
        bytes.put(HAD_METADATA, (byte) (hasMetadata ? 1 : 0));
        bytes.put(BOOT_ID_BYTES, (byte) bootId.length);
        bytes.put(BOOT_ID, bootId);
        bytes.putLong(CHECKSUM, Checksum.xxh3(bytes, 0, CHECKSUM));
        DiskFile file = disk.open(TEMPORARY, true);
        try {
            file.truncate(0);
            file.writeNow(0, bytes);
            file.syncNow();
        } finally {
            file.close();
        }
        disk.rename(TEMPORARY, FILE);
        disk.syncDirectoryNow("");
    }
}
