/// Consumer groups whose members come, leave and die.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.groups;
