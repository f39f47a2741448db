package io.galgo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PortHolderTest {
    private static final List<String> TABLE = List.of(
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            row("0100007F:1F9A", "0A", 11), // 127.0.0.1:8090
            row("0200007F:1F9A", "0A", 12), // 127.0.0.2:8090
            row("00000000:1F9B", "0A", 13), // 0.0.0.0:8091
            row("0100007F:1F9A", "01", 14), // a connection
            row("0000000000000000FFFF00000100007F:1F9A", "0A", 15), // ::ffff:127.0.0.1
            row("00000000000000000000000001000000:1F9A", "0A", 16)); // [::1]:8090

    private static String row(String local, String state, int socket) {
        return "   0: " + local + " 00000000:0000 " + state + " 00000000:00000000 00:00000000 00000000  1000        0 "
                + socket + " 1 0000000000000000 100 0 0 10 0";
    }

    private static Set<String> listeners(String host, int port) {
        return PortHolder.listeners(TABLE, new InetSocketAddress(host, port));
    }

    @Test
    void onlyWhoListensOnThatAddressHoldsIt() {
        assertThat(listeners("127.0.0.1", 8090)).containsExactlyInAnyOrder("socket:[11]", "socket:[15]");
        assertThat(listeners("127.0.0.2", 8090)).containsExactly("socket:[12]");
        assertThat(listeners("::1", 8090)).containsExactly("socket:[16]");
        assertThat(listeners("10.1.2.3", 8090)).isEmpty();
    }

    @Test
    void whoListensOnAllAddressesHoldsEveryOne() {
        assertThat(listeners("127.0.0.9", 8091)).containsExactly("socket:[13]");
    }

    @Test
    void allAddressesAreHeldByWhoeverListensOnAny() {
        assertThat(listeners("0.0.0.0", 8090))
                .containsExactlyInAnyOrder("socket:[11]", "socket:[12]", "socket:[15]", "socket:[16]");
    }
}
