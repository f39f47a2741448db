/// Which test looks at which behaviour of the specification.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.specification;
