/// The shell: shards on event loops, listeners, configuration, logging, `main`.
@org.jspecify.annotations.NullMarked
module io.galgo.server {
    requires io.galgo.broker;
    requires org.slf4j;

    exports io.galgo.server;
}
