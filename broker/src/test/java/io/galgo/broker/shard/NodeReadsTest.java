package io.galgo.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.protocol.CommandCode;
import io.galgo.protocol.Operation;
import io.galgo.protocol.reply.ClientDetails;
import io.galgo.protocol.reply.ClientRecord;
import io.galgo.protocol.reply.ClientRecords;
import io.galgo.protocol.reply.ClusterMetadata;
import io.galgo.protocol.reply.NodeRecord;
import io.galgo.protocol.reply.NodeRole;
import io.galgo.protocol.reply.NodeStatus;
import io.galgo.protocol.reply.OptionDescription;
import io.galgo.protocol.reply.OptionDescriptions;
import io.galgo.protocol.reply.Stats;
import io.galgo.protocol.request.BodilessRequest;
import io.galgo.protocol.request.DescribeOptions;
import io.galgo.protocol.request.GetClient;
import io.galgo.protocol.request.OptionScope;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(ints = {1, 2, 3})
class NodeReadsTest {
    private final TestNode node;
    private final TestClient client;

    NodeReadsTest(int shardsCount) {
        node = new TestNode(shardsCount);
        client = node.root(shardsCount - 1);
    }

    private Answer ask(CommandCode command) {
        Answer answer = client.ask(new BodilessRequest(command));
        assertThat(answer.outcome()).isEqualTo("ok");
        return answer;
    }

    private Stats stats() {
        return Objects.requireNonNull(Stats.decode(ask(CommandCode.GET_STATS).body()));
    }

    @Test
    void statisticsCountWhatThereIs() {
        Stats fresh = stats();
        assertThat(fresh.streamsCount()).isZero();
        assertThat(fresh.clientsCount()).isEqualTo(1);
        assertThat(fresh.processId()).isEqualTo(42);
        assertThat(fresh.hostname()).isEqualTo("host");
        assertThat(fresh.serverVersion()).isEqualTo("galgo-test");
        client.createTopic(5);
        for (int partition = 0; partition < 5; partition++) {
            client.sendOk(partition, "abc", "def");
        }
        TestClient silent = node.connect(0);
        TestClient heard = node.connect(0);
        heard.ping();
        Stats full = stats();
        assertThat(full.streamsCount()).isEqualTo(1);
        assertThat(full.topicsCount()).isEqualTo(1);
        assertThat(full.partitionsCount()).isEqualTo(5);
        assertThat(full.segmentsCount()).isEqualTo(5);
        assertThat(full.messagesCount()).isEqualTo(10);
        assertThat(full.messagesSizeBytes()).isEqualTo(5 * (256 + 2 * 51));
        assertThat(full.clientsCount()).as("connections that sent a frame").isEqualTo(2);
        assertThat(silent.connection.number()).isNotEqualTo(heard.connection.number());
        heard.link.cut();
        assertThat(stats().clientsCount()).isEqualTo(1);
    }

    @Test
    void clientsThatAreConnectedAtOnceAreAllCounted() {
        TestClient other = node.root(0);

        for (TestClient asking : List.of(client, other)) {
            Answer answer = asking.ask(new BodilessRequest(CommandCode.GET_STATS));
            assertThat(Objects.requireNonNull(Stats.decode(answer.body())).clientsCount())
                    .isEqualTo(2);
        }
    }

    @Test
    void clientsAreListedFromAllShards() {
        for (int shard = 0; shard < node.shardsCount(); shard++) {
            node.connect(shard, 4).ping();
        }
        List<ClientRecord> clients = Objects.requireNonNull(
                        ClientRecords.decode(ask(CommandCode.GET_CLIENTS).body()))
                .clients();
        assertThat(clients).hasSize(node.shardsCount() + 1);
        assertThat(clients.stream().map(ClientRecord::clientId)).doesNotHaveDuplicates();
        assertThat(clients).extracting(ClientRecord::clientId).isSorted().allMatch(number -> number >= 1);
        assertThat(clients.stream().filter(record -> record.userId() == ClientRecord.NO_USER))
                .hasSize(node.shardsCount())
                .allMatch(record -> record.transportCode() == 4);
    }

    @Test
    void aClientFindsItselfAndOthers() {
        ClientDetails me = Objects.requireNonNull(
                ClientDetails.decode(ask(CommandCode.GET_ME).body()));
        assertThat(me.client()).isEqualTo(new ClientRecord(client.connection.number(), 0, 1, "127.0.0.1:50123", 0));
        assertThat(me.memberships()).isEmpty();
        TestClient other = node.connect(0);
        other.ping();
        Answer found = client.ask(new GetClient(other.connection.number()));
        assertThat(Objects.requireNonNull(ClientDetails.decode(found.body()))
                        .client()
                        .userId())
                .isEqualTo(ClientRecord.NO_USER);
        Answer missing = client.ask(new GetClient(4_000));
        assertThat(missing.outcome()).isEqualTo("ok");
        assertThat(missing.body().remaining()).isZero();
        Answer undecodable = client.ask(
                client.frame(Operation.NON_REPLICATED, CommandCode.GET_CLIENT.code(), 1, ByteBuffer.allocate(3)));
        assertThat(undecodable.outcome()).isEqualTo("ok");
        assertThat(undecodable.body().remaining()).isZero();
    }

    @Test
    void clusterMetadataListTheOneNode() {
        ClusterMetadata published = Objects.requireNonNull(
                ClusterMetadata.decode(ask(CommandCode.GET_CLUSTER_METADATA).body()));
        NodeRecord expected = new NodeRecord(
                "iggy-node", "galgo.example", 8090, 8080, 3000, 8092, NodeRole.LEADER, NodeStatus.HEALTHY);
        assertThat(published).isEqualTo(new ClusterMetadata("single-node", List.of(expected)));
    }

    @Test
    void withoutAnAddressClientsAreToldTheOneTheyConnectedTo() {
        node.publish(new NodeAddress("", 1, 2, 3, 4));
        ClusterMetadata metadata = Objects.requireNonNull(
                ClusterMetadata.decode(ask(CommandCode.GET_CLUSTER_METADATA).body()));
        assertThat(metadata.nodes().getFirst().host()).isEqualTo("10.1.2.3");
        assertThat(metadata.nodes().getFirst().tcpPort()).isEqualTo(1);
    }

    @Test
    void optionsAreDescribed() {
        Answer topic = client.ask(new DescribeOptions(OptionScope.TOPIC));
        assertThat(Objects.requireNonNull(OptionDescriptions.decode(topic.body()))
                        .options())
                .extracting(OptionDescription::key)
                .containsExactly(
                        "compression_algorithm",
                        "message_expiry",
                        "max_topic_size",
                        "segment_size",
                        "durability",
                        "consumer_offset_durability",
                        "messages_required_to_save",
                        "size_of_messages_required_to_save",
                        "preallocate_segments");
        for (OptionScope scope : List.of(OptionScope.STREAM, OptionScope.USER)) {
            Answer answer = client.ask(new DescribeOptions(scope));
            assertThat(Objects.requireNonNull(OptionDescriptions.decode(answer.body()))
                            .options())
                    .isEmpty();
        }
        for (int scope : new int[] {0, 4, 255}) {
            ByteBuffer body = ByteBuffer.allocate(1).put(0, (byte) scope);
            assertThat(client.ask(client.frame(Operation.NON_REPLICATED, CommandCode.DESCRIBE_OPTIONS.code(), 1, body))
                            .outcome())
                    .isEqualTo("deny 3");
        }
        assertThat(client.ask(client.frame(
                                Operation.NON_REPLICATED,
                                CommandCode.DESCRIBE_OPTIONS.code(),
                                1,
                                ByteBuffer.allocate(0)))
                        .outcome())
                .isEqualTo("deny 3");
    }
}
