package io.galgo.acceptance.differential;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What stands behind the `=` of an argument.
///
/// A quoted text is that text. An unquoted one may hold variables (`$name`, `$c1.client`), may be repeated
/// (`x*255`), may be a number, or the exact bytes of a field (`hex:01ff`).
record Value(String text, boolean isQuoted) {
    private static final Pattern VARIABLE = Pattern.compile("\\$([a-z][a-z0-9_]*(?:\\.[a-z]+)?)");
    private static final Pattern REPEATED = Pattern.compile("(.+)\\*(\\d+)");
    private static final String HEX = "hex:";

    static Value of(String text) {
        return new Value(text, false);
    }

    /// The same value with every variable replaced.
    Value resolved(String place, Map<String, String> variables) {
        if (isQuoted) {
            return this;
        }
        Matcher matcher = VARIABLE.matcher(text);
        StringBuilder result = new StringBuilder();
        while (matcher.find()) {
            String value = variables.get(matcher.group(1));
            if (value == null) {
                throw new ScriptException(place, "nothing has been kept under the name " + matcher.group());
            }
            matcher.appendReplacement(result, Matcher.quoteReplacement(value));
        }
        matcher.appendTail(result);
        Matcher repeated = REPEATED.matcher(result);
        if (repeated.matches()) {
            return of(repeated.group(1).repeat(Integer.parseInt(repeated.group(2))));
        }
        return of(result.toString());
    }

    boolean isHex() {
        return !isQuoted && text.startsWith(HEX);
    }

    boolean isNumber() {
        return !isQuoted && text.matches("\\d+");
    }

    /// A number up to 64 bits, unsigned.
    long number() {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
    }

    /// The text's bytes, or the bytes that `hex:` lists.
    byte[] bytes() {
        return isHex()
                ? HexFormat.of().parseHex(text.substring(HEX.length()).replace("_", ""))
                : text.getBytes(StandardCharsets.UTF_8);
    }

    /// The part behind the first colon: `offset:5` gives `5`.
    Value behindColon() {
        return new Value(text.substring(text.indexOf(':') + 1), isQuoted);
    }
}
