package io.galgo.protocol;

/// The small numeric identifiers, made once, because most requests carry some.
final class Numerics {
    private static final Identifier.Numeric[] SMALL = new Identifier.Numeric[1024];

    static {
        for (int i = 0; i < SMALL.length; i++) {
            SMALL[i] = new Identifier.Numeric(i);
        }
    }

    private Numerics() {}

    static Identifier.Numeric of(int id) {
        return 0 <= id && id < SMALL.length ? SMALL[id] : new Identifier.Numeric(id);
    }
}
