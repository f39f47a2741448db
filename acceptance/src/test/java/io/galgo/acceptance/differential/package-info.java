/// The same requests, sent to the reference server once and to this server in every test run: the replies are
/// equal, field by field, or a difference is written down with its reason.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.differential;
