/// Models of the published clients and of what programs do with them, no nicer than the real ones.
@org.jspecify.annotations.NullMarked
package io.galgo.simulator.client;
