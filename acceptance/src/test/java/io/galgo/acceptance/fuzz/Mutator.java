package io.galgo.acceptance.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;

/// Turns valid frames into nearly valid ones.
final class Mutator {
    private static final int SIZE_AT = 48;
    private static final int CHECKSUM_AT = 144;
    private static final int BODY_AT = 256;
    private static final int[] TELLING_NUMBERS = {
        0,
        1,
        2,
        3,
        4,
        5,
        127,
        128,
        254,
        255,
        256,
        257,
        1000,
        1001,
        4096,
        65_535,
        65_536,
        1 << 20,
        (1 << 20) + 1,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        -1,
        -2
    };

    private Mutator() {}

    /// One or more changes to a frame. `other` lends bytes.
    static byte[] mutate(byte[] frame, byte[] other, Random random) {
        byte[] bytes = frame.clone();
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            bytes = change(bytes, other, random);
        }
        // Mostly the envelope is made right again, so that the change reaches what is inside.
        if (bytes.length >= BODY_AT && random.nextInt(8) != 0) {
            ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            fields.putInt(SIZE_AT, bytes.length);
            fields.putLong(CHECKSUM_AT, 0);
            fields.put(60, (byte) 5);
        }
        return bytes;
    }

    private static byte[] change(byte[] bytes, byte[] other, Random random) {
        if (bytes.length < 8) {
            return other.clone();
        }
        ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int position = position(bytes, random);
        return switch (random.nextInt(10)) {
            case 0, 1 -> {
                bytes[position] ^= (byte) (1 << random.nextInt(8));
                yield bytes;
            }
            case 2 -> {
                bytes[position] = (byte) random.nextInt();
                yield bytes;
            }
            case 3, 4 -> {
                int number = TELLING_NUMBERS[random.nextInt(TELLING_NUMBERS.length)];
                fields.putInt(Math.min(position, bytes.length - 4), number);
                yield bytes;
            }
            case 5 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 6 -> join(bytes, bytes.length, noise(1 + random.nextInt(300), random), 0);
            case 7 -> join(bytes, random.nextInt(bytes.length), other, random.nextInt(other.length));
            case 8 -> {
                if (bytes.length >= BODY_AT) {
                    int size = bytes.length + random.nextInt(9) - 4;
                    fields.putInt(SIZE_AT, random.nextBoolean() ? size : random.nextInt());
                }
                yield bytes;
            }
            default -> noise(random.nextInt(2000), random);
        };
    }

    /// The front of one and the back of the other.
    private static byte[] join(byte[] front, int frontLength, byte[] back, int backStart) {
        byte[] joined = Arrays.copyOf(front, frontLength + back.length - backStart);
        System.arraycopy(back, backStart, joined, frontLength, back.length - backStart);
        return joined;
    }

    private static byte[] noise(int length, Random random) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }

    /// Any position, with a liking for the body's front and for the header fields that are read.
    private static int position(byte[] bytes, Random random) {
        int front = Math.min(bytes.length, BODY_AT + 64) - BODY_AT;
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(bytes.length);
            case 1 -> Math.min(bytes.length - 1, 128 + random.nextInt(72));
            default -> front > 0 ? BODY_AT + random.nextInt(front) : random.nextInt(bytes.length);
        };
    }
}
