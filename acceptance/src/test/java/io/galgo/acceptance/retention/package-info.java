/// What deletes messages, what that must not disturb, and what must not grow.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.retention;
