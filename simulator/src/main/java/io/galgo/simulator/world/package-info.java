/// What the simulated machines, their disks and the network between them are allowed to do, and who may watch.
package io.galgo.simulator.world;
