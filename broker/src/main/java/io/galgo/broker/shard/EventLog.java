package io.galgo.broker.shard;

/// Where the core tells people what happened. One line each; secrets never.
public interface EventLog {
    void info(String line);

    void warn(String line);

    void error(String line);
}
