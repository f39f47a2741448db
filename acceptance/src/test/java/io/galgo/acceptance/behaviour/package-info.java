/// What commands do, spoken in exact frames.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.behaviour;
