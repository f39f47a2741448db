package io.galgo.server.configuration;

import io.galgo.server.machine.CpuAllocation;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What a value of the configuration is, and how it is read from a variable and from the file (spec config 3, 4).
enum Kind {
    BOOL,
    U8,
    U16,
    U32,
    U64,
    STRING,
    SECRET,
    PATH,
    DURATION,
    EXPIRY,
    BYTE_SIZE,
    BYTE_SIZE_TEXT,
    CPU_ALLOCATION,
    SOCKET_ADDRESS,
    TELEMETRY_TRANSPORT,
    CIDR,
    STRINGS,
    TABLES;

    private static final String BYTE_SIZE_ALLOWED =
            "a byte size is a number and a unit, for example \"64 MiB\"; units B KB KiB MB MiB GB GiB TB TiB PB PiB EB EiB";

    /// How reading a value went.
    sealed interface Parsed {
        /// @param value `Boolean`, `Long` (numbers, bytes, nanoseconds), `String`, [Expiry], [CpuAllocation] or a
        ///     list of strings
        record Good(Object value) implements Parsed {}

        /// @param allowed what would have been right
        record Bad(String allowed) implements Parsed {}
    }

    /// Reads the text of a variable. The kind decides what it means, not its shape.
    Parsed parseText(String text) {
        return switch (this) {
            case BOOL ->
                switch (text.strip().toLowerCase(Locale.ROOT)) {
                    case "true", "1", "yes", "on" -> new Parsed.Good(true);
                    case "false", "0", "no", "off" -> new Parsed.Good(false);
                    default -> new Parsed.Bad("allowed are true or false (also 1 0 yes no on off)");
                };
            case U8, U16, U32, U64 -> parseInteger(text.strip());
            case STRINGS -> new Parsed.Good(splitList(text));
            case TABLES -> new Parsed.Bad("a list of tables is set by the variables of its elements");
            default -> parseString(text);
        };
    }

    /// Reads a value of the file: `String`, `Boolean`, `BigInteger`, `Double` or a list of such.
    Parsed parseFile(Object value) {
        return switch (this) {
            case BOOL ->
                value instanceof Boolean ? new Parsed.Good(value) : new Parsed.Bad("allowed are true or false");
            case U8, U16, U32, U64 ->
                value instanceof BigInteger number ? checkInteger(number) : new Parsed.Bad(integerAllowed());
            case STRINGS -> parseStrings(value);
            case TABLES -> new Parsed.Bad("a list of tables is needed");
            case DURATION ->
                value instanceof BigInteger number
                        ? parseString(number.toString())
                        : parseStringOnly(value, durationAllowed());
            case BYTE_SIZE, BYTE_SIZE_TEXT ->
                value instanceof BigInteger number && number.signum() >= 0
                        ? parseString(number.toString())
                        : parseStringOnly(value, BYTE_SIZE_ALLOWED);
            case CPU_ALLOCATION ->
                value instanceof BigInteger number
                        ? parseString(number.toString())
                        : parseStringOnly(value, cpuAllocationAllowed());
            default -> parseStringOnly(value, "a text in quotes is needed");
        };
    }

    private Parsed parseStringOnly(Object value, String allowed) {
        return value instanceof String text ? parseString(text) : new Parsed.Bad(allowed);
    }

    private Parsed parseString(String text) {
        return switch (this) {
            case DURATION -> goodOr(DurationText.parse(text), durationAllowed(text));
            case EXPIRY ->
                goodOr(
                        Expiry.parse(text),
                        "allowed are never_expire, server_default, or a duration up to 4294967295 s, for example \"1 h\"");
            case BYTE_SIZE -> goodOr(ByteSizeText.parse(text), byteSizeAllowed(text));
            case BYTE_SIZE_TEXT ->
                switch (text) {
                    case "unlimited", "Unlimited", "none", "None" -> new Parsed.Good(0L);
                    default -> goodOr(ByteSizeText.parse(text), byteSizeAllowed(text));
                };
            case CPU_ALLOCATION -> goodOr(CpuAllocation.parse(text), cpuAllocationAllowed());
            case TELEMETRY_TRANSPORT ->
                text.equals("grpc") || text.equals("http")
                        ? new Parsed.Good(text)
                        : new Parsed.Bad("allowed are grpc or http");
            default -> new Parsed.Good(text);
        };
    }

    private static Parsed goodOr(@Nullable Object value, String allowed) {
        return value == null ? new Parsed.Bad(allowed) : new Parsed.Good(value);
    }

    private Parsed parseInteger(String text) {
        boolean digits = !text.isEmpty();
        for (int i = 0; i < text.length(); i++) {
            char digit = text.charAt(i);
            digits &= (digit >= '0' && digit <= '9') || (i == 0 && digit == '-' && text.length() > 1);
        }
        return digits ? checkInteger(new BigInteger(text)) : new Parsed.Bad(integerAllowed());
    }

    private Parsed checkInteger(BigInteger number) {
        return number.signum() < 0 || number.compareTo(BigInteger.valueOf(integerMax())) > 0
                ? new Parsed.Bad(integerAllowed())
                : new Parsed.Good(number.longValueExact());
    }

    // The greatest u64 would need unsigned arithmetic everywhere, and no key has a use for more than a signed long.
    private long integerMax() {
        return switch (this) {
            case U8 -> 255;
            case U16 -> 65_535;
            case U32 -> 4_294_967_295L;
            default -> Long.MAX_VALUE;
        };
    }

    private String integerAllowed() {
        return "allowed are whole numbers 0.." + integerMax();
    }

    private static String durationAllowed() {
        return "a duration needs a unit, for example \"30 s\"; units " + DurationText.UNITS;
    }

    private static String durationAllowed(String text) {
        return DurationText.isTooLong(text) ? "allowed are up to 146 years" : durationAllowed();
    }

    private static String byteSizeAllowed(String text) {
        return ByteSizeText.isTooLarge(text) ? "allowed are less than 8 EiB" : BYTE_SIZE_ALLOWED;
    }

    private static String cpuAllocationAllowed() {
        return "allowed are \"all\", a number, a range like \"0..4\", \"numa:auto\", or"
                + " \"numa:nodes=0,1;cores=4;no_ht=true\"";
    }

    private static Parsed parseStrings(Object value) {
        if (!(value instanceof List<?> items)) {
            return new Parsed.Bad("a list of texts is needed, for example [\"a\", \"b\"]");
        }
        List<String> texts = new ArrayList<>(items.size());
        for (Object item : items) {
            if (!(item instanceof String text)) {
                return new Parsed.Bad("every item of the list must be a text in quotes");
            }
            texts.add(text);
        }
        return new Parsed.Good(List.copyOf(texts));
    }

    /// Splits a list of a variable at commas outside quotes; brackets around it and quotes around items are
    /// optional.
    private static List<String> splitList(String text) {
        String stripped = text.strip();
        if (stripped.startsWith("[") && stripped.endsWith("]")) {
            stripped = stripped.substring(1, stripped.length() - 1).strip();
        }
        List<String> items = new ArrayList<>();
        if (stripped.isEmpty()) {
            return items;
        }
        int from = 0;
        char quote = 0;
        for (int at = 0; at <= stripped.length(); at++) {
            char letter = at == stripped.length() ? ',' : stripped.charAt(at);
            if (at == stripped.length() || (quote == 0 && letter == ',')) {
                items.add(unquoted(stripped.substring(from, at).strip()));
                from = at + 1;
            } else if (quote == 0 && (letter == '"' || letter == '\'')) {
                quote = letter;
            } else if (letter == quote) {
                quote = 0;
            }
        }
        return List.copyOf(items);
    }

    private static String unquoted(String item) {
        boolean quoted = item.length() >= 2
                && (item.charAt(0) == '"' || item.charAt(0) == '\'')
                && item.charAt(item.length() - 1) == item.charAt(0);
        return quoted ? item.substring(1, item.length() - 1) : item;
    }

    /// A value as it is written in the file.
    String print(Object value) {
        return switch (this) {
            case BOOL, U8, U16, U32, U64 -> value.toString();
            case DURATION -> quoted(DurationText.print((Long) value));
            case BYTE_SIZE, BYTE_SIZE_TEXT -> quoted(ByteSizeText.print((Long) value));
            case EXPIRY -> quoted(Expiry.print((Expiry) value));
            case STRINGS -> printList((List<?>) value);
            default -> quoted(value.toString());
        };
    }

    private static String printList(List<?> items) {
        StringBuilder text = new StringBuilder("[");
        for (Object item : items) {
            text.append(text.length() > 1 ? ", " : "").append(quoted(item.toString()));
        }
        return text.append(']').toString();
    }

    /// A text as a TOML basic string.
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            switch (letter) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (letter < 0x20 || letter == 0x7f) {
                        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) letter));
                    } else {
                        quoted.append(letter);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
