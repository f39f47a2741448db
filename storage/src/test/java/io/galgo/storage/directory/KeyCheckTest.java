package io.galgo.storage.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.galgo.storage.Unreadable;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.MemoryDisk;
import io.galgo.storage.form.Encryption;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyCheckTest {
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OTHER = "0123456789abcdef0123456789abcdeF".getBytes(StandardCharsets.US_ASCII);

    private final MemoryDisk disk = new MemoryDisk(1);
    private final SplittableRandom random = new SplittableRandom(1);
    private final List<String> events = new ArrayList<>();

    private void verify(Encryption encryption, boolean hasMessages) {
        KeyCheck.verify(disk, encryption, hasMessages, random::nextBytes, events::add);
    }

    @Test
    void theFirstKeyIsTheKeyFromThenOn() {
        verify(Encryption.with(KEY, true), false);
        verify(Encryption.with(KEY, true), true);
        assertThat(events).isEmpty();
        assertThatThrownBy(() -> verify(Encryption.with(OTHER, true), true))
                .isInstanceOf(Unreadable.class)
                .hasMessageContaining("encryption.key is not the key")
                .hasMessageContaining("set the right one");
    }

    @Test
    void theKeyIsNotInTheFile() {
        verify(Encryption.with(KEY, true), false);
        assertThat(new String(disk.content(KeyCheck.FILE), StandardCharsets.ISO_8859_1))
                .doesNotContain("0123456789");
        assertThat(disk.content(KeyCheck.FILE)).hasSize(KeyCheck.BYTES);
    }

    @Test
    void withoutEncryptionNothingIsWritten() {
        verify(Encryption.NONE, true);
        verify(Encryption.with(KEY, false), true);
        assertThat(disk.files()).isEmpty();
        assertThat(events).isEmpty();
    }

    @Test
    void anEncryptedDirectoryIsNotServedWithoutItsKey() {
        verify(Encryption.with(KEY, true), false);
        assertThatThrownBy(() -> verify(Encryption.NONE, true))
                .isInstanceOf(Unreadable.class)
                .hasMessageContaining("set encryption.enabled = true and encryption.key");
        assertThatThrownBy(() -> verify(Encryption.with(OTHER, false), true)).isInstanceOf(Unreadable.class);
    }

    @Test
    void switchingItOffOrOnLaterIsToldAndNothingMore() {
        verify(Encryption.with(KEY, true), true);
        assertThat(events).singleElement().asString().contains("already stay in clear");
        events.clear();
        verify(Encryption.with(KEY, false), true);
        assertThat(events).singleElement().asString().contains("new messages are stored in clear");
    }

    @Test
    void everyFlippedBitRefusesTheStart() {
        verify(Encryption.with(KEY, true), false);
        for (int position = 0; position < KeyCheck.BYTES; position++) {
            disk.flipBit(KeyCheck.FILE, position, position % 8);
            assertThatThrownBy(() -> verify(Encryption.with(KEY, true), true))
                    .as("byte %s", position)
                    .isInstanceOf(Unreadable.class);
            disk.flipBit(KeyCheck.FILE, position, position % 8);
        }
        assertThatCode(() -> verify(Encryption.with(KEY, true), true)).doesNotThrowAnyException();
    }

    @Test
    void aCrashLeavesTheFileWholeOrAbsent() {
        for (MemoryDisk.Operation operation : MemoryDisk.Operation.values()) {
            MemoryDisk crashed = new MemoryDisk(3);
            crashed.failNext(operation, DiskFault.Kind.IO);
            try {
                KeyCheck.verify(crashed, Encryption.with(KEY, true), false, random::nextBytes, events::add);
            } catch (DiskException expected) {
                assertThat(expected.fault().kind()).isEqualTo(DiskFault.Kind.IO);
            }
            crashed.heal();
            crashed.powerLoss();
            if (crashed.exists(KeyCheck.FILE)) {
                assertThat(crashed.content(KeyCheck.FILE))
                        .as("after a failed %s", operation)
                        .hasSize(KeyCheck.BYTES);
            }
            assertThatCode(() ->
                            KeyCheck.verify(crashed, Encryption.with(KEY, true), false, random::nextBytes, events::add))
                    .as("the next start after a failed %s", operation)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void aLaterFormatIsNamed() {
        verify(Encryption.with(KEY, true), false);
        byte[] content = disk.content(KeyCheck.FILE);
        java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocateDirect(content.length)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .put(0, content);
        bytes.putInt(8, 2).putInt(12, ~2);
        bytes.putLong(80, io.galgo.protocol.Checksum.xxh3(bytes, 0, 80));
        bytes.get(0, content);
        disk.content(KeyCheck.FILE, content);
        assertThatThrownBy(() -> verify(Encryption.with(KEY, true), true))
                .hasMessageContaining("format version 2 and this program knows version 1");
    }
}
