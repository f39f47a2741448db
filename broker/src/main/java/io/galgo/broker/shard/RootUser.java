package io.galgo.broker.shard;

/// The first user, made when the metadata journal is empty (spec semantics 15.1).
///
/// @param name 3..50 bytes
/// @param passwordPhc the Argon2id hash, never the password
public record RootUser(String name, String passwordPhc) {}
