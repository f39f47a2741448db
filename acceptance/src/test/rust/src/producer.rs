//! The high-level producer, direct and in the background.

use crate::scenario::*;
use iggy::clients::producer_config::BackpressureMode;
use iggy::clients::producer_error_callback::{ErrorCallback, ErrorCtx};
use iggy::prelude::*;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    direct(&client).await;
    elsewhere(&client).await;
    background(&client).await;
    undeliverable(&client).await;
    encrypted(&client).await;
    done!(client.delete_stream(&id("producer")));
}

async fn read(client: &IggyClient, topic: &str, partition: u32) -> PolledMessages {
    let who = Consumer::new(numeric(1));
    let (stream, topic) = (id("producer"), id(topic));
    done!(client.poll_messages(&stream, &topic, Some(partition), &who, &PollingStrategy::first(), 1000, false))
}

fn as_texts(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| number.to_string()).collect()
}

async fn direct(client: &IggyClient) {
    let absent = client
        .producer("producer", "events")
        .expect("a builder")
        .do_not_create_stream_if_not_exists()
        .do_not_create_topic_if_not_exists()
        .build();
    refused!(absent.init(), 1010);

    let hour = IggyExpiry::ExpireDuration(duration("1h"));
    let producer = client
        .producer("producer", "events")
        .expect("a builder")
        .direct(DirectConfig::builder().batch_length(4).linger_time(duration("1ms")).build())
        .partitioning(Partitioning::partition_id(1))
        .send_retries(Some(3), Some(nonzero("100ms")))
        .create_stream_if_not_exists()
        .create_topic_if_not_exists(2, hour, MaxTopicSize::Unlimited)
        .build();
    done!(producer.init());
    assert_eq!((producer.stream(), producer.topic()), (&id("producer"), &id("events")));
    let topic = done!(client.get_topic(&id("producer"), &id("events"))).expect("the producer made the topic");
    assert_eq!((topic.partitions_count, topic.message_expiry), (2, hour), "{topic:?}");

    let sent = done!(producer.send(numbered(0..10)));
    let bases: Vec<u64> = sent.confirmations.iter().map(|place| place.base_offset).collect();
    assert_eq!(bases, [0, 4, 8], "ten messages in batches of four");
    done!(producer.send_one(message("10")));
    assert_eq!(texts(&read(client, "events", 1).await), as_texts(0..11), "what was sent, in its order");
    assert_eq!(done!(producer.send(Vec::new())).confirmations.len(), 0, "nothing to send");
    let first = Arc::new(Partitioning::partition_id(0));
    done!(producer.send_with_partitioning(numbered(0..2), Some(first)));
    assert_eq!(texts(&read(client, "events", 0).await), as_texts(0..2), "a partitioning of its own");
    producer.shutdown().await;

    let balanced = client
        .producer("producer", "events")
        .expect("a builder")
        .without_partitioning()
        .without_partitioner()
        .without_encryptor()
        .build();
    done!(balanced.init());
    let mut visited = BTreeSet::new();
    for _ in 0..4 {
        visited.insert(done!(balanced.send_one(message("x"))).confirmations[0].partition_id);
    }
    assert_eq!(visited, BTreeSet::from([0, 1]), "balanced without more being said");
}

async fn elsewhere(client: &IggyClient) {
    done!(client.create_topic(&id("producer"), "elsewhere", &partitions(1)));
    let producer = client
        .producer("producer", "no-topic-of-this-name")
        .expect("a builder")
        .stream(id("producer"))
        .topic(id("events"))
        .build();
    done!(producer.init());
    let (stream, topic) = (Arc::new(id("producer")), Arc::new(id("elsewhere")));
    let sent = done!(producer.send_to(stream.clone(), topic, numbered(0..3), None));
    assert_eq!(sent.confirmations.len(), 1, "{sent:?}");
    assert_eq!(texts(&read(client, "elsewhere", 0).await), as_texts(0..3), "sent to another topic");
    let missing = Arc::new(id("no-such-topic"));
    let impatient = client.producer("producer", "events").expect("a builder").send_retries(None, None).build();
    done!(impatient.init());
    assert!(impatient.send_to(stream, missing, numbered(0..1), None).await.is_err(), "a topic that is not there");
}

async fn background(client: &IggyClient) {
    for (topic, sharding) in [
        ("ordered", Box::new(OrderedSharding) as Box<dyn Sharding + Send + Sync>),
        ("balanced", Box::new(BalancedSharding::default())),
    ] {
        let config = BackgroundConfig::builder()
            .num_shards(2)
            .linger_time(duration("1ms"))
            .sharding(sharding)
            .batch_size(1 << 16)
            .batch_length(50)
            .failure_mode(BackpressureMode::BlockWithTimeout(duration("5s")))
            .max_buffer_size(IggyByteSize::from(1 << 20))
            .max_in_flight(2)
            .build();
        let producer = client
            .producer("producer", topic)
            .expect("a builder")
            .background(config)
            .partitioning(Partitioning::partition_id(0))
            .build();
        done!(producer.init());
        for start in (0..200).step_by(20) {
            let queued = done!(producer.send(numbered(start..start + 20)));
            assert!(queued.confirmations.is_empty(), "a queued send is not confirmed yet: {queued:?}");
        }
        producer.shutdown().await;
        let mut back = texts(&read(client, topic, 0).await);
        if topic == "balanced" {
            back.sort_by_key(|text| text.parse::<usize>().expect("a number"));
        }
        assert_eq!(back, as_texts(0..200), "everything is there after the shutdown of the {topic} producer");
    }
}

/// Counts the messages that could not be delivered.
#[derive(Debug, Default)]
struct Counting(Arc<AtomicUsize>);

impl ErrorCallback for Counting {
    fn call(&self, failure: ErrorCtx) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>> {
        self.0.fetch_add(failure.messages.len(), Ordering::SeqCst);
        Box::pin(async {})
    }
}

async fn undeliverable(client: &IggyClient) {
    let failures = Arc::new(AtomicUsize::new(0));
    let callback: Box<dyn ErrorCallback + Send + Sync> = Box::new(Counting(failures.clone()));
    let producer = client
        .producer("producer", "gone")
        .expect("a builder")
        .background(BackgroundConfig::builder().error_callback(Arc::new(callback)).build())
        .partitioning(Partitioning::partition_id(0))
        .send_retries(None, None)
        .build();
    done!(producer.init());
    done!(client.delete_topic(&id("producer"), &id("gone")));
    done!(producer.send(numbered(0..3)));
    producer.shutdown().await;
    assert_eq!(failures.load(Ordering::SeqCst), 3, "messages that the callback was told of");
}

async fn encrypted(client: &IggyClient) {
    let key = Arc::new(EncryptorKind::Aes256Gcm(Aes256GcmEncryptor::new(&[3; 32]).expect("a key")));
    let producer = client.producer("producer", "secret").expect("a builder").encryptor(key.clone()).build();
    done!(producer.init());
    done!(producer.send(numbered(0..5)));
    let sealed = read(client, "secret", 0).await;
    assert_eq!(sealed.messages.len(), 5);
    assert!(sealed.messages.iter().all(|message| message.payload.len() > 20), "the payloads came in clear");
    let mut consumer = client
        .consumer("reader", "producer", "secret", 0)
        .expect("a builder")
        .encryptor(key)
        .auto_commit(AutoCommit::When(AutoCommitWhen::ConsumingEachMessage))
        .build();
    done!(consumer.init());
    assert_eq!(take(&mut consumer, 5).await, [0, 1, 2, 3, 4], "with the key");
    done!(consumer.shutdown());
}
