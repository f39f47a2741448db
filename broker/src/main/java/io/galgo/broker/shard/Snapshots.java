package io.galgo.broker.shard;

import io.galgo.broker.metadata.Catalog;
import io.galgo.broker.metadata.Right;
import io.galgo.protocol.Body;
import io.galgo.protocol.ErrorCode;
import io.galgo.protocol.FrameHeader;
import io.galgo.protocol.request.GetSnapshot;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Answers requests for a snapshot of the server (spec protocol 8.1.3, semantics 18).
final class Snapshots {
    private final Shard shard;
    private final Catalog catalog;
    private final Replies replies;
    private final SnapshotMaker maker;
    private final int frameBytesMax;

    Snapshots(Shard shard, Catalog catalog, Replies replies, SnapshotMaker maker, int frameBytesMax) {
        this.shard = shard;
        this.catalog = catalog;
        this.replies = replies;
        this.maker = maker;
        this.frameBytesMax = frameBytesMax;
    }

    void start(Exchange exchange) {
        Session session = exchange.connection().session();
        if (session == null || !catalog.isAllowed(session.userId(), Right.READ_SERVER, -1, -1)) {
            replies.deny(exchange, ErrorCode.UNAUTHORIZED);
            return;
        }
        GetSnapshot request = GetSnapshot.decode(exchange.body());
        if (request == null) {
            replies.deny(exchange, ErrorCode.INVALID_COMMAND);
            return;
        }
        exchange.releaseFrame();
        if (!maker.make(request, frameBytesMax - FrameHeader.BYTES, archive -> onMade(exchange, archive))) {
            replies.deny(exchange, ErrorCode.SNAPSHOT_FILE_COMPLETION_FAILED);
        }
    }

    private void onMade(Exchange exchange, @Nullable ByteBuffer archive) {
        if (archive == null) {
            shard.log().warn("a snapshot could not be made, or does not fit into a frame");
            replies.deny(exchange, ErrorCode.SNAPSHOT_FILE_COMPLETION_FAILED);
        } else {
            replies.read(exchange, new Archive(archive));
        }
    }

    /// The reply is the archive and nothing else.
    private static final class Archive implements Body {
        private final ByteBuffer bytes;

        Archive(ByteBuffer bytes) {
            this.bytes = bytes;
        }

        @Override
        public int encodedBytes() {
            return bytes.remaining();
        }

        @Override
        public void put(ByteBuffer target) {
            target.put(bytes.duplicate());
        }
    }
}
