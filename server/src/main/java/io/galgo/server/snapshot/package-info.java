/// Archives that describe a node for people who look for a fault in it.
package io.galgo.server.snapshot;
