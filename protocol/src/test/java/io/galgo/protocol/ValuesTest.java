package io.galgo.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/// The values that bodies share, at the edges of their rules.
class ValuesTest {
    @Test
    void textThatIsNotStrictUtf8IsNoText() {
        for (String hex : List.of(
                "80",
                "C0 80",
                "C1 BF",
                "C3",
                "E0 80 80",
                "E0 9F BF",
                "ED A0 80",
                "ED BF BF",
                "F0 80 80 80",
                "F4 90 80 80",
                "F5 80 80 80",
                "FF",
                "61 C3",
                "E6 BC",
                "F0 9F 98",
                "EF BF BD 80")) {
            byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
            assertThat(Utf8.decode(ByteBuffer.wrap(bytes), 0, bytes.length))
                    .as(hex)
                    .isNull();
        }
        for (String text : List.of("", "a", "ß", "漢", "😀", "\uFFFD", "\0", "\u07FF\u0800\uFFFF")) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            assertThat(Utf8.decode(ByteBuffer.wrap(bytes), 0, bytes.length)).isEqualTo(text);
            assertThat(Utf8.bytes(text)).isEqualTo(bytes.length);
        }
    }

    @Test
    void theSizeOfATextIsKnownWithoutEncodingIt() {
        Random random = new Random(51);
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int j = random.nextInt(8); j > 0; j--) {
                text.append((char) (random.nextBoolean() ? random.nextInt(0x10000) : 0xD7F0 + random.nextInt(0x820)));
            }
            assertThat(Utf8.bytes(text.toString()))
                    .as("seed 51, text %d", i)
                    .isEqualTo(text.toString().getBytes(StandardCharsets.UTF_8).length);
        }
    }

    @Test
    void aNameHasOneTo255Bytes() {
        assertThat(Utf8.isName("")).isFalse();
        assertThat(Utf8.isName("x".repeat(255))).isTrue();
        assertThat(Utf8.isName("x".repeat(256))).isFalse();
        assertThat(Utf8.isName("ß".repeat(127))).isTrue();
        assertThat(Utf8.isName("ß".repeat(128))).isFalse();
        assertThat(Utf8.isName("half a pair: \uD83D")).isFalse();
        assertThat(Utf8.isName("\uDE00 the other half")).isFalse();
        assertThatThrownBy(() -> Identifier.of("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIdentifierHasAKnownKindAndTheLengthOfItsKind() {
        for (String hex : List.of(
                "00 04 00 00 00 00",
                "03 04 00 00 00 00",
                "01 03 00 00 00",
                "01 05 00 00 00 00 00",
                "01 00",
                "02 00",
                "02 01 FF",
                "02 02 61",
                "01 04 00 00 00",
                "",
                "01")) {
            assertThat(read(hex, Identifier::read)).as(hex).isNull();
        }
        assertThat(read("01 04 FF FF FF FF", Identifier::read)).hasToString("4294967295");
        assertThat(read("02 01 30", Identifier::read))
                .isEqualTo(Identifier.of("0"))
                .isNotEqualTo(Identifier.of(0));
    }

    @Test
    void aPartitioningHasAKnownKindAndTheLengthOfItsKind() {
        for (String hex :
                List.of("00 00", "04 00", "01 01 00", "02 03 00 00 00", "02 05 00 00 00 00 00", "03 00", "03 02 61")) {
            assertThat(read(hex, Partitioning::read)).as(hex).isNull();
        }
    }

    @Test
    void unknownKindsOfConsumersAndStrategiesSurvive() {
        assertThat(read("07 01 04 05 00 00 00", ConsumerRef::read)).isEqualTo(new ConsumerRef(7, Identifier.of(5)));
        assertThat(read("FF 01 00 00 00 00 00 00 00", PollingStrategy::read)).isEqualTo(new PollingStrategy(255, 1));
        assertThat(new ConsumerRef(7, Identifier.of(5)).isKnownKind()).isFalse();
        assertThat(new PollingStrategy(0, 0).isKnownKind()).isFalse();
        assertThat(new PollingStrategy(6, 0).isKnownKind()).isFalse();
        assertThat(PollingStrategy.NEXT.isKnownKind()).isTrue();
    }

    @Test
    void aNamedConsumersOffsetIsKeptUnderTheHashOfItsName() {
        assertThat(ConsumerRef.consumer(Identifier.of("abc")).offsetKey()).isEqualTo(0x32D1_53FF);
        assertThat(ConsumerRef.consumer(Identifier.of(77)).offsetKey()).isEqualTo(77);
    }

    @Test
    void onlyFlag1GivesAPartition() {
        assertThat(read("01 05 00 00 00", OptionalPartition::read)).isEqualTo(OptionalPartition.of(5));
        assertThat(read("00 05 00 00 00", OptionalPartition::read)).isEqualTo(OptionalPartition.NONE);
        assertThat(read("02 05 00 00 00", OptionalPartition::read)).isEqualTo(OptionalPartition.NONE);
        assertThat(read("00 05 00 00", OptionalPartition::read)).isNull();
    }

    @Test
    void anOptionsBlockKeepsAllItsRules() {
        String key = "02 01 00 00 00 61";
        String value = "0C 01 00 00 00 01";
        assertThat(options(key + value))
                .isEqualTo(new Options(List.of(new Options.Entry("a", TypedValue.of(12, new byte[] {1})))));
        assertThat(options("")).isEqualTo(Options.NONE);
        assertThat(options("01 01 00 00 00 61" + value))
                .as("key that is no string")
                .isNull();
        assertThat(options("02 01 00 00 00 FF" + value))
                .as("key that is no UTF-8")
                .isNull();
        assertThat(options("02 00 00 00 00" + value)).as("empty key").isNull();
        assertThat(options("02 00 01 00 00" + "61".repeat(256) + value))
                .as("long key")
                .isNull();
        assertThat(options(key + "0C 00 00 00 00")).as("empty value").isNull();
        assertThat(options(key + "0C 00 01 00 00" + "61".repeat(256)))
                .as("long value")
                .isNull();
        assertThat(options(key + "0C 01 00 00 01 61")).as("huge length").isNull();
        assertThat(options(key + "00 01 00 00 00 01")).as("kind 0").isNull();
        assertThat(options(key + "FF 01 00 00 00 01")).as("kind 255").isNotNull();
        assertThat(options(key + value + key + value)).as("key given twice").isNull();
        assertThat(options(key + value + "00")).as("bytes left over").isNull();
        assertThat(options(key)).as("key without value").isNull();
    }

    @Test
    void anOptionsBlockEndsWhereItsLengthSays() {
        String entry = "02 01 00 00 00 61 0C 01 00 00 00 01";
        assertThat(read("0C 00 00 00" + entry, Options::readPrefixed)).isNotNull();
        assertThat(read("0B 00 00 00" + entry, Options::readPrefixed))
                .as("one byte short")
                .isNull();
        assertThat(read("0D 00 00 00" + entry + "00", Options::readPrefixed))
                .as("one byte long")
                .isNull();
        assertThat(read("0D 00 00 00" + entry, Options::readPrefixed))
                .as("longer than the body")
                .isNull();
    }

    @Test
    void anOptionsBlockHasAtMost1024Entries() {
        assertThat(options(entries(1024, 1))).isNotNull();
        assertThat(options(entries(1025, 1))).isNull();
    }

    @Test
    void anOptionsBlockHasAtMost100000Bytes() {
        int entryBytes = 5 + 4 + 5 + 241;
        assertThat(options(entries(100_000 / entryBytes, 241))).isNotNull();
        assertThat(options(entries(100_000 / entryBytes + 1, 241))).isNull();
    }

    private static String entries(int count, int valueBytes) {
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < count; i++) {
            hex.append("0204000000")
                    .append(HexFormat.of().formatHex("%04d".formatted(i).getBytes(StandardCharsets.UTF_8)));
            hex.append("01%02x000000".formatted(valueBytes)).append("00".repeat(valueBytes));
        }
        return hex.toString();
    }

    @Test
    void optionsAreSortedByTheBytesOfTheirKeys() {
        List<Options.Entry> entries = new ArrayList<>();
        // By UTF-16 units the pair of the emoji would come before U+FFFD.
        for (String key : List.of("b", "\uFFFD", "a", "😀", "B")) {
            entries.add(new Options.Entry(key, TypedValue.bool(true)));
        }
        assertThat(new Options(entries).sorted().entries())
                .extracting(Options.Entry::key)
                .containsExactly("B", "a", "b", "\uFFFD", "😀");
        assertThat(new Options(entries).entries())
                .extracting(Options.Entry::key)
                .containsExactly("b", "\uFFFD", "a", "😀", "B");
    }

    @Test
    void aValueIsWellFormedWhenItsDataSuitItsKind() {
        assertThat(TypedValue.of(3, new byte[] {2}).isWellFormed()).as("bool 2").isFalse();
        assertThat(TypedValue.of(3, new byte[] {1, 0}).isWellFormed())
                .as("bool of two bytes")
                .isFalse();
        assertThat(TypedValue.of(2, new byte[] {-1}).isWellFormed())
                .as("string that is no UTF-8")
                .isFalse();
        assertThat(TypedValue.of(12, new byte[7]).isWellFormed())
                .as("u64 of seven bytes")
                .isFalse();
        assertThat(TypedValue.of(16, new byte[7]).isWellFormed())
                .as("kind not known")
                .isTrue();
        assertThat(TypedValue.uint64(-2).number()).isEqualTo(-2);
        assertThat(TypedValue.uint32(-2).number()).isEqualTo(0xFFFF_FFFEL);
    }

    @Test
    void permissionFlagsAreTrueUnlessZero() {
        Permissions permissions = read("00 FF 00 00 00 00 00 00 00 02 00", Permissions::read);
        assertThat(permissions)
                .isEqualTo(new Permissions(
                        GlobalPermission.READ_SERVERS.mask() | GlobalPermission.SEND_MESSAGES.mask(), List.of()));
    }

    @Test
    void aPermissionsBlockFillsItsLengthExactly() {
        String block = "00 01 00 00 00 01 00 01 01 00 00";
        assertThat(read("01 0B 00 00 00" + block, Permissions::readOptional)).isNotNull();
        assertThat(read("01 0A 00 00 00" + block, Permissions::readOptional))
                .as("length too short")
                .isNull();
        assertThat(read("01 0C 00 00 00" + block + "00", Permissions::readOptional))
                .as("length too long")
                .isNull();
    }

    @Test
    void aCacheGivesTheSameIdentifierForTheSameName() {
        BodyReader in = new BodyReader(new NameCache(2));
        Random random = new Random(52);
        Identifier before = Identifier.of("before");
        for (int i = 0; i < 5_000; i++) {
            String name = "name " + random.nextInt(6);
            ByteBuffer body = ByteBuffer.allocate(300).order(ByteOrder.LITTLE_ENDIAN);
            Identifier.of(name).put(body);
            Identifier first = Identifier.read(in.over(body.flip()));
            assertThat(in.isFailed()).isFalse();
            assertThat(first)
                    .as("seed 52, name %d", i)
                    .isEqualTo(Identifier.of(name))
                    .isNotEqualTo(before);
            assertThat(Identifier.read(in.over(body))).as("seed 52, name %d", i).isSameAs(first);
        }
    }

    @Test
    void aCacheDoesNotTakeBadNames() {
        BodyReader in = new BodyReader(new NameCache(4));
        ByteBuffer bad = ByteBuffer.wrap(new byte[] {2, 1, -1});
        for (int i = 0; i < 3; i++) {
            Identifier.read(in.over(bad));
            assertThat(in.isFailed()).isTrue();
        }
    }

    private static Options options(String hex) {
        return read(hex, Options::readToEnd);
    }

    private static <T> T read(String hex, Function<BodyReader, T> value) {
        BodyReader in = new BodyReader(ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", ""))));
        return in.orNull(value.apply(in));
    }
}
