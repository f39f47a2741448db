/// The server as the specification tells it, for tests and simulation; no part of what is shipped.
@org.jspecify.annotations.NullMarked
module io.galgo.model {
    requires transitive io.galgo.protocol;

    exports io.galgo.model;
}
