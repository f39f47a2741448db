//! Send with each partitioning, poll with each strategy, headers of every kind, encryption in the client.

use crate::scenario::*;
use iggy::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const STREAM: &str = "messages";

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    create(&client, STREAM, "events", 3).await;
    sending(&client).await;
    polling(&client).await;
    partitioning(&client, server).await;
    headers(&client).await;
    client_side_encryption(server).await;
    refused!(client.flush_unsaved_buffer(&id(STREAM), &id("events"), 0, true), 5);
    done!(client.delete_stream(&id(STREAM)));
}

async fn poll(client: &IggyClient, partition: u32, strategy: PollingStrategy, count: u32) -> PolledMessages {
    let who = Consumer::new(numeric(1));
    done!(client.poll_messages(&id(STREAM), &id("events"), Some(partition), &who, &strategy, count, false))
}

async fn sending(client: &IggyClient) {
    let stream = done!(client.get_stream(&id(STREAM))).expect("the stream");
    let topic = stream.topics[0].id;
    for batch in 0..10 {
        let mut two = numbered(2 * batch..2 * batch + 2);
        let sent = done!(client.send_messages(&id(STREAM), &id("events"), &Partitioning::partition_id(0), &mut two));
        assert_eq!(sent.confirmations.len(), 1, "{sent:?}");
        let place = &sent.confirmations[0];
        assert_eq!((place.stream_id, place.topic_id, place.partition_id), (stream.id, topic, 0), "{sent:?}");
        assert_eq!(place.base_offset, 2 * batch as u64, "{sent:?}");
    }
    let mut lost = vec![message("lost")];
    let nowhere = Partitioning::partition_id(7);
    let first = Partitioning::partition_id(0);
    refused!(client.send_messages(&id(STREAM), &id("events"), &nowhere, &mut lost), 20);
    refused!(client.send_messages(&id(STREAM), &id("no-such-topic"), &first, &mut lost), 20);
    refused!(client.send_messages(&id("no-such-stream"), &id("events"), &first, &mut lost), 20);
}

async fn polling(client: &IggyClient) {
    let all = poll(client, 0, PollingStrategy::first(), 100).await;
    let numbers: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(texts(&all), numbers, "the first 100");
    assert_eq!((all.partition_id, all.current_offset, all.count), (0, 19, 20), "what comes with a poll");
    for (offset, message) in all.messages.iter().enumerate() {
        assert_eq!(message.header.offset, offset as u64, "{message:?}");
        assert!(message.header.id != 0 && message.header.timestamp > 0, "{message:?}");
        assert!(message.header.origin_timestamp > 0, "{message:?}");
    }
    let stamps: Vec<u64> = all.messages.iter().map(|message| message.header.timestamp).collect();
    assert!(stamps.is_sorted(), "timestamps go back: {stamps:?}");

    assert_eq!(texts(&poll(client, 0, PollingStrategy::first(), 3).await), numbers[..3], "the first 3");
    assert_eq!(texts(&poll(client, 0, PollingStrategy::last(), 3).await), numbers[17..], "the last 3");
    assert_eq!(texts(&poll(client, 0, PollingStrategy::offset(5), 4).await), numbers[5..9], "4 from offset 5");
    assert_eq!(texts(&poll(client, 0, PollingStrategy::offset(1000), 4).await), numbers[..0], "beyond the end");
    let middle = PollingStrategy::timestamp(IggyTimestamp::from(stamps[8]));
    let from_middle = stamps.iter().position(|stamp| *stamp >= stamps[8]).expect("the ninth");
    assert_eq!(texts(&poll(client, 0, middle, 100).await), numbers[from_middle..], "from the time of the ninth");
    let future = PollingStrategy::timestamp(IggyTimestamp::from(stamps[19] + 60_000_000));
    assert_eq!(texts(&poll(client, 0, future, 100).await), numbers[..0], "from the future");
    assert_eq!(texts(&poll(client, 1, PollingStrategy::first(), 100).await), numbers[..0], "an empty partition");

    let who = Consumer::new(id("by-next"));
    let (stream, topic) = (id(STREAM), id("events"));
    let next = async |commit: bool| {
        texts(&done!(client.poll_messages(&stream, &topic, Some(0), &who, &PollingStrategy::next(), 7, commit)))
    };
    assert_eq!(next(false).await, numbers[..7], "Next");
    assert_eq!(next(true).await, numbers[..7], "Next, still there");
    assert_eq!(next(true).await, numbers[7..14], "Next behind a commit");
    assert_eq!(next(true).await, numbers[14..], "Next to the end");
    assert_eq!(next(true).await, numbers[..0], "Next at the end");

    let chosen = done!(client.poll_messages_with_strategy_for(
        &stream,
        &topic,
        Some(0),
        &who,
        &|partition| PollingStrategy::offset(u64::from(partition) + 18),
        10,
        false
    ));
    assert_eq!(texts(&chosen), numbers[18..], "a strategy chosen by partition");
    let without = done!(client.poll_messages(&stream, &topic, None, &who, &PollingStrategy::first(), 1, false));
    assert_eq!((without.partition_id, texts(&without)), (0, vec!["0".to_owned()]), "a poll without partition");

    let first = PollingStrategy::first();
    refused!(client.poll_messages(&stream, &topic, Some(7), &who, &first, 1, false), 3007);
    refused!(client.poll_messages(&stream, &id("no-such-topic"), Some(0), &who, &first, 1, false), 2010);
    refused!(client.poll_messages(&id("no-such-stream"), &topic, Some(0), &who, &first, 1, false), 1009);
}

/// Always the last partition.
#[derive(Debug)]
struct LastPartition;

impl Partitioner for LastPartition {
    fn calculate_partition_id(&self, _: &Identifier, _: &Identifier, _: &[IggyMessage]) -> Result<u32, IggyError> {
        Ok(2)
    }
}

async fn partitioning(client: &IggyClient, server: &Server) {
    done!(client.create_topic(&id(STREAM), "spread", &partitions(3)));
    let place = async |partitioning: Partitioning| {
        let mut messages = vec![message("x")];
        let sent = done!(client.send_messages(&id(STREAM), &id("spread"), &partitioning, &mut messages));
        sent.confirmations[0].partition_id
    };
    let mut visited = Vec::new();
    for _ in 0..6 {
        visited.push(place(Partitioning::balanced()).await);
    }
    assert_eq!(visited.iter().collect::<BTreeSet<_>>().len(), 3, "balanced sends went to {visited:?}");
    for key in [
        Partitioning::messages_key(b"\x00\xff").expect("a key"),
        Partitioning::messages_key_str("a key").expect("a key"),
        Partitioning::messages_key_u32(1),
        Partitioning::messages_key_u64(1 << 40),
        Partitioning::messages_key_u128(1 << 100),
    ] {
        let first = place(key.clone()).await;
        assert_eq!(
            (place(key.clone()).await, place(key.clone()).await),
            (first, first),
            "one key, one partition: {key:?}"
        );
    }
    let mut keyed = BTreeSet::new();
    for key in 0..40 {
        keyed.insert(place(Partitioning::messages_key_u32(key)).await);
    }
    assert_eq!(keyed.len(), 3, "40 keys leave a partition out: {keyed:?}");

    let producer = client.producer(STREAM, "spread").expect("a builder").partitioner(Arc::new(LastPartition)).build();
    done!(producer.init());
    let sent = done!(producer.send_one(message("chosen by the producer")));
    assert_eq!(sent.confirmations[0].partition_id, 2, "the partition of a producer's partitioner");

    let choosy = IggyClient::builder_from_connection_string(&server.connection_string())
        .expect("a connection string")
        .with_partitioner(Arc::new(LastPartition))
        .build()
        .expect("a client");
    done!(choosy.connect());
    let producer = choosy.producer(STREAM, "spread").expect("a builder").build();
    done!(producer.init());
    let sent = done!(producer.send_one(message("chosen by the client")));
    assert_eq!(sent.confirmations[0].partition_id, 2, "the partition of a client's partitioner");
}

async fn headers(client: &IggyClient) {
    let every_kind: Vec<HeaderValue> = vec![
        HeaderValue::try_from("grüße").expect("a value"),
        HeaderValue::try_from(&[0u8, 255, 7][..]).expect("a value"),
        true.into(),
        (-8i8).into(),
        (-16i16).into(),
        (-32i32).into(),
        (-64i64).into(),
        i128::MIN.into(),
        8u8.into(),
        16u16.into(),
        32u32.into(),
        64u64.into(),
        u128::MAX.into(),
        0.5f32.into(),
        (-0.25f64).into(),
    ];
    let mut headers: BTreeMap<HeaderKey, HeaderValue> = every_kind
        .into_iter()
        .enumerate()
        .map(|(number, value)| (format!("header-{number}").as_str().try_into().expect("a key"), value))
        .collect();
    headers.insert(7u32.into(), HeaderValue::try_from("under a number").expect("a value"));
    let sent = IggyMessage::builder()
        .id(0x0123_4567_89AB_CDEF_0011_2233_4455_6677)
        .payload(vec![0u8, 255, 0].into())
        .user_headers(headers.clone())
        .build()
        .expect("a message");
    let mut batch = vec![sent, message("plain")];
    done!(client.send_messages(&id(STREAM), &id("events"), &Partitioning::partition_id(1), &mut batch));
    let back = poll(client, 1, PollingStrategy::first(), 10).await;
    let [rich, plain] = back.messages.as_slice() else { panic!("two messages were sent: {back:?}") };
    assert_eq!(rich.header.id, 0x0123_4567_89AB_CDEF_0011_2233_4455_6677, "the id of a message");
    assert_eq!(rich.payload.as_ref(), [0, 255, 0], "a payload of bytes");
    assert_eq!(rich.user_headers_map(), Ok(Some(headers)), "headers of every kind");
    assert_eq!((text(plain), plain.user_headers_map()), ("plain".to_owned(), Ok(None)), "a message without headers");

    let large: Vec<u8> = (0..3_000_000u32).map(|number| (number * 31 % 251) as u8).collect();
    let mut batch = vec![IggyMessage::builder().payload(large.clone().into()).build().expect("a message")];
    done!(client.send_messages(&id(STREAM), &id("events"), &Partitioning::partition_id(2), &mut batch));
    let back = poll(client, 2, PollingStrategy::first(), 1).await;
    assert!(back.messages[0].payload == large, "a message of 3 MB came back changed");
}

/// The client encrypts, so the server stores what it cannot read and gives it back unchanged.
async fn client_side_encryption(server: &Server) {
    let key = EncryptorKind::Aes256Gcm(Aes256GcmEncryptor::new(&[7; 32]).expect("a key"));
    let writer = IggyClient::builder_from_connection_string(&server.connection_string())
        .expect("a connection string")
        .with_encryptor(Arc::new(key))
        .build()
        .expect("a client");
    done!(writer.connect());
    done!(writer.create_topic(&id(STREAM), "secret", &partitions(1)));
    let mut batch = vec![message("not for the server")];
    done!(writer.send_messages(&id(STREAM), &id("secret"), &Partitioning::partition_id(0), &mut batch));
    let who = Consumer::new(numeric(1));
    let read = async |client: &IggyClient| {
        done!(client.poll_messages(&id(STREAM), &id("secret"), Some(0), &who, &PollingStrategy::first(), 1, false))
    };
    assert_eq!(texts(&read(&writer).await), ["not for the server"], "with the key");
    let sealed = read(&server.logged_in().await).await.messages[0].payload.clone();
    assert!(!sealed.windows(10).any(|part| part == b"the server"), "the payload came to the server in clear");
}
