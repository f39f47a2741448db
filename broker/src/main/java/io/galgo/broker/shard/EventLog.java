package io.galgo.broker.shard;

/// Where the core tells people what happened. One line each; secrets never.
public interface EventLog {
    /// Whether [#debug] writes anything. To be asked before a line is put together.
    default boolean isDebug() {
        return false;
    }

    /// What only somebody who looks for something wants to read.
    default void debug(String line) {}

    void info(String line);

    void warn(String line);

    void error(String line);
}
