package io.galgo.protocol;

/// The protocol version, packed into 32 bits as `major << 20 | minor << 10 | patch` (spec protocol 1).
public final class ProtocolVersion {
    /// Version 0.11.0.
    public static final int CURRENT = packed(0, 11, 0);
    /// The oldest client version that is let in: the current one with patch 0.
    public static final int OLDEST = CURRENT >>> 10 << 10;

    private ProtocolVersion() {}

    public static int packed(int major, int minor, int patch) {
        return major << 20 | minor << 10 | patch;
    }

    /// Whether a client of this version may log in: any patch of the current minor version.
    public static boolean isAccepted(int version) {
        return Integer.compareUnsigned(version, OLDEST) >= 0 && version >>> 10 <= CURRENT >>> 10;
    }

    /// `major.minor.patch`.
    public static String toText(int version) {
        return (version >>> 20) + "." + (version >>> 10 & 0x3FF) + "." + (version & 0x3FF);
    }
}
