package io.galgo.server.configuration;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The grammar of durations in the configuration (spec config 4): pairs of a number and a unit.
final class DurationText {
    static final String UNITS = "ns us ms s m h day week month year";

    private static final long SECOND = 1_000_000_000L;
    private static final long MONTH_SECONDS = 2_630_016L;
    private static final long YEAR_SECONDS = 31_557_600L;

    // Half of what a long holds: whoever adds such a duration to a time, or a part of it to itself, stays in range.
    private static final BigDecimal NANOS_MAX = BigDecimal.valueOf(Long.MAX_VALUE / 2);

    private DurationText() {}

    /// Reads a duration in any case of letters, with the words for zero.
    ///
    /// @return nanoseconds, or null when the text is none
    static @Nullable Long parse(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        return switch (lower) {
            case "0", "unlimited", "disabled", "none" -> 0L;
            default -> parsePairs(lower);
        };
    }

    /// Whether a text that [#parse] refused is a duration all the same, only longer than any that is taken.
    static boolean isTooLong(String text) {
        BigDecimal nanos = sum(text.strip().toLowerCase(Locale.ROOT));
        return nanos != null && nanos.compareTo(NANOS_MAX) > 0;
    }

    /// Reads pairs of a number and a unit, as they stand.
    static @Nullable Long parsePairs(String text) {
        BigDecimal nanos = sum(text);
        return nanos == null || nanos.compareTo(NANOS_MAX) > 0
                ? null
                : nanos.setScale(0, RoundingMode.DOWN).longValueExact();
    }

    private static @Nullable BigDecimal sum(String text) {
        BigDecimal nanos = BigDecimal.ZERO;
        int at = skipBlanks(text, 0);
        boolean found = false;
        while (at < text.length()) {
            int numberEnd = at;
            int points = 0;
            while (numberEnd < text.length() && isNumberPart(text.charAt(numberEnd))) {
                points += text.charAt(numberEnd) == '.' ? 1 : 0;
                numberEnd++;
            }
            int unitStart = skipBlanks(text, numberEnd);
            int unitEnd = unitStart;
            while (unitEnd < text.length() && Character.isLetter(text.charAt(unitEnd))) {
                unitEnd++;
            }
            String number = text.substring(at, numberEnd);
            if (number.isEmpty() || points > 1 || number.startsWith(".") || number.endsWith(".")) {
                return null;
            }
            long unit = unitNanos(text.substring(unitStart, unitEnd));
            if (unit == 0) {
                return null;
            }
            nanos = nanos.add(new BigDecimal(number).multiply(BigDecimal.valueOf(unit)));
            found = true;
            at = skipBlanks(text, unitEnd);
        }
        return found ? nanos : null;
    }

    private static boolean isNumberPart(char letter) {
        return (letter >= '0' && letter <= '9') || letter == '.';
    }

    private static int skipBlanks(String text, int from) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static long unitNanos(String unit) {
        return switch (unit) {
            case "ns", "nsec", "nanos" -> 1;
            // Both the micro sign and the Greek letter, which keyboards and Unicode mix up.
            case "us", "usec", "\u00b5s", "\u03bcs" -> 1_000;
            case "ms", "msec", "millis" -> 1_000_000;
            case "s", "sec", "secs", "second", "seconds" -> SECOND;
            case "m", "min", "mins", "minute", "minutes" -> 60 * SECOND;
            case "h", "hr", "hrs", "hour", "hours" -> 3_600 * SECOND;
            case "d", "day", "days" -> 86_400 * SECOND;
            case "w", "wk", "wks", "week", "weeks" -> 604_800 * SECOND;
            case "month", "months" -> MONTH_SECONDS * SECOND;
            case "y", "yr", "yrs", "year", "years" -> YEAR_SECONDS * SECOND;
            default -> 0;
        };
    }

    /// The printed form: largest units first, words for days and more.
    static String print(long nanos) {
        if (nanos == 0) {
            return "0s";
        }
        StringBuilder text = new StringBuilder();
        long seconds = nanos / SECOND;
        seconds = printWord(text, seconds, YEAR_SECONDS, "year");
        seconds = printWord(text, seconds, MONTH_SECONDS, "month");
        seconds = printWord(text, seconds, 86_400, "day");
        seconds = printUnit(text, seconds, 3_600, "h");
        seconds = printUnit(text, seconds, 60, "m");
        printUnit(text, seconds, 1, "s");
        long rest = nanos % SECOND;
        rest = printUnit(text, rest, 1_000_000, "ms");
        rest = printUnit(text, rest, 1_000, "us");
        printUnit(text, rest, 1, "ns");
        return text.toString();
    }

    private static long printWord(StringBuilder text, long amount, long unit, String word) {
        return printUnit(text, amount, unit, amount / unit == 1 ? word : word + "s");
    }

    private static long printUnit(StringBuilder text, long amount, long unit, String name) {
        if (amount / unit > 0) {
            text.append(text.isEmpty() ? "" : " ").append(amount / unit).append(name);
        }
        return amount % unit;
    }
}
