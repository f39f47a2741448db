package io.galgo.storage.directory;

import io.galgo.protocol.Checksum;
import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskFile;
import io.galgo.storage.form.Encryption;
import io.galgo.storage.form.SectionCipher;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import javax.crypto.SecretKey;

/// What a data directory keeps to recognise the key that its messages are encrypted with.
///
/// The file `encryption.check` is made before the first message is encrypted, and never changes. Little-endian:
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | `GALGOKEY` |
/// | 8 | 4 | format version, 1 |
/// | 12 | 4 | the same with all bits turned round |
/// | 16 | 60 | 32 zero bytes, encrypted as a section of [SectionCipher] |
/// | 76 | 4 | 0 |
/// | 80 | 8 | XXH3-64 of bytes 0..79 |
///
/// For start-up, on one thread.
public final class KeyCheck {
    // A key that does not fit is refused at the start, rather than at the first poll and after messages were
    // stored under two keys. So is a start without the key: it would serve no old message, and store new ones in
    // clear where somebody meant them not to be.

    static final String FILE = "encryption.check";
    static final int BYTES = 88;

    private static final String TEMPORARY = "encryption.check.tmp";
    private static final long MAGIC = 0x5945_4b4f_474c_4147L;
    private static final int VERSION = 1;
    private static final int SECTION = 16;
    private static final int KNOWN_BYTES = 32;
    private static final int SECTION_BYTES = KNOWN_BYTES + SectionCipher.OVERHEAD_BYTES;
    private static final int CHECKSUM = BYTES - 8;

    private KeyCheck() {}

    /// Compares the key with that of the data directory, which is noted durably if this is the first one.
    ///
    /// @param hasMessages whether the directory may hold messages
    /// @param chance fills an array with random bytes
    /// @param events hears what somebody should know, one sentence each
    /// @throws Unreadable when the key is another one, or is missing
    public static void verify(
            Disk disk, Encryption encryption, boolean hasMessages, Consumer<byte[]> chance, Consumer<String> events) {
        SecretKey key = encryption.key();
        if (!disk.exists(FILE)) {
            if (encryption.isOn() && key != null) {
                write(disk, new SectionCipher(key, chance));
                if (hasMessages) {
                    events.accept("encryption.enabled = true from now on; messages that are in the data directory"
                            + " already stay in clear until they are deleted");
                }
            }
            return;
        }
        ByteBuffer section = read(disk);
        if (key == null) {
            throw new Unreadable("messages in the data directory are encrypted (it holds " + FILE
                    + "): set encryption.enabled = true and encryption.key to the key that they were stored with");
        }
        ByteBuffer known = ByteBuffer.allocate(KNOWN_BYTES);
        if (new SectionCipher(key, chance).open(section, known) != KNOWN_BYTES) {
            throw new Unreadable("encryption.key is not the key that the data directory was encrypted with: set the"
                    + " right one, or start with an empty directory (path)");
        }
        if (!encryption.isOn()) {
            events.accept("encryption.enabled = false: new messages are stored in clear; those that are encrypted"
                    + " stay readable while encryption.key is set");
        }
    }

    private static void write(Disk disk, SectionCipher cipher) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC);
        bytes.putInt(8, VERSION);
        bytes.putInt(12, ~VERSION);
        cipher.seal(ByteBuffer.allocate(KNOWN_BYTES), bytes.slice(SECTION, SECTION_BYTES));
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

    private static ByteBuffer read(Disk disk) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES + 1).order(ByteOrder.LITTLE_ENDIAN);
        DiskFile file = disk.open(FILE, false);
        int length;
        try {
            length = file.readNow(0, bytes);
        } finally {
            file.close();
        }
        if (length != BYTES
                || bytes.getLong(0) != MAGIC
                || bytes.getInt(8) != ~bytes.getInt(12)
                || bytes.getLong(CHECKSUM) != Checksum.xxh3(bytes, 0, CHECKSUM)) {
            throw new Unreadable(FILE + " in the data directory is damaged, so the key cannot be compared with that of"
                    + " the messages; restore the file from a copy, or remove it if encryption.key is certainly right");
        }
        if (bytes.getInt(8) != VERSION) {
            throw new Unreadable(FILE + " in the data directory has format version "
                    + Integer.toUnsignedString(bytes.getInt(8)) + " and this program knows version " + VERSION
                    + "; start the program that wrote it, or a later one");
        }
        return bytes.slice(SECTION, SECTION_BYTES);
    }
}
