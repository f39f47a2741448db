package io.galgo.protocol.request;

import io.galgo.protocol.BodyReader;
import io.galgo.protocol.CommandCode;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Asks which options there are (spec protocol 8.1.5).
public record DescribeOptions(OptionScope scope) implements Request {
    public static @Nullable DescribeOptions decode(ByteBuffer body) {
        OptionScope scope = OptionScope.of(new BodyReader(body).u8());
        return scope == null ? null : new DescribeOptions(scope);
    }

    @Override
    public CommandCode command() {
        return CommandCode.DESCRIBE_OPTIONS;
    }

    @Override
    public int encodedBytes() {
        return 1;
    }

    @Override
    public void put(ByteBuffer target) {
        target.put((byte) scope.value());
    }
}
