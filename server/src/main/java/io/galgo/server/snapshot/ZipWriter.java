package io.galgo.server.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;

/// Writes a ZIP file of entries that are packed already, by any method (APPNOTE 4.3). The platform's own writer and
/// that of Commons Compress pack by two methods only.
final class ZipWriter {
    private static final int LOCAL_HEADER = 0x0403_4b50;
    private static final int CENTRAL_HEADER = 0x0201_4b50;
    private static final int END = 0x0605_4b50;
    private static final int LOCAL_HEADER_BYTES = 30;
    private static final int CENTRAL_HEADER_BYTES = 46;
    private static final int END_BYTES = 22;

    // Of the format, 6.3 is where the youngest of the methods came in.
    private static final short VERSION = 63;

    // Names are in UTF-8.
    private static final short UTF_8_NAMES = 1 << 11;

    private record Entry(String name, int method, Packer.Packed packed, long position) {
        byte[] nameBytes() {
            return name.getBytes(StandardCharsets.UTF_8);
        }
    }

    private final FileChannel file;
    private final long bytesMax;
    private final int time;
    private final List<Entry> entries = new ArrayList<>();
    private long directoryBytes = END_BYTES;

    /// @param file empty
    /// @param bytesMax how long the whole file may be, below 2^32
    ZipWriter(FileChannel file, long bytesMax, LocalDateTime now) {
        this.file = file;
        this.bytesMax = bytesMax;
        this.time = (now.getYear() - 1980) << 25
                | now.getMonthValue() << 21
                | now.getDayOfMonth() << 16
                | now.getHour() << 11
                | now.getMinute() << 5
                | now.getSecond() >> 1;
    }

    /// @param packed tells of the content of the file `content`
    void add(String name, int method, Packer.Packed packed, Path content) throws IOException {
        Entry entry = new Entry(name, method, packed, file.position());
        entries.add(entry);
        directoryBytes += CENTRAL_HEADER_BYTES + entry.nameBytes().length;
        long end = entry.position() + LOCAL_HEADER_BYTES + entry.nameBytes().length + packed.packedBytes();
        if (end + directoryBytes > bytesMax) {
            throw new LimitedOutput.Exceeded(bytesMax);
        }
        ByteBuffer header =
                buffer(LOCAL_HEADER_BYTES + entry.nameBytes().length).putInt(LOCAL_HEADER);
        putCommon(header, entry).put(entry.nameBytes());
        write(header);
        try (FileChannel source = FileChannel.open(content, StandardOpenOption.READ)) {
            for (long at = 0; at < packed.packedBytes(); ) {
                long moved = source.transferTo(at, packed.packedBytes() - at, file);
                if (moved <= 0) {
                    throw new IOException("a section of " + packed.packedBytes() + " bytes ends at " + at);
                }
                at += moved;
            }
        }
    }

    void finish() throws IOException {
        long start = file.position();
        for (Entry entry : entries) {
            ByteBuffer header = buffer(CENTRAL_HEADER_BYTES + entry.nameBytes().length)
                    .putInt(CENTRAL_HEADER)
                    .putShort(VERSION);
            putCommon(header, entry)
                    .putShort((short) 0)
                    .putShort((short) 0)
                    .putShort((short) 0)
                    .putInt(0)
                    .putInt((int) entry.position())
                    .put(entry.nameBytes());
            write(header);
        }
        long end = file.position();
        write(buffer(END_BYTES)
                .putInt(END)
                .putInt(0)
                .putShort((short) entries.size())
                .putShort((short) entries.size())
                .putInt((int) (end - start))
                .putInt((int) start)
                .putShort((short) 0));
    }

    /// What both headers say in the same words.
    private ByteBuffer putCommon(ByteBuffer header, Entry entry) {
        return header.putShort(versionNeeded(entry.method()))
                .putShort(UTF_8_NAMES)
                .putShort((short) entry.method())
                .putInt(time)
                .putInt((int) entry.packed().crc())
                .putInt((int) entry.packed().packedBytes())
                .putInt((int) entry.packed().plainBytes())
                .putShort((short) entry.nameBytes().length)
                .putShort((short) 0);
    }

    /// The version of the format that an entry needs (APPNOTE 4.4.3.2). Old tools look before they try.
    private static short versionNeeded(int method) {
        return switch (method) {
            case 0 -> 10;
            case 8 -> 20;
            case 12 -> 46;
            default -> VERSION;
        };
    }

    private void write(ByteBuffer bytes) throws IOException {
        bytes.flip();
        while (bytes.hasRemaining()) {
            file.write(bytes);
        }
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
