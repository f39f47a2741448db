package io.galgo.server;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;

/// SIGINT and SIGTERM, before the virtual machine makes an ending of its own out of them.
///
/// The supported way, a shutdown hook, can neither end with code 0 nor hear a second signal. The class that can,
/// `sun.misc.Signal`, stands in a supported module, but naming it in source is a warning that no annotation turns
/// off. Hence the reflection.
final class Signals {
    private Signals() {}

    /// @param handler hears the name of each signal, on a thread of the virtual machine
    static void listen(Consumer<String> handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> listener = Class.forName("sun.misc.SignalHandler");
            Method handle = signal.getMethod("handle", signal, listener);
            for (String name : new String[] {"INT", "TERM"}) {
                Object proxy = Proxy.newProxyInstance(
                        Signals.class.getClassLoader(), new Class<?>[] {listener}, (_, method, _) -> {
                            if (method.getName().equals("handle")) {
                                handler.accept("SIG" + name);
                            }
                            return null;
                        });
                handle.invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            }
        } catch (ReflectiveOperationException missing) {
            throw new IllegalStateException("this virtual machine cannot listen for signals", missing);
        }
    }
}
