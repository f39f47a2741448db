/// How batches lie on disk when that is not as on the wire: encrypted, deflated, or both.
package io.galgo.storage.form;
