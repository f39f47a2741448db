/// The architecture rules that module descriptors cannot say.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.architecture;
