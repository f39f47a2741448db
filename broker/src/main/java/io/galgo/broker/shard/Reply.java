package io.galgo.broker.shard;

import io.galgo.storage.log.BatchSlice;
import java.util.List;

/// One frame for a client, as pieces that are written one behind the other.
///
/// Owns a reference of each piece's buffer; whoever takes the reply releases it once.
///
/// @param pieces at least one; the first begins with the 256-byte header
public record Reply(List<BatchSlice> pieces) {
    public long length() {
        long length = 0;
        for (int i = 0; i < pieces.size(); i++) {
            length += pieces.get(i).length();
        }
        return length;
    }

    public void release() {
        for (int i = 0; i < pieces.size(); i++) {
            pieces.get(i).release();
        }
    }
}
