/// Messages that are stored encrypted or packed, on a real server and a real disk.
@org.jspecify.annotations.NullMarked
package io.galgo.acceptance.storedform;
