package io.galgo.storage.disk;

/// A [DiskFault] of an operation that answers at once.
public final class DiskException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient DiskFault fault;

    public DiskException(DiskFault fault) {
        super(fault.toString());
        this.fault = fault;
    }

    public DiskFault fault() {
        return fault;
    }
}
