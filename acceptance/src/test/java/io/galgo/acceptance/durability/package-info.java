/// The claim that nothing acknowledged is lost when the server is killed, and how it is checked.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.durability;
