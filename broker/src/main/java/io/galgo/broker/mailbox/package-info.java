/// How shards hand things to each other.
package io.galgo.broker.mailbox;
