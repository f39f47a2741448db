package io.galgo.storage.journal;

import io.galgo.storage.disk.Completion;
import io.galgo.storage.disk.Disk;
import io.galgo.storage.disk.DiskException;
import io.galgo.storage.disk.DiskFault;
import io.galgo.storage.disk.DiskFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One whole file that takes the place of another or of none: after a crash the old one is there or the new one,
/// never a mixture.
///
/// Writes a temporary file, syncs it, renames it and syncs the directory. The content is written in bounded pieces
/// and must not change until the end. Confined to the shard's thread.
final class FileReplacement {
    private static final int PIECE_BYTES = 1024 * 1024;

    private final Disk disk;
    private final String directory;
    private final String temporary;
    private final String target;
    private final ByteBuffer head;
    private final ByteBuffer body;

    private Completion done = (_, _) -> {};
    private @Nullable DiskFile file;
    private ByteBuffer piece = ByteBuffer.allocate(0);
    private long written;
    private boolean isRenamed;

    /// @param head comes first, from position 0 to its limit
    /// @param body comes behind it, from position 0 to its limit
    FileReplacement(Disk disk, String directory, String temporary, String target, ByteBuffer head, ByteBuffer body) {
        this.disk = disk;
        this.directory = directory;
        this.temporary = directory + "/" + temporary;
        this.target = directory + "/" + target;
        this.head = head;
        this.body = body;
    }

    /// The same for a small file, waiting.
    static void now(Disk disk, String directory, String temporary, String target, ByteBuffer content) {
        DiskFile file = disk.open(directory + "/" + temporary, true);
        try {
            file.truncate(0);
            file.writeNow(0, content);
            file.syncNow();
        } finally {
            file.close();
        }
        disk.rename(directory + "/" + temporary, directory + "/" + target);
        disk.syncDirectoryNow(directory);
    }

    /// Begins; `end` hears when the new file is durable under its name.
    void start(Completion end) {
        done = end;
        try {
            DiskFile opened = disk.open(temporary, true);
            file = opened;
            opened.truncate(0);
            piece = ByteBuffer.allocateDirect((int) Math.min(PIECE_BYTES, head.limit() + (long) body.limit()))
                    .order(ByteOrder.LITTLE_ENDIAN);
            writePiece(opened);
        } catch (DiskException e) {
            disk.syncDirectory("", (_, _) -> complete(e.fault()));
        }
    }

    /// Whether the name changed; after a fault it may not be so for good.
    boolean isRenamed() {
        return isRenamed;
    }

    /// The new file, for the listener inside its call. Taken, it stays open.
    DiskFile takeFile() {
        DiskFile taken = Objects.requireNonNull(file, "the file is taken once");
        file = null;
        return taken;
    }

    private void writePiece(DiskFile opened) {
        piece.clear();
        take(head, written);
        take(body, written + piece.position() - head.limit());
        piece.flip();
        opened.write(written, piece, (_, fault) -> onWritten(opened, fault));
    }

    /// Adds what `source` holds from `position` on, as much as there is room for.
    private void take(ByteBuffer source, long position) {
        int length = (int) Math.min(piece.remaining(), source.limit() - position);
        if (position >= 0 && length > 0) {
            piece.put(piece.position(), source, (int) position, length);
            piece.position(piece.position() + length);
        }
    }

    private void onWritten(DiskFile opened, @Nullable DiskFault fault) {
        written += piece.limit();
        if (fault != null) {
            complete(fault);
        } else if (written < head.limit() + (long) body.limit()) {
            writePiece(opened);
        } else {
            opened.sync((_, syncFault) -> onSynced(syncFault));
        }
    }

    private void onSynced(@Nullable DiskFault fault) {
        if (fault != null) {
            complete(fault);
            return;
        }
        try {
            disk.rename(temporary, target);
        } catch (DiskException e) {
            complete(e.fault());
            return;
        }
        isRenamed = true;
        disk.syncDirectory(directory, (_, syncFault) -> complete(syncFault));
    }

    private void complete(@Nullable DiskFault fault) {
        done.onComplete(0, fault);
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
