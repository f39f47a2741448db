package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Asks for an archive with the state of the server (spec protocol 8.1.3). The reply body is the archive.
///
/// @param types at most 255; [SnapshotType#ALL] only alone
public record GetSnapshot(SnapshotCompression compression, List<SnapshotType> types) implements Request {
    private static final int TYPES_MAX = 255;

    public GetSnapshot {
        types = List.copyOf(types);
        if (types.size() > TYPES_MAX) {
            throw new IllegalArgumentException(types.size() + " snapshot types, at most " + TYPES_MAX + " fit");
        }
        if (!isPossible(types)) {
            throw new IllegalArgumentException("snapshot type all stands beside others: " + types);
        }
    }

    public static @Nullable GetSnapshot decode(ByteBuffer body) {
        BodyReader in = new BodyReader(body);
        SnapshotCompression compression = SnapshotCompression.of(in.u8());
        int count = in.u8();
        in.require(count <= in.remaining());
        List<SnapshotType> types = new ArrayList<>();
        for (int i = 0; i < count && !in.isFailed(); i++) {
            SnapshotType type = SnapshotType.of(in.u8());
            if (type == null) {
                in.fail();
            } else {
                types.add(type);
            }
        }
        return compression == null || in.isFailed() || !isPossible(types) ? null : new GetSnapshot(compression, types);
    }

    private static boolean isPossible(List<SnapshotType> types) {
        return types.size() <= 1 || !types.contains(SnapshotType.ALL);
    }

    @Override
    public CommandCode command() {
        return CommandCode.GET_SNAPSHOT;
    }

    @Override
    public int encodedBytes() {
        return 2 + types.size();
    }

    @Override
    public void put(ByteBuffer target) {
        target.put((byte) compression.value()).put((byte) types.size());
        for (SnapshotType type : types) {
            target.put((byte) type.value());
        }
    }
}
