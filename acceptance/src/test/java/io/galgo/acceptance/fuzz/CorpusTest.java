package io.galgo.acceptance.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.galgo.acceptance.harness.Servers;
import io.galgo.acceptance.harness.Target;
import io.galgo.protocol.CommandCode;
import io.galgo.torture.server.ServerProcess;
import io.galgo.torture.wire.RawClient;
import io.galgo.torture.wire.ReplyFrame;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Fuzzing starts from frames that are right: a corpus of frames that the server cannot read would test little.
class CorpusTest {
    private static final int TRIES = 12;

    @Test
    void everyCommandOfTheCorpusCanBeDecoded(@TempDir Path folder) throws Exception {
        if (Target.current().isReference()) {
            return;
        }
        Corpus corpus = new Corpus();
        Random random = new Random(1);
        try (ServerProcess server = ServerProcess.start(Servers.on(folder.resolve("data")))) {
            for (CommandCode command : Corpus.COMMANDS) {
                Set<String> unreadable =
                        command == CommandCode.LEGACY_LOGIN || command == CommandCode.LEGACY_TOKEN_LOGIN
                                ? Set.of("DENY 3", "DENY 4")
                                : Set.of("DENY 3", "DENY 4", "EVICT 15");
                for (int i = 0; i < TRIES; i++) {
                    try (RawClient client = server.client()) {
                        ReplyFrame reply = client.exchange(
                                corpus.draw(command, client, random).stamped());
                        assertThat(reply.outcome())
                                .as("the answer to a %s of the corpus", command)
                                .isNotIn(unreadable);
                    }
                }
            }
        }
    }
}
