package io.galgo.protocol;

/// How a command is carried and ordered (spec commands.tsv).
public enum CommandClass {
    /// Operation 2 with the code in the header; a read, never deduplicated. The refused legacy logins are among
    /// them.
    NON_REPLICATED,
    /// Goes through the metadata log, once per session and request number.
    METADATA,
    /// A write to one partition.
    PARTITION,
    /// Login and logout.
    SESSION
}
