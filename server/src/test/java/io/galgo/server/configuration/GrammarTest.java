package io.galgo.server.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.server.machine.CpuAllocation;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GrammarTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "unlimited, 0",
        "NONE, 0",
        "disabled, 0",
        "30s, 30000000000",
        "30 s, 30000000000",
        "1 m, 60000000000",
        "1M, 60000000000",
        "1h 30m, 5400000000000",
        "1.5 h, 5400000000000",
        "0.5s, 500000000",
        "250ms, 250000000",
        "7 us, 7000",
        "7 µs, 7000",
        "9 nanos, 9",
        "7 days, 604800000000000",
        "2 wk, 1209600000000000",
        "1 month, 2630016000000000",
        "1 year, 31557600000000000",
        "1h2m3s, 3723000000000"
    })
    void durationsAreReadInNanoseconds(String text, long nanos) {
        assertThat(DurationText.parse(text)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "30", "s", "5 parsecs", "1..5 s", ".5 s", "5. s", "-1 s", "1 s 2", "400 years"})
    void whatIsNoDurationIsRefused(String text) {
        assertThat(DurationText.parse(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "30000000000, 30s",
        "60000000000, 1m",
        "90000000000, 1m 30s",
        "5400000000000, 1h 30m",
        "604800000000000, 7days",
        "86400000000000, 1day",
        "1209600000000000, 14days",
        "2630016000000000, 1month",
        "31557600000000000, 1year",
        "63115200000000000, 2years",
        "500000000, 500ms",
        "1000, 1us"
    })
    void durationsArePrintedLargestUnitFirst(long nanos, String text) {
        assertThat(DurationText.print(nanos)).isEqualTo(text);
        assertThat(DurationText.parse(text)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @CsvSource({
        "1000, 1000",
        "0, 0",
        "2 MB, 2000000",
        "64 MiB, 67108864",
        "64miB, 67108864",
        "1K, 1000",
        "1 KI, 1024",
        "1kb, 125",
        "2 mb, 250000",
        "1 kib, 128",
        "1.2 KB, 1200",
        "2.125 GiB, 2281701376",
        "0.0001 KB, 1",
        "1200 B, 1200",
        "7 EiB, 8070450532247928832"
    })
    void byteSizesAreReadInBytes(String text, long bytes) {
        assertThat(ByteSizeText.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.5", "-1", "+1", "2,000", "unlimited", "MB", "1 XB", "8 EiB", "1 MBB", "1 iB"})
    void whatIsNoByteSizeIsRefused(String text) {
        assertThat(ByteSizeText.parse(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "2000000, 2 MB",
        "1200, 1.2 KB",
        "2281701376, 2.125 GiB",
        "1140850688, 1088 MiB",
        "1234567, 1234.567 KB",
        "0, 0 B",
        "999, 999 B",
        "67108864, 64 MiB",
        "4294967296, 4 GiB"
    })
    void byteSizesArePrintedInTheFirstExactUnit(long bytes, String text) {
        assertThat(ByteSizeText.print(bytes)).isEqualTo(text);
        assertThat(ByteSizeText.parse(text)).isEqualTo(bytes);
    }

    @Test
    void processorsAreAllocatedInFiveWays() {
        assertThat(CpuAllocation.parse("all")).isEqualTo(new CpuAllocation.All());
        assertThat(CpuAllocation.parse("4")).isEqualTo(new CpuAllocation.Count(4));
        assertThat(CpuAllocation.parse("5..8")).isEqualTo(new CpuAllocation.Range(5, 8));
        assertThat(CpuAllocation.parse("numa:auto")).isEqualTo(new CpuAllocation.Numa(List.of(), 0, true));
        assertThat(CpuAllocation.parse("numa:nodes=0,1;cores=4;no_ht=false"))
                .isEqualTo(new CpuAllocation.Numa(List.of(0, 1), 4, false));
        assertThat(CpuAllocation.parse("numa:cores=2")).isEqualTo(new CpuAllocation.Numa(List.of(), 2, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "some", "-1", "1..", "..2", "1.5", "numa:", "numa:nodes=a", "numa:no_ht=maybe", "numa:x=1"})
    void whatAllocatesNoProcessorsIsRefused(String text) {
        assertThat(CpuAllocation.parse(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:8090", "0.0.0.0:0", "[::1]:8090", "[::]:65535", "[::ffff:0.0.0.0]:1"})
    void literalAddressesHaveAPort(String text) {
        assertThat(AddressText.parseSocketAddress(text)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost:8090", ":8090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.1:8090", "::1:8090",
                "[::1]", "[::1", "1.2.3.4.5:1", "256.0.0.1:1", "127.0.0.1:-1", "127.0.0.1:+1", ""
            })
    void namesAndHalfAddressesAreNone(String text) {
        assertThat(AddressText.parseSocketAddress(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "Broker.Example.ORG, broker.example.org",
        "10.1.2.3, 10.1.2.3",
        "[FE80:0:0:0::1], fe80::1",
        "2001:DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "node-1, node-1"
    })
    void advertisedAddressesAreMadeCanonical(String text, String canonical) {
        assertThat(AddressText.parseAdvertised(text)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "0.0.0.0", "::", "[::]", "host:80", "1.2.3", "-host", "host-", "host.", "a_b", "[10.0.0.1]"})
    void whatNobodyCanDialIsNotAdvertised(String text) {
        assertThat(AddressText.parseAdvertised(text)).isNull();
    }

    @Test
    void networksAreCutToTheirPrefix() {
        assertThat(AddressText.parseCidr("10.1.2.3/8")).isEqualTo(AddressText.parseCidr("10.0.0.0/8"));
        assertThat(AddressText.parseCidr("::ffff:10.1.2.3/104")).isEqualTo(AddressText.parseCidr("10.0.0.0/8"));
        assertThat(AddressText.parseCidr("fd00:1::/16")).isEqualTo(AddressText.parseCidr("fd00::/16"));
        for (String wrong : List.of("10.0.0.0", "10.0.0.0/33", "::/129", "host/8", "10.0.0.0/", "::ffff:1.2.3.4/95")) {
            assertThat(AddressText.parseCidr(wrong)).as(wrong).isNull();
        }
    }

    @Test
    void expiryTellsEndlessFromDefault() {
        assertThat(Expiry.parse("never_expire")).isEqualTo(new Expiry.Never());
        assertThat(Expiry.parse("server_default")).isEqualTo(new Expiry.ServerDefault());
        assertThat(Expiry.parse("1 h")).isEqualTo(new Expiry.After(3_600_000_000_000L));
        assertThat(Expiry.parse("Never_expire")).isNull();
        assertThat(Expiry.parse("140 years")).isNull();
    }

    @Test
    void everyLineOfADocumentIsKnown() {
        String document = """
            # first
            path = "a"
            [http]
            address = "x"  # "quoted" = no
            [http.cors]
            allowed_methods = [
              "GET", # one
              "PUT",
            ]
            allow_credentials = true
            [[cluster.nodes]]
            name = '''
            a
            b'''
            ports = { tcp = 1, quic = 2 }
            [[cluster.nodes]]
            "name" = "c \\" ] d"
            [cluster.nodes.ports]
            http = 3
            [tcp]
            tls.enabled = false
            """;
        assertThat(TomlLines.of(document))
                .containsEntry("path", 2)
                .containsEntry("http", 3)
                .containsEntry("http.address", 4)
                .containsEntry("http.cors.allowed_methods", 6)
                .containsEntry("http.cors.allow_credentials", 10)
                .containsEntry("cluster.nodes[0].name", 12)
                .containsEntry("cluster.nodes[0].ports.quic", 15)
                .containsEntry("cluster.nodes[1].name", 17)
                .containsEntry("cluster.nodes[1].ports.http", 19)
                .containsEntry("tcp.tls.enabled", 21);
    }
}
