/// Random and mutated bytes on a live server, while a well-behaved client works on.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.fuzz;
