/// The bytes of the binary protocol, both ways: what a client writes a server reads, and the other way round.
///
/// A frame is a header of 256 bytes and a body. [FrameHeader], [RequestHeader], [ReplyHeader] and [EvictionHeader]
/// read and write header fields in place; [Operation] and [CommandCode] say what is asked, [ErrorCode] and
/// [EvictionReason] why not. Bodies are records: see `io.galgo.protocol.request` and `io.galgo.protocol.reply`, and
/// here the values that both use. Batches of messages stay bytes: see `io.galgo.protocol.batch`.
///
/// Three habits hold everywhere:
///
/// - Numbers are little-endian. Static accessors read at an absolute position of a little-endian buffer; decoders
///   take the bytes between position and limit, in whichever order the buffer is set to.
/// - A decoder throws on no input, reads nothing outside its limits, and never reserves more memory than the body
///   is long, times a small factor. It returns null for bytes that are not what it decodes.
/// - Unsigned numbers keep their bits in Java's signed types, and the doc comment says so where it matters.
///   Counts that are compared are widened.
///
/// "Spec protocol 7.4" and the like name sections of the wire specification that this code follows.
package io.galgo.protocol;
