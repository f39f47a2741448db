/// Batch records: checking what clients send, stamping what is stored, cutting what is polled (spec protocol 7).
///
/// Bytes are never turned into objects here. All access is absolute on the buffer that holds the record.
package io.galgo.protocol.batch;
