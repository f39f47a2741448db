/// What clients ask for: one record per command, which decodes the body of a request and encodes it (spec protocol
/// 8).
///
/// `decode` takes the body between the buffer's position and limit, changes neither, throws on no input, and
/// returns null for an undecodable body. Bytes behind the last field are ignored, except where options end the
/// body.
package io.galgo.protocol.request;
