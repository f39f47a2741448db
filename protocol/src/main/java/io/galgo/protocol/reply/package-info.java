/// What the server answers: one record per kind of body, which decodes and encodes it (spec protocol 5.10-5.14, 8).
///
/// These are payloads: the result section of a result-framed reply comes before them and is written apart, see
/// [io.galgo.protocol.ResultSection]. `decode` takes the payload between the buffer's position and limit, changes
/// neither, throws on no input, and returns null for bytes that are no such payload. Records named for several go
/// on to the end of the body, except where they are counted.
///
/// Numbers whose wire type is unsigned are to be read as unsigned.
package io.galgo.protocol.reply;
