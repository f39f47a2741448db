/// Starting, configuring, stopping and restarting a server, on sound and on damaged data directories.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.lifecycle;
