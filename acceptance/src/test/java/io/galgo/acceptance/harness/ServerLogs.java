package io.galgo.acceptance.harness;

import io.galgo.torture.server.ServerProcess;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Adds the last log lines of the running servers to the failure of a test.
public final class ServerLogs implements AfterTestExecutionCallback {
    @Override
    public void afterTestExecution(ExtensionContext context) {
        context.getExecutionException().ifPresent(failure -> {
            String logs = ServerProcess.runningLogs();
            if (!logs.isEmpty() && !(failure instanceof org.opentest4j.TestAbortedException)) {
                failure.addSuppressed(new LogLines(logs));
            }
        });
    }

    /// Carries the log lines in a failure's report.
    private static final class LogLines extends RuntimeException {
        private static final long serialVersionUID = 1;

        LogLines(String lines) {
            super(lines, null, false, false);
        }
    }
}
