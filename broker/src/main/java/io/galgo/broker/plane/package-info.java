/// The metadata plane: how a metadata command gets its place in the order and is carried out everywhere.
package io.galgo.broker.plane;
