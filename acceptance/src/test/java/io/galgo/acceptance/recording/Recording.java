package io.galgo.acceptance.recording;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.galgo.acceptance.harness.Checkout;
import io.galgo.torture.wire.ReplyFrame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Requests and replies as they once went over the wire between a published client and the reference server.
record Recording(List<Exchange> exchanges) {

    /// One request and what answered it.
    ///
    /// @param number of the request's line in the recording
    /// @param request header and body
    record Exchange(int number, int connection, RecordedRequest request, ReplyFrame reply) {}

    @SuppressWarnings("ArrayRecordComponent") // The bytes are looked at; records are never compared.
    record RecordedRequest(int operation, int code, byte[] header, byte[] body) {
        String name() {
            return operation == 2 ? "code " + code : "operation " + operation;
        }
    }

    static Recording ofPythonClient() throws IOException {
        List<Exchange> exchanges = new ArrayList<>();
        ObjectMapper json = new ObjectMapper();
        List<String> lines = Files.readAllLines(
                Checkout.root().resolve("protocol/src/test/resources/wire/published-python-client.jsonl"),
                StandardCharsets.UTF_8);
        for (int i = 0; i < lines.size(); i += 2) {
            JsonNode request = json.readTree(lines.get(i));
            JsonNode reply = json.readTree(lines.get(i + 1));
            if (!isPair(request, reply)) {
                throw new IllegalStateException("lines " + i + " and " + (i + 1) + " are no request with its reply");
            }
            exchanges.add(new Exchange(
                    request.get("seq").asInt(),
                    request.get("conn").asInt(),
                    new RecordedRequest(
                            request.get("operation").asInt(),
                            request.path("code").asInt(),
                            bytes(request, "header"),
                            bytes(request, "body")),
                    new ReplyFrame(bytes(reply, "header"), bytes(reply, "body"))));
        }
        return new Recording(exchanges);
    }

    private static boolean isPair(JsonNode request, JsonNode reply) {
        return request.get("dir").asText().equals("c2s")
                && reply.get("dir").asText().equals("s2c")
                && request.get("conn").equals(reply.get("conn"))
                && request.get("body_len").asInt()
                        == request.get("body").asText().length() / 2
                && reply.get("body_len").asInt() == reply.get("body").asText().length() / 2;
    }

    private static byte[] bytes(JsonNode row, String field) {
        return HexFormat.of().parseHex(row.get(field).asText());
    }
}
