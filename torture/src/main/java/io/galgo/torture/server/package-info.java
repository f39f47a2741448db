/// Server processes: started, stopped, killed, looked at.
@org.jspecify.annotations.NullMarked
package io.galgo.torture.server;
