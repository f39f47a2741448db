/// The client's side of the binary protocol, written once more and only for tests and campaigns.
///
/// Nothing of the product's codecs is used but the hash functions: a mistake that encoder and decoder share would
/// otherwise cancel itself out.
@org.jspecify.annotations.NullMarked
package io.galgo.torture.wire;
