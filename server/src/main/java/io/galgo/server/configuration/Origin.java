package io.galgo.server.configuration;

/// Where a value came from, in the words of a message.
sealed interface Origin {
    /// Nobody gave it.
    record Default() implements Origin {}

    /// @param file as the user knows it
    /// @param line counted from 1, 0 when unknown
    record File(String file, int line) implements Origin {}

    /// A variable of the process.
    record Variable(String name) implements Origin {}

    /// A variable of the dotenv file.
    record Dotenv(String name, String file) implements Origin {}

    /// An argument of the command line.
    record Argument(String name) implements Origin {}

    default String text() {
        return switch (this) {
            case Default _ -> "default";
            case File(String file, int line) -> line == 0 ? file : file + ":" + line;
            case Variable(String name) -> name;
            case Dotenv(String name, String file) -> name + " in " + file;
            case Argument(String name) -> name;
        };
    }
}
