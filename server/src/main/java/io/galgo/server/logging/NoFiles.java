package io.galgo.server.logging;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;

/// Keeps Logback from looking for configuration files: [ServerLog] sets it up, and the search costs start-up time.
public final class NoFiles extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
