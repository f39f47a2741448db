package io.galgo.simulator.check;

/// Hears what clients do and get.
public interface History {
    /// A request left the client, for the first time or again.
    void onTransmitted(Exchange exchange);

    /// An answer to a transmission arrived.
    void onAnswered(Exchange exchange, Received answer);

    /// A transmission will not be answered: the connection is gone. Whether it takes effect is open.
    void onLost(Exchange exchange);

    /// A client waited in vain although its connection stood.
    void onTimedOut(Exchange exchange);
}
