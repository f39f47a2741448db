/// Campaigns against real server processes: how they are harmed, what clients do meanwhile, what has to hold.
@org.jspecify.annotations.NullMarked
module io.galgo.torture {
    requires static transitive org.jspecify;
    requires io.galgo.protocol;

    exports io.galgo.torture;
    exports io.galgo.torture.campaign;
    exports io.galgo.torture.history;
    exports io.galgo.torture.server;
    exports io.galgo.torture.wire;
}
