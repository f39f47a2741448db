/// Runs of the simulation: from a seed to a verdict.
package io.galgo.simulator;
