package io.galgo.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// The numbers of commands, operations, errors, reasons and versions.
class NumbersTest {
    @Test
    void errorCodesAreFoundByTheirNumbers() {
        Set<Integer> codes = new HashSet<>();
        for (ErrorCode code : ErrorCode.values()) {
            assertThat(codes.add(code.code()))
                    .as("%s is numbered like another", code)
                    .isTrue();
            assertThat(ErrorCode.of(code.code())).isSameAs(code);
        }
        assertThat(codes).hasSize(240);
        assertThat(ErrorCode.of(0)).isNull();
        assertThat(ErrorCode.of(17)).isNull();
        assertThat(ErrorCode.of(-1)).isNull();
        assertThat(ErrorCode.STREAM_ID_NOT_FOUND.code()).isEqualTo(1009);
        assertThat(ErrorCode.STREAM_ID_NOT_FOUND.label()).isEqualTo("stream_id_not_found");
        assertThat(ErrorCode.TRANSIENT_NOT_ACCEPTED.code()).isEqualTo(58);
        assertThat(ErrorCode.INCOMPATIBLE_PROTOCOL_VERSION.code()).isEqualTo(14_003);
    }

    @Test
    void commandsAreFoundByTheirCodesAndOperations() {
        Set<Integer> codes = new HashSet<>();
        for (CommandCode command : CommandCode.values()) {
            assertThat(codes.add(command.code()))
                    .as("%s is numbered like another", command)
                    .isTrue();
            assertThat(CommandCode.of(command.code())).isSameAs(command);
            switch (command.commandClass()) {
                case NON_REPLICATED -> assertThat(command.operation()).isEqualTo(Operation.NON_REPLICATED);
                case METADATA -> {
                    assertThat(command.operation().isMetadata())
                            .as("%s", command)
                            .isTrue();
                    assertThat(CommandCode.of(command.operation())).isSameAs(command);
                }
                case PARTITION -> {
                    assertThat(command.operation().isPartition())
                            .as("%s", command)
                            .isTrue();
                    assertThat(CommandCode.of(command.operation())).isSameAs(command);
                }
                case SESSION -> assertThat(command.operation().value()).isIn(1, 3);
            }
        }
        assertThat(codes).hasSize(56);
        assertThat(CommandCode.of(Operation.REGISTER)).isSameAs(CommandCode.LOGIN);
        assertThat(CommandCode.of(Operation.NON_REPLICATED)).isNull();
        assertThat(CommandCode.of(Operation.TRUNCATE_PARTITION)).isNull();
        assertThat(CommandCode.of(-1)).isNull();
        assertThat(CommandCode.of(0)).isNull();
        assertThat(CommandCode.of(607)).isNull();
        assertThat(CommandCode.of(Integer.MAX_VALUE)).isNull();
    }

    @Test
    void everyOperationThatClientsSendIsACommand() {
        for (Operation operation : Operation.values()) {
            assertThat(Operation.of(operation.value())).isSameAs(operation);
            if (operation != Operation.NON_REPLICATED) {
                assertThat(CommandCode.of(operation) == null)
                        .as("%s has no command", operation)
                        .isEqualTo(operation.isInternal());
            }
        }
        assertThat(Operation.values()).hasSize(33);
        assertThat(Operation.of(256)).isNull();
        assertThat(Operation.of(-1)).isNull();
    }

    @Test
    void onlyThreeOperationsAreAnsweredUnderAnother() {
        for (Operation operation : Operation.values()) {
            if (operation.isInternal()) {
                continue;
            }
            assertThat(operation.executed().requested()).isSameAs(operation);
            assertThat(operation.executed() != operation)
                    .as("%s", operation)
                    .isEqualTo(operation == Operation.CREATE_TOPIC
                            || operation == Operation.CREATE_PARTITIONS
                            || operation == Operation.DELETE_SEGMENTS);
        }
        assertThat(Operation.CREATE_TOPIC.executed().value()).isEqualTo(64);
        assertThat(Operation.CREATE_PARTITIONS.executed().value()).isEqualTo(65);
        assertThat(Operation.DELETE_SEGMENTS.executed().value()).isEqualTo(68);
    }

    @Test
    void fourOperationsAreNotResultFramed() {
        for (Operation operation : Operation.values()) {
            assertThat(operation.isResultFramed())
                    .as("%s", operation)
                    .isEqualTo(!Set.of(2, 3, 138, 160).contains(operation.value()));
        }
    }

    @Test
    void evictionReasonsAreFoundByTheirNumbers() {
        for (EvictionReason reason : EvictionReason.values()) {
            assertThat(EvictionReason.of(reason.value())).isSameAs(reason);
        }
        assertThat(EvictionReason.values()).hasSize(15);
        assertThat(EvictionReason.of(0)).isNull();
        assertThat(EvictionReason.of(16)).isNull();
        assertThat(EvictionReason.STALE_CLIENT.value()).isEqualTo(13);
        assertThat(EvictionReason.STALE_CLIENT.clientError().code()).isEqualTo(30);
    }

    @Test
    void clientsOfTheSameMinorVersionAreLetIn() {
        assertThat(ProtocolVersion.CURRENT).isEqualTo(11_264);
        assertThat(ProtocolVersion.OLDEST).isEqualTo(11_264);
        assertThat(ProtocolVersion.isAccepted(11_264)).isTrue();
        assertThat(ProtocolVersion.isAccepted(ProtocolVersion.packed(0, 11, 1023)))
                .isTrue();
        assertThat(ProtocolVersion.isAccepted(11_263)).as("0.10.1023").isFalse();
        assertThat(ProtocolVersion.isAccepted(12_288)).as("0.12.0").isFalse();
        assertThat(ProtocolVersion.isAccepted(0)).isFalse();
        assertThat(ProtocolVersion.isAccepted(-1)).isFalse();
        assertThat(ProtocolVersion.isAccepted(Integer.MIN_VALUE)).isFalse();
        assertThat(ProtocolVersion.toText(ProtocolVersion.CURRENT)).isEqualTo("0.11.0");
    }
}
