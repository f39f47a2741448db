package io.galgo.server;

/// The program `./galgo server`.
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        System.out.println("The server does not start yet.");
        System.exit(1);
    }
}
