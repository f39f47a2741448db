/// The shell: shards on event loops, listeners, configuration, logging, `main`.
@org.jspecify.annotations.NullMarked
module io.galgo.server {
    requires ch.qos.logback.classic;
    requires ch.qos.logback.core;
    requires com.github.luben.zstd_jni;
    requires com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.dataformat.toml;
    requires io.galgo.broker;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.classes.io_uring;
    requires io.netty.transport.unix.common;
    requires jdk.management;
    requires jdk.unsupported;
    requires org.apache.commons.compress;
    requires org.bouncycastle.provider;
    requires org.slf4j;
    requires org.tukaani.xz;

    exports io.galgo.server;

    provides ch.qos.logback.classic.spi.Configurator with
            io.galgo.server.logging.NoFiles;
}
