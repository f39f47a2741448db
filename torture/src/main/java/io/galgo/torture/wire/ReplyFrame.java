package io.galgo.torture.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/// One frame from a server: a reply or an eviction.
@SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
public record ReplyFrame(byte[] header, byte[] body) {
    public static final int COMMAND_REPLY = 8;
    public static final int COMMAND_EVICTION = 13;

    public int command() {
        return header[60] & 0xFF;
    }

    public int operation() {
        return header[208] & 0xFF;
    }

    public long request() {
        return fields().getLong(200);
    }

    public int status() {
        return fields().getInt(216);
    }

    public boolean isEviction() {
        return command() == COMMAND_EVICTION;
    }

    public int evictionReason() {
        return header[255] & 0xFF;
    }

    public boolean isOk() {
        return outcome().equals("OK");
    }

    /// What the server decided, in the words of the specification: `OK`, `DENY n`, `REJECT n` or `EVICT n`.
    public String outcome() {
        if (isEviction()) {
            return "EVICT " + evictionReason();
        }
        if (status() != 0) {
            return body.length == 0 ? "DENY " + status() : "DENY " + status() + " with a body of " + body.length;
        }
        if (Operation.isResultFramed(operation())) {
            Fields result = new Fields(body);
            long count = result.u32();
            if (count == 0) {
                return "OK";
            }
            result.u32();
            return "REJECT " + result.u32();
        }
        return "OK";
    }

    /// The body behind the result section, if there is one.
    public byte[] payload() {
        if (!Operation.isResultFramed(operation()) || body.length == 0) {
            return body;
        }
        return Arrays.copyOfRange(body, 4, body.length);
    }

    public ByteBuffer fields() {
        return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
    }
}
