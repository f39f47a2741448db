/// Ways to harm a server that is at work, and what has to hold then.
@org.jspecify.annotations.NullMarked
package io.galgo.torture.campaign;
