package io.galgo.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every decoder and encoder of bodies, on random values and on bytes that somebody broke.
class BodiesTest {
    private static final long SEED = 20_260_901L;
    private static final int VALUES = 40;
    private static final int RANDOM_INPUTS = 1_000;
    private static final int MUTATIONS = 20;

    static List<BodyShape> shapes() {
        return BodyShape.all();
    }

    @Test
    void thereIsAShapeForEveryCommandAndReply() {
        assertThat(BodyShape.requests()).hasSize(CommandCode.values().length - 2);
        assertThat(BodyShape.replies()).hasSizeGreaterThan(20);
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void aRandomValueSurvivesEncodingAndDecoding(BodyShape shape) {
        RandomBodies bodies = new RandomBodies(new Random(SEED));
        for (int i = 0; i < VALUES; i++) {
            Body value = bodies.body(shape.type());
            Body decoded = shape.decode(value.toBuffer());
            if (value instanceof io.galgo.protocol.request.BodilessRequest) {
                assertThat(decoded).isNotNull();
            } else {
                assertThat(decoded).as("%s, seed %d, value %d", shape, SEED, i).isEqualTo(value);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void encodingNeedsExactlyTheBytesAnnounced(BodyShape shape) {
        RandomBodies bodies = new RandomBodies(new Random(SEED));
        for (int i = 0; i < VALUES; i++) {
            Body value = bodies.body(shape.type());
            ByteBuffer target = ByteBuffer.allocate(value.encodedBytes() + 6).order(ByteOrder.LITTLE_ENDIAN);
            target.position(3);
            value.encode(target);
            assertThat(target.position() - 3)
                    .as("%s, seed %d, value %d", shape, SEED, i)
                    .isEqualTo(value.encodedBytes());
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void noTruncatedOrMutatedBodyHurtsADecoder(BodyShape shape) {
        Random random = new Random(SEED);
        RandomBodies bodies = new RandomBodies(random);
        for (int i = 0; i < VALUES / 4; i++) {
            ByteBuffer whole = bodies.body(shape.type()).toBuffer();
            byte[] bytes = new byte[whole.remaining()];
            whole.get(bytes);
            for (int length = 0; length < bytes.length; length++) {
                check(shape, bytes, length, "value " + i + " cut to " + length);
            }
            for (int j = 0; j < MUTATIONS && bytes.length > 0; j++) {
                byte[] mutated = bytes.clone();
                int position = random.nextInt(bytes.length);
                mutated[position] = (byte) mutation(random, mutated[position]);
                check(shape, mutated, mutated.length, "value " + i + " with byte " + position + " changed, time " + j);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void noRandomBytesHurtADecoder(BodyShape shape) {
        Random random = new Random(SEED);
        for (int i = 0; i < RANDOM_INPUTS; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            for (int j = 0; j < bytes.length; j++) {
                // Small numbers are lengths, counts and kinds that lead further into a body than others.
                bytes[j] = (byte) (random.nextInt(3) == 0 ? random.nextInt() : random.nextInt(4));
            }
            check(shape, bytes, bytes.length, "random input " + i);
        }
    }

    @Test
    void noDecoderIsHurtByAnExampleOfAnything() {
        Random random = new Random(SEED);
        int inputs = 0;
        for (String name : Examples.names()) {
            byte[] example = Examples.bytes(name);
            for (BodyShape shape : BodyShape.all()) {
                for (int length = 0; length <= example.length; length++) {
                    checkBriefly(shape, example, length, name + " cut to " + length);
                    inputs++;
                }
                for (int i = 0; i < MUTATIONS; i++) {
                    byte[] mutated = example.clone();
                    int position = random.nextInt(example.length);
                    mutated[position] = (byte) mutation(random, mutated[position]);
                    checkBriefly(
                            shape, mutated, mutated.length, name + " with byte " + position + " changed, time " + i);
                    inputs++;
                }
            }
        }
        assertThat(inputs).isGreaterThan(500_000);
    }

    private static void checkBriefly(BodyShape shape, byte[] bytes, int length, String input) {
        try {
            Body decoded = shape.decode(ByteBuffer.wrap(bytes, 0, length).order(ByteOrder.LITTLE_ENDIAN));
            if (decoded != null && !decoded.equals(shape.decode(decoded.toBuffer()))) {
                throw new AssertionError("encodes to something else than " + decoded);
            }
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(shape + ", seed " + SEED + ", " + input, e);
        }
    }

    private static int mutation(Random random, byte value) {
        return switch (random.nextInt(4)) {
            case 0 -> 0xFF;
            case 1 -> value + 1;
            case 2 -> value ^ 1 << random.nextInt(8);
            default -> random.nextInt();
        };
    }

    /// Decodes the first `length` bytes from three places: alone, amid others, and big-endian. All agree, none
    /// throws, and what decoded encodes to something that decodes to the same.
    private static void check(BodyShape shape, byte[] bytes, int length, String input) {
        String what = shape + ", seed " + SEED + ", " + input;
        byte[] alone = java.util.Arrays.copyOf(bytes, length);
        @Nullable Body decoded;
        try {
            decoded = shape.decode(ByteBuffer.wrap(alone).order(ByteOrder.LITTLE_ENDIAN));
        } catch (RuntimeException e) {
            throw new AssertionError(what + " made the decoder throw", e);
        }

        // The bytes around would be read, and would change the result, if a limit were missed.
        ByteBuffer amid = ByteBuffer.allocateDirect(length + 600);
        for (int i = 0; i < amid.capacity(); i++) {
            amid.put(i, (byte) (i % 5));
        }
        amid.put(300, alone).position(300).limit(300 + length);
        assertThat(shape.decode(amid)).as(what + ", amid other bytes").isEqualTo(decoded);
        assertThat(amid.position()).as(what + ": position afterwards").isEqualTo(300);
        assertThat(amid.limit()).as(what + ": limit afterwards").isEqualTo(300 + length);
        if (decoded != null) {
            assertThat(shape.decode(decoded.toBuffer()))
                    .as(what + ", encoded and decoded again")
                    .isEqualTo(decoded);
        }
    }
}
