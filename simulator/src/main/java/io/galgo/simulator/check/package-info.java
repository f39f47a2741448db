/// The promises of the server, each with a class that notices when it is broken.
///
/// Checkers hear what clients send and get ([History]) and what the world does, and know nothing of the server's
/// inside but the committed metadata operations.
@org.jspecify.annotations.NullMarked
package io.galgo.simulator.check;
