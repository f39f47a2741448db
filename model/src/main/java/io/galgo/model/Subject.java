package io.galgo.model;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// A server under test. Confined to one thread.
public interface Subject {
    String ROOT_NAME = "root";
    String ROOT_PASSWORD = "secret";

    /// A connection of one client.
    interface Wire {
        void transmit(ByteBuffer frame);

        /// Waits for the next frame of the server. Null when none will come.
        @Nullable ByteBuffer receive();

        /// A frame that has arrived already, or null. After a restart: what the old process still sent.
        @Nullable ByteBuffer arrived();

        void close();
    }

    /// How a process ends before the next one starts.
    enum End {
        STOP,
        KILL,
        POWER_LOSS
    }

    Wire connect();

    /// Lets everything that is due now come to rest.
    void settle();

    /// Does some of what waits, so that the next thing happens in the middle of it.
    void work(SplittableRandom random);

    /// Lets so much time pass. False when this subject's time cannot be moved.
    boolean pass(int seconds);

    void restart(End end);

    /// The server's clock.
    long nowMicros();

    /// `message_bus.max_message_size`
    int frameBytesMax();

    /// `partition.consumer_offsets_max`
    int consumerOffsetsMax();

    /// What the server said about itself, for the text of a failure.
    String log();

    /// Whether things that are allowed to take a moment have happened once [#settle] returns.
    boolean isPrompt();
}
