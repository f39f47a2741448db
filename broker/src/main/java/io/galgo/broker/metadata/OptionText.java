package io.galgo.broker.metadata;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Numbers that people write as text in topic options (spec semantics 4.3).
///
/// Results are unsigned 64-bit numbers; empty tells that the text is none.
final class OptionText {
    private static final OptionalLong ZERO = OptionalLong.of(0);
    private static final OptionalLong MAX = OptionalLong.of(-1);
    private static final OptionalLong INVALID = OptionalLong.empty();
    private static final long EXPIRY_SECONDS_MAX = 4_294_967_295L;

    private static final Set<String> EXPIRY_NEVER = Set.of("unlimited", "Unlimited", "none", "None", "never_expire");
    private static final Set<String> EXPIRY_DEFAULT = Set.of("default", "Default", "server_default", "Server_default");
    private static final Set<String> SIZE_ZERO = Set.of("0", "unlimited", "Unlimited", "none", "None");

    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final Pattern DURATION_PART = Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s*([a-zA-Zµ]+)\\s*");
    private static final Pattern SIZE =
            Pattern.compile("([0-9]+(?:\\.[0-9]+)?)\\s*([KMGTPE]?)(i?)(B?)", Pattern.CASE_INSENSITIVE);

    private static final Map<String, BigDecimal> UNIT_NANOS = Map.ofEntries(
            unit("ns", 1),
            unit("nsec", 1),
            unit("nanos", 1),
            unit("us", 1_000),
            unit("usec", 1_000),
            unit("µs", 1_000),
            unit("ms", 1_000_000),
            unit("msec", 1_000_000),
            unit("millis", 1_000_000),
            seconds("s", 1),
            seconds("sec", 1),
            seconds("secs", 1),
            seconds("second", 1),
            seconds("seconds", 1),
            seconds("m", 60),
            seconds("min", 60),
            seconds("mins", 60),
            seconds("minute", 60),
            seconds("minutes", 60),
            seconds("h", 3_600),
            seconds("hr", 3_600),
            seconds("hrs", 3_600),
            seconds("hour", 3_600),
            seconds("hours", 3_600),
            seconds("d", 86_400),
            seconds("day", 86_400),
            seconds("days", 86_400),
            seconds("w", 604_800),
            seconds("wk", 604_800),
            seconds("wks", 604_800),
            seconds("week", 604_800),
            seconds("weeks", 604_800),
            // 30.44 and 365.25 days.
            seconds("M", 2_630_016),
            seconds("month", 2_630_016),
            seconds("months", 2_630_016),
            seconds("y", 31_557_600),
            seconds("yr", 31_557_600),
            seconds("yrs", 31_557_600),
            seconds("year", 31_557_600),
            seconds("years", 31_557_600));

    private OptionText() {}

    private static Map.Entry<String, BigDecimal> unit(String name, long nanos) {
        return Map.entry(name, BigDecimal.valueOf(nanos));
    }

    private static Map.Entry<String, BigDecimal> seconds(String name, long seconds) {
        return unit(name, seconds * 1_000_000_000L);
    }

    /// A message expiry in microseconds: a word for never (all bits set) or for the default (0), or a duration.
    static OptionalLong expiryMicros(String text) {
        if (EXPIRY_NEVER.contains(text)) {
            return MAX;
        }
        if (EXPIRY_DEFAULT.contains(text)) {
            return ZERO;
        }
        OptionalLong micros = durationMicros(text);
        if (micros.isPresent() && Long.divideUnsigned(micros.getAsLong(), 1_000_000) > EXPIRY_SECONDS_MAX) {
            return INVALID;
        }
        return micros;
    }

    /// Zero, or a sum of numbers with units, `1h 30m`; what is below a microsecond falls away.
    private static OptionalLong durationMicros(String text) {
        if (text.equals("0")) {
            return ZERO;
        }
        Matcher part = DURATION_PART.matcher(text);
        BigDecimal nanos = BigDecimal.ZERO;
        int end = 0;
        while (end < text.length() && part.find(end) && part.start() == end) {
            BigDecimal unit = UNIT_NANOS.get(part.group(2));
            if (unit == null) {
                return INVALID;
            }
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(unit));
            end = part.end();
        }
        if (text.isEmpty() || end < text.length()) {
            return INVALID;
        }
        return bounded(nanos.movePointLeft(3).setScale(0, RoundingMode.DOWN).toBigInteger());
    }

    /// A topic's size: a word for unlimited (all bits set) or for the default (0), or a size.
    static OptionalLong topicBytes(String text) {
        return switch (text) {
            case "unlimited" -> MAX;
            case "server_default" -> ZERO;
            default -> bytes(text);
        };
    }

    /// A number of bytes: digits, or a number with a decimal (`2 GB`) or binary (`1.5 GiB`) unit. A fraction of a
    /// byte counts as one. The unit's case does not matter, except that a small b means bits; blanks around do not.
    static OptionalLong bytes(String text) {
        if (SIZE_ZERO.contains(text)) {
            return ZERO;
        }
        String bare = text.strip();
        if (DIGITS.matcher(bare).matches()) {
            return bounded(new BigInteger(bare));
        }
        Matcher size = SIZE.matcher(bare);
        if (!size.matches()) {
            return INVALID;
        }
        String prefix = size.group(2);
        boolean binary = !size.group(3).isEmpty();
        String suffix = size.group(4);
        if (prefix.isEmpty() && (binary || suffix.isEmpty())) {
            return INVALID;
        }
        int power = prefix.isEmpty() ? 0 : "KMGTPE".indexOf(Character.toUpperCase(prefix.charAt(0))) + 1;
        BigDecimal bytes = new BigDecimal(size.group(1))
                .multiply(BigDecimal.valueOf(binary ? 1_024 : 1_000).pow(power));
        if (suffix.equals("b")) {
            bytes = bytes.divide(BigDecimal.valueOf(8));
        }
        return bounded(bytes.setScale(0, RoundingMode.CEILING).toBigInteger());
    }

    /// A number below 2^32, with or without a plus before it.
    static OptionalLong number32(String text) {
        String digits = text.startsWith("+") ? text.substring(1) : text;
        if (!DIGITS.matcher(digits).matches()) {
            return INVALID;
        }
        OptionalLong number = bounded(new BigInteger(digits));
        return number.isPresent() && number.getAsLong() >>> 32 == 0 ? number : INVALID;
    }

    private static OptionalLong bounded(BigInteger number) {
        return number.bitLength() > 64 ? INVALID : OptionalLong.of(number.longValue());
    }
}
