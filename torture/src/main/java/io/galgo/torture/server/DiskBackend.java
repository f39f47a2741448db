package io.galgo.torture.server;

/// How the server reaches its files. The reference server has only one way.
public enum DiskBackend {
    /// What the server chooses by itself.
    AUTOMATIC("auto"),
    /// Files on the same ring as the sockets.
    RING("ring"),
    /// Plain file channels, for machines without io_uring.
    FALLBACK("file");

    private final String setting;

    DiskBackend(String setting) {
        this.setting = setting;
    }

    public String setting() {
        return setting;
    }
}
