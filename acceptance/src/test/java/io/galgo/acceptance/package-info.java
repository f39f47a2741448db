/// Black-box tests: published clients, published tools and exact frames against a real server process.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance;
