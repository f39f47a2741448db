/// A node in one thread of virtual time, on a disk, a network and a clock that are allowed everything the real ones
/// do.
@org.jspecify.annotations.NullMarked
module io.galgo.simulator {
    requires transitive io.galgo.broker;
    requires io.galgo.model;
}
