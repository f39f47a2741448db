package io.galgo.acceptance.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.galgo.torture.wire.Body;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScriptTest {
    @Test
    void aLineIsConnectionCommandArgumentsEditsAndWhatIsKept() {
        Step.Request request = only("c1 create_stream name=\"two words\" @cut=1 @unsent -> id=stream.id # why");

        assertThat(request.connection()).isEqualTo("c1");
        assertThat(request.command()).isEqualTo("create_stream");
        assertThat(request.arguments()).containsExactly(new Arguments.Argument("name", new Value("two words", true)));
        assertThat(request.edits()).extracting(Arguments.Argument::name).containsExactly("cut", "unsent");
        assertThat(request.kept()).containsExactly(new Arguments.Argument("id", new Value("stream.id", false)));
        assertThat(request.text()).endsWith("-> id=stream.id");
    }

    @Test
    void linesWithoutARequestAreSettingsClosesAndRestarts() {
        Script script = Script.parse(
                "s", List.of("# text", "", "setting a.b 1 MiB", "c1 ping", "c1 close", "restart", "c1 ping"));

        assertThat(script.settings()).isEqualTo(Map.of("a.b", "1 MiB"));
        assertThat(script.steps())
                .extracting(step -> step.getClass().getSimpleName())
                .containsExactly("Request", "Close", "Restart", "Request");
        assertThat(script.place(script.requests().get(1))).isEqualTo("s:7");
    }

    @Test
    void anIndentedLineSaysWhatDiffersFromTheRecordingAndWhy() {
        Script script =
                Script.parse("s", List.of("c1 ping", "  galgo outcome=\"DENY 3\" topic\\..*=* because: it is safer"));

        assertThat(script.requests().getFirst().deviations())
                .extracting(Deviation::origin, Deviation::expected, Deviation::reason)
                .containsExactly(
                        tuple(Deviation.Origin.GALGO, "DENY 3", "it is safer"),
                        tuple(Deviation.Origin.GALGO, "*", "it is safer"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c1",
                "1c ping",
                "c1 get_stream orders",
                "  galgo outcome=OK because: nothing stands above",
                "setting alone",
                "c1 create_stream name=\"open"
            })
    void aLineThatCannotBeReadNamesItsPlace(String line) {
        assertThatThrownBy(() -> Script.parse("s", List.of(line)))
                .isInstanceOf(ScriptException.class)
                .hasMessageStartingWith("s:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "  galgo outcome=OK",
                "  galgo outcome=OK because: ",
                "  galgo because: no field",
                "  someone outcome=OK because: nobody knows who"
            })
    void aDifferenceWithoutAReasonIsRefused(String line) {
        assertThatThrownBy(() -> Script.parse("s", List.of("c1 ping", line)))
                .isInstanceOf(ScriptException.class)
                .hasMessageStartingWith("s:2");
    }

    @Test
    void aSettingBehindTheFirstRequestIsRefused() {
        assertThatThrownBy(() -> Script.parse("s", List.of("c1 ping", "setting a.b 1")))
                .isInstanceOf(ScriptException.class);
    }

    @Test
    void variablesAndRepetitionsAreReplacedInUnquotedValuesOnly() {
        Map<String, String> variables = Map.of("id", "7", "c1.client", "hex:0102");

        assertThat(Value.of("offset:$id").resolved("s:1", variables).text()).isEqualTo("offset:7");
        assertThat(Value.of("$c1.client").resolved("s:1", variables).bytes()).containsExactly(1, 2);
        assertThat(Value.of("ab*3").resolved("s:1", variables).text()).isEqualTo("ababab");
        assertThat(new Value("$id*2", true).resolved("s:1", variables).text()).isEqualTo("$id*2");
        assertThatThrownBy(() -> Value.of("$missing").resolved("s:1", variables))
                .hasMessageContaining("$missing");
    }

    @ParameterizedTest
    @CsvSource({
        "c1 get_stream stream=7, 010407000000",
        "c1 get_stream stream=\"7\", 020137",
        "c1 get_stream stream=hex:0300, 0300",
        "c1 describe_options scope=user, 03",
        "c1 create_user name=abc password=xy global=read_servers stream.2=all topic.2.5=none,"
                + " 03616263 027879 01 01 20000000 00010000000000000000 01 02000000 010101010101 01 05000000 00000000 00 00",
        "c1 update_user user=1 status=2, 010401000000 00 01 02",
        "c1 store_consumer_offset as_group=g stream=0 topic=0 partition=1 offset=11,"
                + " 02 020167 010400000000 010400000000 01 01000000 0b00000000000000 01",
        "c1 poll_messages as=5 stream=0 topic=0 strategy=9:3 count=2 commit=1,"
                + " 01 010405000000 010400000000 010400000000 00 00000000 09 0300000000000000 02000000 01",
        "c1 create_topic stream=0 partitions=1 name=t option.segment_size=u64:512,"
                + " 010400000000 01000000 0174 02 0c000000 7365676d656e745f73697a65 0c 08000000 0002000000000000"
    })
    void aCommandIsEncodedAsTheProtocolHasIt(String line, String body) {
        Step.Request request = only(line);

        byte[] encoded = Requests.encode(request.command(), new Arguments("s:1", request.arguments()))
                .body();

        assertThat(HexFormat.of().formatHex(encoded))
                .isEqualTo(HexFormat.of().formatHex(Body.of().hex(body).toBytes()));
    }

    @ParameterizedTest
    @CsvSource({
        "c1 get_streem stream=7, get_streem",
        "c1 get_stream, stream",
        "c1 get_stream stream=7 topic=1, topic",
        "c1 create_user name=abc password=x global=fly, fly"
    })
    void aCommandOrArgumentThatIsNotThereIsNamed(String line, String named) {
        Step.Request request = only(line);

        assertThatThrownBy(() -> Requests.encode(request.command(), new Arguments("s:1", request.arguments())))
                .isInstanceOf(ScriptException.class)
                .hasMessageContaining(named);
    }

    private static Step.Request only(String line) {
        return Script.parse("s", List.of(line)).requests().getFirst();
    }
}
