/// The bytes of the binary protocol: frames, requests, replies, batches, options, error codes and checksums.
@org.jspecify.annotations.NullMarked
module io.galgo.protocol {
    requires static transitive org.jspecify;
    requires com.dynatrace.hash4j;

    exports io.galgo.protocol;
    exports io.galgo.protocol.batch;
    exports io.galgo.protocol.request;
    exports io.galgo.protocol.reply;
}
