package io.galgo.server;

/// The program `./galgo server`.
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        throw new UnsupportedOperationException("not written yet");
    }
}
