package io.galgo.broker.shard;

import io.galgo.protocol.request.GetSnapshot;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Archives that are made when the test lets them.
final class TestSnapshots implements SnapshotMaker {
    final List<GetSnapshot> requests = new ArrayList<>();
    byte @Nullable [] archive = {1, 2, 3};
    boolean isHeldUp;
    int bytesMax;
    private @Nullable Consumer<@Nullable ByteBuffer> waiting;

    @Override
    public boolean make(GetSnapshot request, int bytesMax, Consumer<@Nullable ByteBuffer> done) {
        if (waiting != null) {
            return false;
        }
        this.bytesMax = bytesMax;
        requests.add(request);
        waiting = done;
        return true;
    }

    boolean runNext() {
        Consumer<@Nullable ByteBuffer> done = waiting;
        if (done == null || isHeldUp) {
            return false;
        }
        waiting = null;
        byte[] made = archive;
        done.accept(made == null ? null : ByteBuffer.wrap(made));
        return true;
    }
}
