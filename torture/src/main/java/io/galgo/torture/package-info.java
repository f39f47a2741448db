/// The command, and its report.
@org.jspecify.annotations.NullMarked
package io.galgo.torture;
