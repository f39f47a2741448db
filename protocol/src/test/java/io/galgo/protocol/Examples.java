package io.galgo.protocol;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// The worked examples of the wire specification, by name: the file `wire/examples.txt`.
public final class Examples {
    private static final Map<String, byte[]> BYTES = read();

    private Examples() {}

    public static List<String> names() {
        return List.copyOf(BYTES.keySet());
    }

    public static byte[] bytes(String name) {
        byte[] bytes = Objects.requireNonNull(BYTES.get(name), () -> "there is no example " + name);
        return bytes.clone();
    }

    /// The bytes in a little-endian buffer, ready to be read.
    public static ByteBuffer buffer(String name) {
        return ByteBuffer.wrap(bytes(name)).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// The rest of the bytes between position and limit, as text that can be compared.
    public static String hex(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    private static Map<String, byte[]> read() {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        try (InputStream file = Objects.requireNonNull(Examples.class.getResourceAsStream("/wire/examples.txt"));
                BufferedReader reader = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            List<String> current = new ArrayList<>();
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                if (line.startsWith("= ")) {
                    current = new ArrayList<>();
                    rows.put(line.substring(2, line.indexOf(' ', 2)), current);
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    current.add(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Map<String, byte[]> bytes = new LinkedHashMap<>();
        rows.forEach((name, lines) -> bytes.put(name, lines.get(0).indexOf(':') == 3 ? frame(lines) : plain(lines)));
        return bytes;
    }

    private static byte[] plain(List<String> lines) {
        StringBuilder hex = new StringBuilder();
        for (String line : lines) {
            int star = line.indexOf(" * ");
            hex.append(
                    star < 0 ? line : line.substring(0, 2).repeat(Integer.parseInt(line, star + 3, line.length(), 10)));
        }
        return HexFormat.of().parseHex(hex.toString().replace(" ", ""));
    }

    private static byte[] frame(List<String> lines) {
        byte[] frame = new byte[1024];
        int end = FrameHeader.BYTES;
        for (String line : lines) {
            byte[] row = HexFormat.of().parseHex(line.substring(5).replace(" ", ""));
            System.arraycopy(row, 0, frame, Integer.parseInt(line, 0, 3, 10), row.length);
        }
        if (lines.get(0).startsWith("048:")) {
            end = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt(48);
        }
        return Arrays.copyOf(frame, end);
    }
}
