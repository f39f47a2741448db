/// Users, rights, tokens and logins against a real server.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.access;
