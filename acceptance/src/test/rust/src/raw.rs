//! Commands by number, with bodies built here.

use crate::scenario::*;
use bytes::Bytes;
use iggy::prelude::*;
use std::sync::Arc;

const PING: u32 = 1;
const STATS: u32 = 10;
const ME: u32 = 20;
const LOGIN: u32 = 38;
const FLUSH: u32 = 102;
const GET_OFFSET: u32 = 120;
const STORE_OFFSET: u32 = 121;
const GET_STREAM: u32 = 200;
const CREATE_STREAM: u32 = 202;
const DELETE_STREAM: u32 = 203;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    let ask = async |code: u32, body: Vec<u8>| client.send_binary_request(code, Bytes::from(body)).await;
    assert!(done!(ask(PING, vec![])).is_empty(), "a ping has an empty answer");
    let stats = done!(ask(STATS, vec![]));
    let process = u32::from_le_bytes(stats[..4].try_into().expect("four bytes"));
    assert_eq!(process, done!(client.get_stats()).process_id, "the process in raw statistics");
    let me = done!(ask(ME, vec![]));
    assert_eq!(&me[..4], done!(client.get_me()).client_id.to_le_bytes(), "the client id in a raw answer");
    refused!(ask(LOGIN, vec![]), 3);
    refused!(ask(9999, vec![]), 3);

    // A name, and no options: not even their count.
    done!(ask(CREATE_STREAM, name("raw")));
    let stream = done!(client.get_stream(&id("raw"))).expect("the stream");
    let told = done!(ask(GET_STREAM, identifier("raw")));
    assert_eq!(&told[..4], stream.id.to_le_bytes(), "the stream id in a raw answer");
    assert!(done!(ask(GET_STREAM, identifier("no-such-stream"))).is_empty(), "a missing stream");
    refused!(ask(GET_STREAM, vec![7, 7, 7]), 3);

    done!(client.create_topic(&id("raw"), "events", &partitions(1)));
    send(&client, "raw", "events", 0, 0..5).await;
    let place =
        [vec![1], identifier("raw-reader"), identifier("raw"), identifier("events"), vec![1, 0, 0, 0, 0]].concat();
    done!(ask(STORE_OFFSET, [place.clone(), 3u64.to_le_bytes().to_vec(), vec![1]].concat()));
    let info = done!(ask(GET_OFFSET, place));
    assert_eq!(info[..], [&[0; 4][..], &4u64.to_le_bytes(), &3u64.to_le_bytes()].concat(), "a raw consumer offset");
    let partition = [identifier("raw"), identifier("events"), vec![0, 0, 0, 0, 1]].concat();
    refused!(ask(FLUSH, partition), 5);
    done!(ask(DELETE_STREAM, identifier("raw")));
    assert!(done!(client.get_stream(&id("raw"))).is_none(), "a stream deleted by a raw command");

    low_level(server).await;
}

/// The transport on its own has every call as well, and the client can be put around it.
async fn low_level(server: &Server) {
    let config = Arc::new(TcpClientConfig { server_address: server.address.clone(), ..TcpClientConfig::default() });
    let transport = TcpClient::create(config.clone()).expect("a transport");
    done!(Client::connect(&transport));
    done!(transport.login_user("iggy", "iggy"));
    done!(transport.get_stats());
    let around = IggyClient::new(ClientWrapper::Tcp(transport));
    done!(around.get_me());
    done!(around.shutdown());

    let transport = TcpClient::create(config).expect("a transport");
    let around = IggyClient::create(ClientWrapper::Tcp(transport), None, None);
    done!(around.connect());
    done!(around.login_user("iggy", "iggy"));
    done!(around.get_me());
    done!(around.shutdown());
}

fn name(text: &str) -> Vec<u8> {
    [&[text.len() as u8][..], text.as_bytes()].concat()
}

fn identifier(text: &str) -> Vec<u8> {
    [&[2, text.len() as u8][..], text.as_bytes()].concat()
}
