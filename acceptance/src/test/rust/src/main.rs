//! Scenarios of the published Rust client: `galgo-rust-scenarios AREA HOST:PORT [reference]`.
//!
//! An area is a chapter of what the client can do. It ends with `done` and exit code 0, or it says which call gave
//! what instead of what, and aborts.

#[macro_use]
mod scenario;

mod catalog;
mod consumer;
mod group_consumer;
mod groups;
mod messages;
mod offsets;
mod producer;
mod raw;
mod restart;
mod segments;
mod snapshot;
mod stream_builder;
mod system;
mod tokens;
mod users;

use scenario::Server;
use std::time::Duration;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [area, address, more @ ..] = arguments.as_slice() else {
        panic!("usage: galgo-rust-scenarios AREA HOST:PORT [reference]");
    };
    let server = Server { address: address.clone(), is_reference: more.iter().any(|word| word == "reference") };
    tokio::time::timeout(Duration::from_secs(120), run(area, &server))
        .await
        .unwrap_or_else(|_| panic!("{area} did not end within two minutes"));
    println!("done");
}

async fn run(area: &str, server: &Server) {
    match area {
        "system" => system::run(server).await,
        "catalog" => catalog::run(server).await,
        "messages" => messages::run(server).await,
        "offsets" => offsets::run(server).await,
        "producer" => producer::run(server).await,
        "consumer" => consumer::run(server).await,
        "groups" => groups::run(server).await,
        "group_consumer" => group_consumer::run(server).await,
        "stream_builder" => stream_builder::run(server).await,
        "users" => users::run(server).await,
        "tokens" => tokens::run(server).await,
        "segments" => segments::run(server).await,
        "snapshot" => snapshot::run(server).await,
        "raw" => raw::run(server).await,
        "restart" => restart::run(server).await,
        _ => panic!("no area is called {area}"),
    }
}
