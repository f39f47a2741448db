package io.galgo.storage.form;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.batch.BatchCheck;
import io.galgo.protocol.batch.BatchChecksum;
import io.galgo.protocol.batch.BatchHeader;
import io.galgo.protocol.batch.BatchStamp;
import io.galgo.protocol.batch.MessageFrame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/// What batches look like on disk, and that they come back as they were.
class StoredFormsTest {
    private static final byte[] KEY = "0123456789abcdef0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
    private static final int AT = 40;

    private final BatchChecksum checksum = new BatchChecksum();
    private final SplittableRandom random = new SplittableRandom(7);

    @Test
    void everyBatchComesBackByteForByteWhateverItsForm() {
        for (int seed = 0; seed < 300; seed++) {
            SplittableRandom chance = new SplittableRandom(seed);
            ByteBuffer batch = randomBatch(chance);
            int length = batch.capacity() - AT;
            boolean encrypts = chance.nextBoolean();
            boolean deflates = chance.nextInt(3) > 0;
            StoredForms forms = forms(encrypts, chance::nextBytes);
            ByteBuffer record = buffer((int) forms.roomFor(batch, AT, deflates));
            int stored = record.capacity() == 0 ? 0 : forms.store(batch, AT, record, deflates, checksum);
            String what = "seed " + seed + ", encrypts " + encrypts + ", deflates " + deflates;
            if (stored == 0) {
                assertThat(encrypts).as("%s: stored in clear", what).isFalse();
                continue;
            }
            assertThat(StoredForm.isPlain(record, 0)).as(what).isFalse();
            assertThat(BatchHeader.length(record, 0)).as(what).isEqualTo(stored);
            assertThat(StoredForm.hasRightHeader(record, 0, stored)).as(what).isTrue();
            assertThat(StoredForm.isIntact(record, 0, stored, true, checksum))
                    .as(what)
                    .isTrue();
            assertThat(StoredForm.accountedLength(record, 0))
                    .as("%s: what counts in sizes", what)
                    .isEqualTo(length + (encrypts ? 28L * sections(batch) : 0));

            ByteBuffer opened = buffer(100 + StoredForm.plainLengthMax(record, 0));
            int openedLength = forms.open(record, 0, opened, 100, buffer(stored), checksum);
            assertThat(openedLength).as(what).isEqualTo(length);
            assertThat(opened.slice(100, length)).as(what).isEqualTo(batch.slice(AT, length));
        }
    }

    @Test
    void anEncryptedRecordIsABatchWhosePayloadsAndHeadersAreNonceCiphertextAndTag() throws Exception {
        ByteBuffer batch = buffer(AT + 1000);
        int length = write(batch, AT, new byte[][] {bytes("first"), bytes("")}, new byte[][] {bytes("head"), {}});
        StoredForms forms = forms(true, target -> Arrays.fill(target, (byte) 9));
        ByteBuffer record = buffer((int) forms.roomFor(batch, AT, false));
        int stored = forms.store(batch, AT, record, false, checksum);

        assertThat(stored).isEqualTo(length + 3 * 28);
        int first = BatchHeader.BYTES;
        assertThat(MessageFrame.payloadLength(record, first)).isEqualTo(5 + 28);
        assertThat(MessageFrame.userHeadersLength(record, first)).isEqualTo(4 + 28);
        assertThat(decrypted(record, first + 48, 5 + 28)).isEqualTo("first");
        assertThat(decrypted(record, first + 48 + 33, 4 + 28)).isEqualTo("head");
        int second = first + 48 + 33 + 32;
        assertThat(MessageFrame.payloadLength(record, second)).isEqualTo(28);
        assertThat(MessageFrame.userHeadersLength(record, second)).isZero();
        assertThat(decrypted(record, second + 48, 28)).isEmpty();
        assertThat(MessageFrame.idLow(record, second)).isEqualTo(MessageFrame.idLow(batch, AT + 256 + 48 + 9));
        record.putInt(52, 0);
        assertThat(BatchCheck.isIntact(record, 0, stored, checksum))
                .as("lengths and checksums are those of the ciphertext")
                .isTrue();
    }

    @Test
    void noNonceIsUsedTwice() {
        StoredForms forms = forms(true, target -> Arrays.fill(target, (byte) -1));
        Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            ByteBuffer batch = buffer(AT + 500);
            write(batch, AT, new byte[][] {bytes("x"), bytes("y")}, new byte[][] {{}, bytes("z")});
            ByteBuffer record = buffer((int) forms.roomFor(batch, AT, false));
            forms.store(batch, AT, record, false, checksum);
            for (int section : new int[] {256 + 48, 256 + 48 + 29 + 48, 256 + 48 + 29 + 48 + 29}) {
                byte[] nonce = new byte[12];
                record.get(section, nonce);
                assertThat(nonces.add(Arrays.toString(nonce)))
                        .as("nonce %s of section %s comes for the first time", Arrays.toString(nonce), nonces.size())
                        .isTrue();
            }
        }
    }

    @Test
    void nothingOfADeflatedAndEncryptedBatchIsInClear() {
        ByteBuffer batch = buffer(AT + 4000);
        byte[] marker = bytes("find me if you can ".repeat(100));
        int length = write(batch, AT, new byte[][] {marker}, new byte[][] {bytes("header marker")});
        StoredForms forms = forms(true, random::nextBytes);
        ByteBuffer record = buffer((int) forms.roomFor(batch, AT, true));
        int stored = forms.store(batch, AT, record, true, checksum);

        assertThat(stored).as("deflated before encrypted").isLessThan(length / 4);
        String text = text(record, stored);
        assertThat(text).doesNotContain("find me").doesNotContain("header marker");
        assertThat(StoredForm.form(record, 0)).isEqualTo(StoredForm.DEFLATED_ENCRYPTED);
    }

    @Test
    void whatDoesNotShrinkStaysAsItIs() {
        byte[] noise = new byte[200_000];
        random.nextBytes(noise);
        for (int size : new int[] {900, 3_000, 200_000}) {
            ByteBuffer batch = buffer(AT + 200_500);
            write(batch, AT, new byte[][] {Arrays.copyOf(noise, size)}, new byte[][] {{}});
            StoredForms forms = forms(false, random::nextBytes);
            ByteBuffer record = buffer((int) Math.max(1, forms.roomFor(batch, AT, true)));
            assertThat(forms.store(batch, AT, record, true, checksum))
                    .as("noise of %s bytes", size)
                    .isZero();
        }
    }

    @Test
    void anotherKeyOrNoneDecryptsNothing() {
        ByteBuffer batch = buffer(AT + 3000);
        write(batch, AT, new byte[][] {bytes("payload ".repeat(200))}, new byte[][] {{}});
        for (boolean deflates : new boolean[] {false, true}) {
            StoredForms forms = forms(true, random::nextBytes);
            ByteBuffer record = buffer((int) forms.roomFor(batch, AT, deflates));
            forms.store(batch, AT, record, deflates, checksum);
            ByteBuffer target = buffer(StoredForm.plainLengthMax(record, 0));
            byte[] other = KEY.clone();
            other[31]++;
            for (Encryption encryption : new Encryption[] {Encryption.NONE, Encryption.with(other, true)}) {
                assertThat(new StoredForms(encryption, random::nextBytes)
                                .open(record, 0, target, 0, buffer(record.capacity()), checksum))
                        .as("opened with %s, deflated %s", encryption, deflates)
                        .isEqualTo(StoredForms.UNDECRYPTABLE);
            }
        }
    }

    @Test
    void everyFlippedBitOfARecordIsFound() {
        ByteBuffer batch = buffer(AT + 3000);
        write(batch, AT, new byte[][] {bytes("payload ".repeat(200)), bytes("b")}, new byte[][] {{}, bytes("h")});
        for (int form = 1; form < 4; form++) {
            boolean deflates = form >= 2;
            StoredForms forms = forms(form != 2, random::nextBytes);
            ByteBuffer record = buffer((int) forms.roomFor(batch, AT, deflates));
            int stored = forms.store(batch, AT, record, deflates, checksum);
            for (int bit = 0; bit < 8 * stored; bit++) {
                flip(record, bit);
                long length = BatchHeader.length(record, 0);
                boolean isGood = length == stored
                        && StoredForm.hasRightHeader(record, 0, length)
                        && StoredForm.isIntact(record, 0, stored, true, checksum);
                assertThat(isGood).as("form %s with bit %s flipped", form, bit).isFalse();
                flip(record, bit);
            }
        }
    }

    @Test
    void aChangedCiphertextIsNotDecryptedWhateverTheChecksumsSay() {
        ByteBuffer batch = buffer(AT + 3000);
        write(batch, AT, new byte[][] {bytes("payload ".repeat(200))}, new byte[][] {bytes("head")});
        for (boolean deflates : new boolean[] {false, true}) {
            StoredForms forms = forms(true, random::nextBytes);
            ByteBuffer record = buffer((int) forms.roomFor(batch, AT, deflates));
            int stored = forms.store(batch, AT, record, deflates, checksum);
            ByteBuffer target = buffer(StoredForm.plainLengthMax(record, 0));
            int from = BatchHeader.BYTES + (deflates ? 0 : MessageFrame.HEADER_BYTES);
            for (int at = from; at < stored; at++) {
                record.put(at, (byte) (record.get(at) ^ 1));
                assertThat(forms.open(record, 0, target, 0, buffer(stored), checksum))
                        .as("byte %s changed, deflated %s", at, deflates)
                        .isEqualTo(StoredForms.UNDECRYPTABLE);
                record.put(at, (byte) (record.get(at) ^ 1));
            }
        }
    }

    @Test
    void deflatedBytesThatWereNotVerifiedAreDamageAndNothingWorse() {
        ByteBuffer batch = buffer(AT + 3000);
        write(batch, AT, new byte[][] {bytes("payload ".repeat(200))}, new byte[][] {{}});
        StoredForms forms = forms(false, random::nextBytes);
        ByteBuffer record = buffer((int) forms.roomFor(batch, AT, true));
        int stored = forms.store(batch, AT, record, true, checksum);
        ByteBuffer target = buffer(StoredForm.plainLengthMax(record, 0));
        int damagedCount = 0;
        for (int bit = 8 * BatchHeader.BYTES; bit < 8 * stored; bit++) {
            flip(record, bit);
            int opened = forms.open(record, 0, target, 0, null, checksum);
            assertThat(opened)
                    .as("bit %s flipped", bit)
                    .isIn(StoredForms.DAMAGED, StoredForm.plainLengthMax(record, 0));
            damagedCount += opened == StoredForms.DAMAGED ? 1 : 0;
            flip(record, bit);
        }
        assertThat(damagedCount).as("flips that were found").isPositive();
    }

    @Test
    void theKeyIsInNoText() {
        assertThat(Encryption.with(KEY, true).toString()).doesNotContain("0123").isEqualTo("AES-256-GCM");
    }

    private static void flip(ByteBuffer bytes, int bit) {
        bytes.put(bit / 8, (byte) (bytes.get(bit / 8) ^ (1 << (bit % 8))));
    }

    private static StoredForms forms(boolean encrypts, Consumer<byte[]> chance) {
        return new StoredForms(encrypts ? Encryption.with(KEY, true) : Encryption.NONE, chance);
    }

    private static String decrypted(ByteBuffer record, int position, int length) throws Exception {
        byte[] section = new byte[length];
        record.get(position, section);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(KEY, "AES"), new GCMParameterSpec(128, section, 0, 12));
        return new String(cipher.doFinal(section, 12, length - 12), StandardCharsets.ISO_8859_1);
    }

    private ByteBuffer randomBatch(SplittableRandom chance) {
        int count = 1 + chance.nextInt(chance.nextInt(8) == 0 ? 400 : 6);
        byte[][] payloads = new byte[count][];
        byte[][] headers = new byte[count][];
        int length = BatchHeader.BYTES;
        for (int i = 0; i < count; i++) {
            payloads[i] = content(chance, chance.nextInt(5) == 0 ? 0 : chance.nextInt(20) == 0 ? 90_000 : 300);
            headers[i] = content(chance, chance.nextInt(3) == 0 ? 50 : 0);
            length += 48 + payloads[i].length + headers[i].length;
        }
        ByteBuffer batch = buffer(AT + length);
        write(batch, AT, payloads, headers);
        return batch;
    }

    private static byte[] content(SplittableRandom chance, int lengthMax) {
        byte[] content = new byte[lengthMax == 0 ? 0 : chance.nextInt(lengthMax)];
        if (chance.nextBoolean()) {
            chance.nextBytes(content);
        } else {
            Arrays.fill(content, (byte) chance.nextInt(256));
        }
        return content;
    }

    private int write(ByteBuffer batch, int position, byte[][] payloads, byte[][] headers) {
        int frame = position + BatchHeader.BYTES;
        for (int i = 0; i < payloads.length; i++) {
            MessageFrame.write(batch, frame, 5, 1000 + i, i, 3 * i, headers[i].length, payloads[i].length);
            batch.put(MessageFrame.payloadPosition(frame), payloads[i]);
            batch.put(MessageFrame.userHeadersPosition(batch, frame), headers[i]);
            MessageFrame.stampChecksum(batch, frame);
            frame += (int) MessageFrame.length(batch, frame);
        }
        BatchHeader.write(batch, position, 0, 0, 0, 77, frame - position, payloads.length);
        BatchStamp.apply(batch, position, 3, 12_345, 1_700_000, checksum);
        return frame - position;
    }

    private static int sections(ByteBuffer batch) {
        int sections = 0;
        int frame = AT + BatchHeader.BYTES;
        for (int i = 0; i < BatchHeader.messageCount(batch, AT); i++) {
            sections += MessageFrame.userHeadersLength(batch, frame) == 0 ? 1 : 2;
            frame += (int) MessageFrame.length(batch, frame);
        }
        return sections;
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String text(ByteBuffer bytes, int length) {
        byte[] copy = new byte[length];
        bytes.get(0, copy);
        return new String(copy, StandardCharsets.ISO_8859_1);
    }
}
