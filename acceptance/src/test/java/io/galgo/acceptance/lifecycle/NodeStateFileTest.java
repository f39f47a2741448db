package io.galgo.acceptance.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.ServerLogs;
import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.torture.server.Commands;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.server.ServerSettings;
import io.galgo.torture.wire.Partitioning;
import io.galgo.torture.wire.RawClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What a data directory remembers of the node that used it last, and what a server makes of it.
@ExtendWith(ServerLogs.class)
class NodeStateFileTest {
    private static final int VERSION_AT = 8;
    private static final int BOOT_ID_AT = 18;

    @TempDir
    Path folder;

    @BeforeEach
    void onlyOurServer() {
        Assumptions.assumeFalse(Target.current().isReference(), "these are files of Galgo");
    }

    private ServerSettings settings() {
        return Servers.on(folder.resolve("data"));
    }

    private Path state() {
        return folder.resolve("data/node.state");
    }

    private long send(ServerProcess server, long partition) throws IOException {
        try (RawClient client = server.client()) {
            return client.send("kept", "events", Partitioning.to(partition), "message")
                    .baseOffset();
        }
    }

    /// Makes a topic with two partitions and one message in each, and kills the server.
    private void fillAndKill() throws IOException, InterruptedException {
        try (ServerProcess server = ServerProcess.start(settings())) {
            try (RawClient client = server.client()) {
                client.createStream("kept");
                client.createTopic("kept", "events", 2);
            }
            assertThat(send(server, 0)).isZero();
            assertThat(send(server, 1)).isZero();
            server.kill();
        }
    }

    /// What a start finds after the machine was restarted: another run of it is noted.
    private void pretendARestartOfTheMachine() throws IOException {
        byte[] bytes = Files.readAllBytes(state());
        bytes[BOOT_ID_AT] ^= 1;
        Files.write(state(), bytes);
    }

    @Test
    void offsetsGoOnWithoutAGapWhenOnlyTheProcessDied() throws Exception {
        fillAndKill();
        try (ServerProcess server = ServerProcess.start(settings())) {
            assertThat(send(server, 0)).isEqualTo(1);
            assertThat(send(server, 1)).isEqualTo(1);
        }
    }

    @Test
    void aPartitionThatCouldNotBeOpenedIsStillTakenToHaveLostBytesByTheNextStart() throws Exception {
        fillAndKill();
        pretendARestartOfTheMachine();
        Path superblock = folder.resolve("data/streams/0/topics/0/partitions/0/superblock");
        Path aside = folder.resolve("superblock");
        Files.move(superblock, aside);
        Files.createDirectory(superblock);
        try (ServerProcess server = ServerProcess.start(settings())) {
            assertThat(send(server, 1)).as("the other partition").isGreaterThan(1);
            assertThat(server.log())
                    .contains("partition 0/0/0 (stream ", "could not be opened", "not every partition could be opened");
            server.kill();
        }
        Files.delete(superblock);
        Files.move(aside, superblock);
        long next;
        try (ServerProcess server = ServerProcess.start(settings())) {
            next = send(server, 0);
            assertThat(next)
                    .as("offsets that may have been confirmed are left out")
                    .isGreaterThan(1);
            server.kill();
        }
        try (ServerProcess server = ServerProcess.start(settings())) {
            assertThat(send(server, 0)).as("now everything is recovered").isEqualTo(next + 1);
        }
    }

    @Test
    void aDirectoryOfAnotherFormatIsRefusedInOneSentence() throws Exception {
        fillAndKill();
        byte[] bytes = Files.readAllBytes(state());
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(VERSION_AT, 99)
                .putInt(VERSION_AT + 4, ~99);
        Files.write(state(), bytes);
        Commands.Outcome refusal = ServerProcess.startRefused(settings());
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains("format version 99").doesNotContain("\tat ");
        assertThat(Files.readAllBytes(state())).isEqualTo(bytes);
    }

    @Test
    void aDirectoryOfAnotherProgramIsRefusedAndKept() throws Exception {
        Path theirs = folder.resolve("data/streams/1/topics/1/partitions/1/00000000000000000000.log");
        Files.createDirectories(theirs.getParent());
        Files.writeString(theirs, "messages of somebody else");
        Commands.Outcome refusal = ServerProcess.startRefused(settings());
        assertThat(refusal.exitCode()).isEqualTo(1);
        assertThat(refusal.output()).contains("another program's").doesNotContain("\tat ");
        assertThat(theirs).hasContent("messages of somebody else");
    }
}
