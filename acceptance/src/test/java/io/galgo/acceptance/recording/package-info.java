/// A recorded conversation of a published client, replayed against this server and compared field by field.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.recording;
