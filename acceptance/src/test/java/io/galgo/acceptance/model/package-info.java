/// A real server compared with the model of the specification.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.model;
