/// The server as the specification tells it, and a driver that compares it with a real one.
///
/// Nothing here knows the classes of the server, only its wire protocol: [Model] is written from the specification
/// alone, [Driver] talks to whatever is behind a [Subject].
@org.jspecify.annotations.NullMarked
package io.galgo.model;
