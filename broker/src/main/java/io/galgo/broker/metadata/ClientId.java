package io.galgo.broker.metadata;

/// The 128-bit number that a client picked for a login; with its session it is the identity of everything the
/// client asks for.
///
/// @param low the first eight bytes on the wire, read as little-endian
/// @param high the other eight
public record ClientId(long low, long high) implements Comparable<ClientId> {
    /// What operations carry that no client asked for. No client may use it (spec protocol 2.6).
    public static final ClientId NONE = new ClientId(0, 0);

    @Override
    public int compareTo(ClientId other) {
        int order = Long.compareUnsigned(high, other.high);
        return order == 0 ? Long.compareUnsigned(low, other.low) : order;
    }
}
