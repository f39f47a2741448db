/// One replica of a replicated group as a state machine: inputs in, effects out.
@org.jspecify.annotations.NullMarked
module io.galgo.consensus {
    requires transitive io.galgo.protocol;

    exports io.galgo.consensus;
}
