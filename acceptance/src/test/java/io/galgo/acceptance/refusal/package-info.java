/// What the server answers to input that it must not accept, and that nobody else notices.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.refusal;
