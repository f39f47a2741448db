/// Server processes, data directories and the tools that tests start.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.harness;
