package io.galgo.server.configuration;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The grammar of byte sizes in the configuration (spec config 4): a number and a unit, decimal or binary.
final class ByteSizeText {
    private static final Pattern GRAMMAR =
            Pattern.compile("([0-9]+)(\\.[0-9]+)?\\s*(?:([KMGTPEkmgtpe])([iI])?)?([Bb])?");
    private static final String PREFIXES = "KMGTPE";
    private static final String[] PRINTED_UNITS = {
        "EiB", "EB", "PiB", "PB", "TiB", "TB", "GiB", "GB", "MiB", "MB", "KiB", "KB"
    };

    private ByteSizeText() {}

    /// Reads a size; a lower-case `b` means bits.
    ///
    /// @return bytes, or null when the text is no size or does not fit
    static @Nullable Long parse(String text) {
        BigInteger whole = bytes(text);
        return whole == null || whole.bitLength() > 63 ? null : whole.longValueExact();
    }

    /// Whether a text that [#parse] refused is a size all the same, only one that no number here can hold.
    static boolean isTooLarge(String text) {
        BigInteger whole = bytes(text);
        return whole != null && whole.bitLength() > 63;
    }

    private static @Nullable BigInteger bytes(String text) {
        String stripped = text.strip();
        Matcher matcher = GRAMMAR.matcher(stripped);
        if (!matcher.matches()) {
            return null;
        }
        String fraction = matcher.group(2);
        String prefix = matcher.group(3);
        String unit = matcher.group(5);
        if (fraction != null && prefix == null && unit == null) {
            return null;
        }
        BigDecimal bytes = new BigDecimal(matcher.group(1) + (fraction == null ? "" : fraction));
        if (prefix != null) {
            int power = 1 + PREFIXES.indexOf(Character.toUpperCase(prefix.charAt(0)));
            bytes = bytes.multiply(
                    BigDecimal.valueOf(matcher.group(4) == null ? 1000 : 1024).pow(power));
        }
        if ("b".equals(unit)) {
            bytes = bytes.divide(BigDecimal.valueOf(8));
        }
        return bytes.setScale(0, RoundingMode.CEILING).toBigIntegerExact();
    }

    /// The printed form: the first unit in which the number is exact with at most three decimals.
    static String print(long bytes) {
        BigDecimal value = BigDecimal.valueOf(bytes);
        for (int i = 0; i < PRINTED_UNITS.length && bytes > 0; i++) {
            String name = PRINTED_UNITS[i];
            BigDecimal unit =
                    BigDecimal.valueOf(name.length() == 3 ? 1024 : 1000).pow(1 + PREFIXES.indexOf(name.charAt(0)));
            if (value.compareTo(unit) >= 0) {
                BigDecimal[] thousandths =
                        value.multiply(BigDecimal.valueOf(1000)).divideAndRemainder(unit);
                if (thousandths[1].signum() == 0) {
                    BigDecimal number = thousandths[0].movePointLeft(3).stripTrailingZeros();
                    return number.toPlainString() + " " + name;
                }
            }
        }
        return bytes + " B";
    }
}
