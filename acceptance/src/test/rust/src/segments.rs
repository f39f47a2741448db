//! Whole segments go at a client's word, the oldest first.

use crate::scenario::*;
use iggy::prelude::*;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    let (stream, topic) = (id("segments"), id("events"));
    done!(client.create_stream("segments"));
    let small = TopicCreateOptions {
        partitions_count: Some(1),
        segment_size: Some(IggyByteSize::from(1 << 20)),
        ..Default::default()
    };
    done!(client.create_topic(&stream, "events", &small));
    for number in 10..60 {
        let mut batch = vec![message(&number.to_string().repeat(50_000))];
        done!(client.send_messages(&stream, &topic, &Partitioning::partition_id(0), &mut batch));
    }
    let partition = async || done!(client.get_topic(&stream, &topic)).expect("the topic").partitions[0].clone();
    let before = partition().await;
    assert!(before.segments_count >= 4, "5 MB in segments of 1 MiB: {before:?}");
    let first = async || {
        let who = Consumer::new(numeric(1));
        let polled = done!(client.poll_messages(&stream, &topic, Some(0), &who, &PollingStrategy::first(), 1, false));
        polled.messages[0].header.offset
    };
    assert_eq!(first().await, 0, "the first offset before a deletion");

    done!(client.delete_segments(&stream, &topic, 0, 2));
    eventually("the segments after the deletion of two", before.segments_count - 2, || async {
        partition().await.segments_count
    })
    .await;
    let after = partition().await;
    assert_eq!(after.current_offset, 49, "the last offset stays: {after:?}");
    let start = first().await;
    assert!(start > 0, "the oldest messages are gone");
    assert_eq!(after.messages_count, 50 - start, "messages of {after:?}");
    assert!(after.size.as_bytes_u64() < before.size.as_bytes_u64(), "{before:?} became {after:?}");

    done!(client.delete_segments(&stream, &topic, 0, 1000));
    eventually("the segments after the deletion of all", 1, || async { partition().await.segments_count }).await;
    let mut batch = vec![message("after it")];
    let sent = done!(client.send_messages(&stream, &topic, &Partitioning::partition_id(0), &mut batch));
    assert_eq!(sent.confirmations[0].base_offset, 50, "offsets go on");

    refused!(client.delete_segments(&stream, &topic, 7, 1), 3007);
    refused!(client.delete_segments(&stream, &id("no-such-topic"), 0, 1), 2010);
    refused!(client.delete_segments(&id("no-such-stream"), &topic, 0, 1), 1009);
    done!(client.delete_stream(&stream));
}
