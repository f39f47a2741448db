package io.galgo.protocol.reply;

import io.galgo.protocol.Body;
import io.galgo.protocol.BodyReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/// Lists of records in a body: counted, or going on to its end.
final class Records {
    private Records() {}

    /// Reads records until the body ends. Each takes at least a byte or fails the reader.
    static <T> List<T> readToEnd(BodyReader in, Function<BodyReader, T> record) {
        List<T> records = new ArrayList<>();
        while (in.remaining() > 0) {
            records.add(record.apply(in));
        }
        return records;
    }

    /// Reads a count of 32 bits and so many records.
    ///
    /// @param bytesMin of the shortest record, so that no count makes a list larger than the body
    static <T> List<T> readCounted(BodyReader in, int bytesMin, Function<BodyReader, T> record) {
        return read(in, in.count(bytesMin), record);
    }

    static <T> List<T> read(BodyReader in, int count, Function<BodyReader, T> record) {
        List<T> records = new ArrayList<>(count);
        for (int i = 0; i < count && !in.isFailed(); i++) {
            records.add(record.apply(in));
        }
        return records;
    }

    static List<Integer> readIds(BodyReader in) {
        return readCounted(in, 4, BodyReader::u32);
    }

    static int encodedBytes(List<? extends Body> records) {
        int bytes = 0;
        for (Body record : records) {
            bytes += record.encodedBytes();
        }
        return bytes;
    }

    static void put(ByteBuffer target, List<? extends Body> records) {
        for (Body record : records) {
            record.put(target);
        }
    }

    static void putCounted(ByteBuffer target, List<? extends Body> records) {
        target.putInt(records.size());
        put(target, records);
    }

    static void putIds(ByteBuffer target, List<Integer> ids) {
        target.putInt(ids.size());
        for (int id : ids) {
            target.putInt(id);
        }
    }

    static void requireByte(int value) {
        if (value < 0 || value > 255) {
            throw new IllegalArgumentException(value + " does not fit in 8 bits");
        }
    }

    static void requirePort(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException(port + " is no port");
        }
    }
}
