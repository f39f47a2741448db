package io.galgo.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class OptionTextTest {
    private static final String NONE = "none";

    @Test
    void expiriesAreWordsOrSumsOfNumbersWithUnits() {
        String[][] rows = {
            {"unlimited", "-1"},
            {"Unlimited", "-1"},
            {"none", "-1"},
            {"None", "-1"},
            {"never_expire", "-1"},
            {"default", "0"},
            {"Default", "0"},
            {"server_default", "0"},
            {"Server_default", "0"},
            {"7 days", "604800000000"},
            {"7days", "604800000000"},
            {"2h 30m", "9000000000"},
            {"2h30m", "9000000000"},
            {"1h 30 min  5s", "5405000000"},
            {"15s", "15000000"},
            {"1.5 h", "5400000000"},
            {"0.5s", "500000"},
            {"1500ns", "1"},
            {"999ns", "0"},
            {"1us", "1"},
            {"1usec", "1"},
            {"1µs", "1"},
            {"3ms", "3000"},
            {"3 millis", "3000"},
            {"1w", "604800000000"},
            {"2 wks", "1209600000000"},
            {"1M", "2630016000000"},
            {"1 month", "2630016000000"},
            {"1m", "60000000"},
            {"1y", "31557600000000"},
            {"0s", "0"},
            {"4294967295s", "4294967295000000"},
            {"4294967296s", NONE},
            {"137years", NONE},
            {"UNLIMITED", NONE},
            {"never", NONE},
            {"7 DAYS", NONE},
            {"7 Days", NONE},
            {"60", NONE},
            {"0", "0"},
            {"00h", "0"},
            {" 1h ", "3600000000"},
            {"1h\t30 m", "5400000000"},
            {"1 d 1 d", "172800000000"},
            {"h", NONE},
            {"1 micros", NONE},
            {"1h+2m", NONE},
            {"18446744073709551615ns", NONE},
            {"1h 30", NONE},
            {"-1s", NONE},
            {"1,5s", NONE},
            {"1.s", NONE},
            {".5s", NONE},
            {"1h, 2m", NONE},
            {"1 fortnight", NONE},
            {" ", NONE},
            {"", NONE},
            {"99999999999999999999999999999999999999y", NONE},
        };
        for (String[] row : rows) {
            assertThat(text(OptionText.expiryMicros(row[0]))).as(row[0]).isEqualTo(row[1]);
        }
    }

    @Test
    void sizesAreDigitsOrNumbersWithUnits() {
        String[][] rows = {
            {"0", "0"},
            {"unlimited", "0"},
            {"Unlimited", "0"},
            {"none", "0"},
            {"None", "0"},
            {"00", "0"},
            {"1048576", "1048576"},
            {"1 MiB", "1048576"},
            {"1MiB", "1048576"},
            {"1mib", "131072"},
            {"1miB", "1048576"},
            {"1 MIB", "1048576"},
            {"2 GB", "2000000000"},
            {"1 GiB", "1073741824"},
            {"500MB", "500000000"},
            {"1.5 KB", "1500"},
            {"1.5 GiB", "1610612736"},
            {"1K", "1000"},
            {"1 KI", "1024"},
            {"1kb", "125"},
            {"7b", "1"},
            {"8b", "1"},
            {"9b", "2"},
            {"7B", "7"},
            {"0.1B", "1"},
            {"16 EiB", NONE},
            {"15 EiB", "-1152921504606846976"},
            {"18446744073709551615", "-1"},
            {"18446744073709551616", NONE},
            {"server_default", NONE},
            {"1.5", NONE},
            {"1 ", "1"},
            {" 1", "1"},
            {"\t1  GiB ", "1073741824"},
            {"01 KB", "1000"},
            {"1 KB B", NONE},
            {"1 Ki B", NONE},
            {"1 000", NONE},
            {".5GB", NONE},
            {"1.GB", NONE},
            {" ", NONE},
            {" none", NONE},
            {"i", NONE},
            {"1iB", NONE},
            {"KB", NONE},
            {"-1", NONE},
            {"+1", NONE},
            {"2,000", NONE},
            {"2_000", NONE},
            {"1 ZB", NONE},
            {"1e3", NONE},
            {"1 KBB", NONE},
            {"", NONE},
        };
        for (String[] row : rows) {
            assertThat(text(OptionText.bytes(row[0]))).as(row[0]).isEqualTo(row[1]);
        }
    }

    @Test
    void topicSizesKnowTwoMoreWords() {
        assertThat(OptionText.topicBytes("unlimited")).hasValue(-1);
        assertThat(OptionText.topicBytes("server_default")).hasValue(0);
        assertThat(OptionText.topicBytes("0")).hasValue(0);
        assertThat(OptionText.topicBytes("none")).hasValue(0);
        assertThat(OptionText.topicBytes("Unlimited")).hasValue(0);
        assertThat(OptionText.topicBytes("10 GiB")).hasValue(10_737_418_240L);
        assertThat(OptionText.topicBytes("default")).isEmpty();
    }

    @Test
    void countsAreDigitsBelowTwoToThe32() {
        assertThat(OptionText.number32("10")).hasValue(10);
        assertThat(OptionText.number32("0010")).hasValue(10);
        assertThat(OptionText.number32("+10")).hasValue(10);
        assertThat(OptionText.number32("4294967295")).hasValue(4_294_967_295L);
        for (String text :
                new String[] {"4294967296", "99999999999999999999999", "-1", "++1", "+", "1.0", "ten", "", " 1"}) {
            assertThat(OptionText.number32(text)).as(text).isEmpty();
        }
    }

    private static String text(OptionalLong number) {
        return number.isEmpty() ? NONE : Long.toString(number.getAsLong());
    }
}
