/// Maps for the core: primitive keys, an order that repeats.
package io.galgo.broker.table;
