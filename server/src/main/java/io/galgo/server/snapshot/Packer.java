package io.galgo.server.snapshot;

import com.github.luben.zstd.ZstdOutputStream;
import io.galgo.protocol.request.SnapshotCompression;
import java.io.BufferedOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.LZMAOutputStream;
import org.tukaani.xz.XZ;
import org.tukaani.xz.XZOutputStream;

/// Packs the files of an archive in one of the ways that ZIP knows.
final class Packer {
    // Higher presets take hundreds of megabytes for a tenth less.
    private static final int XZ_PRESET = 2;

    /// Writes the content of a file.
    @FunctionalInterface
    interface Content {
        void writeTo(OutputStream target) throws IOException;
    }

    /// What a ZIP entry tells of its packed content.
    record Packed(long crc, long plainBytes, long packedBytes) {}

    private final SnapshotCompression compression;

    Packer(SnapshotCompression compression) {
        this.compression = compression;
    }

    /// The number of the method in ZIP files (APPNOTE 4.4.5).
    int zipMethod() {
        return switch (compression) {
            case STORED -> 0;
            case DEFLATED -> 8;
            case BZIP2 -> 12;
            case LZMA -> 14;
            case ZSTD -> 93;
            case XZ -> 95;
        };
    }

    Packed pack(OutputStream target, Content content) throws IOException {
        Counted packed = new Counted(new BufferedOutputStream(target, 64 << 10));
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        Counted plain = new Counted(packing(packed, deflater));
        try (plain) {
            content.writeTo(plain);
        } finally {
            deflater.end();
        }
        return new Packed(plain.crc.getValue(), plain.bytes, packed.bytes);
    }

    private OutputStream packing(OutputStream target, Deflater deflater) throws IOException {
        return switch (compression) {
            case STORED -> target;
            case DEFLATED -> new DeflaterOutputStream(target, deflater, 16 << 10);
            case BZIP2 -> new BZip2CompressorOutputStream(target);
            case LZMA -> lzma(target);
            case ZSTD -> new ZstdOutputStream(target);
            case XZ -> new XZOutputStream(target, new LZMA2Options(XZ_PRESET), XZ.CHECK_CRC32);
        };
    }

    /// In a ZIP file, raw LZMA follows a header of its own: version, length of the properties, properties
    /// (APPNOTE 5.8).
    private static OutputStream lzma(OutputStream target) throws IOException {
        LZMA2Options options = new LZMA2Options(XZ_PRESET);
        int dictionary = options.getDictSize();
        int properties = (options.getPb() * 5 + options.getLp()) * 9 + options.getLc();
        target.write(new byte[] {
            9,
            20,
            5,
            0,
            (byte) properties,
            (byte) dictionary,
            (byte) (dictionary >>> 8),
            (byte) (dictionary >>> 16),
            (byte) (dictionary >>> 24)
        });
        return new LZMAOutputStream(target, options, false);
    }

    /// Counts what passes.
    private static final class Counted extends FilterOutputStream {
        final CRC32 crc = new CRC32();
        long bytes;

        Counted(OutputStream target) {
            super(target);
        }

        @Override
        public void write(int value) throws IOException {
            out.write(value);
            crc.update(value);
            bytes++;
        }

        @Override
        public void write(byte[] source, int position, int length) throws IOException {
            out.write(source, position, length);
            crc.update(source, position, length);
            bytes += length;
        }

        /// What has to be written is written at the end. LZMA cannot do it before.
        @Override
        public void flush() {}
    }
}
