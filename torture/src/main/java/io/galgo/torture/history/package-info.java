/// What clients were told, and whether what is found later agrees with it.
@org.jspecify.annotations.NullMarked
package io.galgo.torture.history;
