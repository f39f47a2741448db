package io.galgo.broker.metadata;

import io.galgo.protocol.Identifier;

/// A name that a client chose, as a line for people shows it: in quotes, not too long, and without anything that
/// could be taken for the rest of the line or do something to a terminal.
public final class ShownName {
    private static final int LETTERS_MAX = 64;

    private ShownName() {}

    public static String of(String name) {
        StringBuilder shown = new StringBuilder(name.length() + 2).append('"');
        int end = name.offsetByCodePoints(0, Math.min(LETTERS_MAX, name.codePointCount(0, name.length())));
        for (int at = 0; at < end; ) {
            int letter = name.codePointAt(at);
            if (letter == '"' || letter == '\\') {
                shown.append('\\').append((char) letter);
            } else if (isPlain(letter)) {
                shown.appendCodePoint(letter);
            } else {
                shown.append(String.format("\\u{%x}", letter));
            }
            at += Character.charCount(letter);
        }
        return shown.append(end < name.length() ? "…\"" : "\"").toString();
    }

    /// A number is shown as one.
    static String of(Identifier identifier) {
        return switch (identifier) {
            case Identifier.Numeric numeric -> numeric.toString();
            case Identifier.Named(String name) -> of(name);
        };
    }

    // Letters that turn the direction of what follows are formats, and lone surrogates are no letters.
    private static boolean isPlain(int letter) {
        return switch (Character.getType(letter)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
