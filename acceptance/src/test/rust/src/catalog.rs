//! Streams, topics with every option, partitions.

use crate::scenario::*;
use iggy::prelude::*;
use std::collections::BTreeMap;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    streams(&client).await;
    topics(&client, server).await;
    refusals(&client).await;
    the_partitions(&client).await;
}

async fn streams(client: &IggyClient) {
    let created = done!(client.create_stream("catalog"));
    assert_eq!((created.name.as_str(), created.topics_count, created.messages_count), ("catalog", 0, 0), "{created:?}");
    assert!(created.created_at.as_micros() > 0 && created.options.is_empty(), "{created:?}");
    let by_name = done!(client.get_stream(&id("catalog"))).expect("the stream by its name");
    let by_id = done!(client.get_stream(&numeric(created.id))).expect("the stream by its id");
    assert_eq!((by_name.id, by_id.name.as_str(), by_id.size.as_bytes_u64()), (created.id, "catalog", 0));
    assert!(done!(client.get_stream(&id("no-such-stream"))).is_none(), "a missing stream");
    assert!(done!(client.get_stream(&numeric(9999))).is_none(), "a missing stream");
    refused!(client.create_stream("catalog"), 1012);

    let other = done!(client.create_stream("catalog-2"));
    let list = done!(client.get_streams());
    for (name, number) in [("catalog", created.id), ("catalog-2", other.id)] {
        assert!(list.iter().any(|stream| stream.name == name && stream.id == number), "{name} in {list:?}");
    }
    let nothing = StreamUpdateOptions::default();
    refused!(client.update_stream(&id("catalog-2"), "catalog", &nothing), 1012);
    refused!(client.update_stream(&id("no-such-stream"), "name", &nothing), 1009);
    let odd = StreamUpdateOptions { raw: BTreeMap::from([("colour".to_owned(), "red".to_owned())]) };
    refused!(client.update_stream(&id("catalog-2"), "catalog-3", &odd), 4041);
    done!(client.update_stream(&id("catalog-2"), "catalog-3", &nothing));
    assert!(done!(client.get_stream(&id("catalog-2"))).is_none(), "a stream under its old name");
    assert_eq!(
        done!(client.get_stream(&id("catalog-3"))).map(|stream| stream.id),
        Some(other.id),
        "the renamed stream"
    );

    done!(client.create_topic(&id("catalog-3"), "events", &partitions(2)));
    send(client, "catalog-3", "events", 0, 0..5).await;
    let full = done!(client.get_stream(&id("catalog-3"))).expect("the stream");
    assert_eq!((full.topics_count, full.messages_count, full.topics[0].messages_count), (1, 5, 5), "{full:?}");
    assert!(full.size.as_bytes_u64() > 0, "{full:?}");
    done!(client.purge_stream(&id("catalog-3")));
    let purged = done!(client.get_stream(&id("catalog-3"))).expect("the stream");
    assert_eq!((purged.topics_count, purged.messages_count), (1, 0), "a purged stream keeps its topics: {purged:?}");
    done!(client.delete_stream(&id("catalog-3")));
    assert!(done!(client.get_stream(&id("catalog-3"))).is_none(), "a deleted stream");
    refused!(client.delete_stream(&id("catalog-3")), 1009);
    refused!(client.purge_stream(&id("catalog-3")), 1009);
}

async fn topics(client: &IggyClient, server: &Server) {
    let stream = id("catalog");
    let plain = done!(client.create_topic(&stream, "plain", &TopicCreateOptions::default()));
    assert_eq!((plain.name.as_str(), plain.partitions_count, plain.messages_count), ("plain", 1, 0), "{plain:?}");
    assert_eq!(plain.message_expiry, IggyExpiry::NeverExpire, "{plain:?}");
    assert_eq!(plain.max_topic_size, MaxTopicSize::Unlimited, "{plain:?}");
    assert_eq!(plain.compression_algorithm, CompressionAlgorithm::None, "{plain:?}");
    let segment_size = option(&plain, topic_option_keys::SEGMENT_SIZE);
    assert_eq!((segment_size.value.as_uint64(), segment_size.explicit), (Ok(1 << 30), false), "{plain:?}");

    let every_option = TopicCreateOptions {
        partitions_count: Some(3),
        compression_algorithm: Some(CompressionAlgorithm::Gzip),
        message_expiry: Some(IggyExpiry::ExpireDuration(duration("1h"))),
        max_topic_size: Some(MaxTopicSize::Custom(IggyByteSize::from(64 << 20))),
        segment_size: Some(IggyByteSize::from(2 << 20)),
        durability: Durability::Persisted,
        consumer_offset_durability: Durability::Persisted,
        messages_required_to_save: Some(10),
        size_of_messages_required_to_save: Some(IggyByteSize::from(4096)),
        preallocate_segments: Some(true),
        raw: BTreeMap::new(),
    };
    done!(client.create_topic(&stream, "rich", &every_option));
    let rich = done!(client.get_topic(&stream, &id("rich"))).expect("the topic");
    assert_eq!((rich.partitions_count, rich.partitions.len()), (3, 3), "{rich:?}");
    assert_eq!(rich.message_expiry, IggyExpiry::ExpireDuration(duration("1h")), "{rich:?}");
    assert_eq!(rich.max_topic_size, MaxTopicSize::Custom(IggyByteSize::from(64 << 20)), "{rich:?}");
    assert_eq!(rich.compression_algorithm, CompressionAlgorithm::Gzip, "{rich:?}");
    let again = TopicCreateOptions::from_resource_options(&rich.options);
    assert_eq!(again.segment_size, every_option.segment_size, "{rich:?}");
    assert_eq!(again.messages_required_to_save, Some(10), "{rich:?}");
    assert_eq!(again.size_of_messages_required_to_save, every_option.size_of_messages_required_to_save, "{rich:?}");
    assert_eq!(again.preallocate_segments, Some(true), "{rich:?}");
    if !server.is_reference {
        assert_eq!(again.durability, Durability::Persisted, "{rich:?}");
        assert_eq!(again.consumer_offset_durability, Durability::Persisted, "{rich:?}");
    }
    for (number, partition) in rich.partitions.iter().enumerate() {
        assert_eq!((partition.id as usize, partition.segments_count), (number, 1), "{partition:?}");
        assert_eq!((partition.messages_count, partition.current_offset), (0, 0), "{partition:?}");
    }

    let as_text = TopicCreateOptions {
        raw: BTreeMap::from([
            ("segment_size".to_owned(), "4 MiB".to_owned()),
            ("message_expiry".to_owned(), "2h".to_owned()),
        ]),
        ..Default::default()
    };
    done!(client.create_topic(&stream, "texts", &as_text));
    let by_text = done!(client.get_topic(&stream, &id("texts"))).expect("the topic");
    assert_eq!(option(&by_text, topic_option_keys::SEGMENT_SIZE).value.as_uint64(), Ok(4 << 20), "{by_text:?}");
    assert_eq!(by_text.message_expiry, IggyExpiry::ExpireDuration(duration("2h")), "{by_text:?}");

    let mut names: Vec<String> = done!(client.get_topics(&stream)).into_iter().map(|topic| topic.name).collect();
    names.sort();
    assert_eq!(names, ["plain", "rich", "texts"], "the topics of the stream");

    let update = TopicUpdateOptions {
        compression_algorithm: Some(CompressionAlgorithm::None),
        message_expiry: Some(IggyExpiry::NeverExpire),
        max_topic_size: Some(MaxTopicSize::Unlimited),
        raw: BTreeMap::new(),
    };
    done!(client.update_topic(&stream, &id("rich"), "richer", &update));
    let richer = done!(client.get_topic(&stream, &id("richer"))).expect("the renamed topic");
    assert_eq!(richer.id, rich.id, "the renamed topic is the same one");
    assert_eq!(
        (richer.compression_algorithm, richer.message_expiry, richer.max_topic_size),
        (CompressionAlgorithm::None, IggyExpiry::NeverExpire, MaxTopicSize::Unlimited),
        "{richer:?}"
    );
    assert_eq!(
        TopicCreateOptions::from_resource_options(&richer.options).segment_size,
        every_option.segment_size,
        "an update leaves the rest alone"
    );
    let fixed = TopicUpdateOptions {
        raw: BTreeMap::from([("segment_size".to_owned(), "1 MiB".to_owned())]),
        ..Default::default()
    };
    refused!(client.update_topic(&stream, &id("richer"), "richer", &fixed), 4041);
    refused!(client.update_topic(&stream, &id("richer"), "plain", &TopicUpdateOptions::default()), 2013);

    send(client, "catalog", "plain", 0, 0..4).await;
    done!(client.purge_topic(&stream, &id("plain")));
    assert_eq!(
        done!(client.get_topic(&stream, &id("plain"))).map(|topic| topic.messages_count),
        Some(0),
        "a purged topic"
    );
    done!(client.delete_topic(&stream, &id("plain")));
    assert!(done!(client.get_topic(&stream, &id("plain"))).is_none(), "a deleted topic");
    refused!(client.delete_topic(&stream, &id("plain")), 2010);
    refused!(client.purge_topic(&stream, &id("plain")), 2010);
}

async fn refusals(client: &IggyClient) {
    let stream = id("catalog");
    let small = TopicCreateOptions { segment_size: Some(IggyByteSize::from(512)), ..Default::default() };
    refused!(client.create_topic(&stream, "odd", &small), 4042);
    let unknown =
        TopicCreateOptions { raw: BTreeMap::from([("colour".to_owned(), "red".to_owned())]), ..Default::default() };
    refused!(client.create_topic(&stream, "odd", &unknown), 4041);
    let tight = TopicCreateOptions {
        max_topic_size: Some(MaxTopicSize::Custom(IggyByteSize::from(1 << 20))),
        ..Default::default()
    };
    refused!(client.create_topic(&stream, "odd", &tight), 1019);
    refused!(client.create_topic(&stream, "richer", &partitions(1)), 2013);
    refused!(client.create_topic(&stream, "odd", &partitions(1001)), 2015);
    refused!(client.create_topic(&id("no-such-stream"), "odd", &partitions(1)), 1009);
    assert!(done!(client.get_topic(&stream, &id("odd"))).is_none(), "a refused topic exists");
}

async fn the_partitions(client: &IggyClient) {
    let (stream, topic) = (id("catalog"), id("richer"));
    let count = async || done!(client.get_topic(&stream, &topic)).expect("the topic").partitions_count;
    done!(client.create_partitions(&stream, &topic, 2));
    assert_eq!(count().await, 5, "partitions after a creation");
    send(client, "catalog", "richer", 4, 0..3).await;
    done!(client.delete_partitions(&stream, &topic, 3));
    assert_eq!(count().await, 2, "partitions after a deletion");
    let mut lost = vec![message("lost")];
    refused!(client.send_messages(&stream, &topic, &Partitioning::partition_id(4), &mut lost), 20);
    refused!(client.create_partitions(&stream, &id("no-such-topic"), 1), 2010);
    refused!(client.delete_partitions(&stream, &id("no-such-topic"), 1), 2010);
}

fn option<'a>(topic: &'a TopicDetails, key: &str) -> &'a OptionValue {
    let key = key.try_into().expect("a key");
    topic.options.get(&key).unwrap_or_else(|| panic!("{key} is not told by {topic:?}"))
}
