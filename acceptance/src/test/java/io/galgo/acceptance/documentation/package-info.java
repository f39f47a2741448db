/// What the documentation promises is tried.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.documentation;
