//! Producer and consumer made from one description.

use crate::scenario::*;
use iggy::prelude::*;

pub async fn run(server: &Server) {
    let by_string = server.connection_string();
    let config =
        IggyStreamConfig::from_stream_topic("built", "events", 10, duration("1ms"), duration("1ms")).expect("a config");
    let client = done!(IggyStream::build_iggy_client(&by_string));
    let consumer_config = IggyConsumerConfig::builder()
        .stream_id(id("built"))
        .stream_name("built")
        .topic_id(id("events"))
        .topic_name("events")
        .auto_commit(AutoCommit::When(AutoCommitWhen::ConsumingEachMessage))
        .batch_length(10)
        .create_stream_if_not_exists(true)
        .create_topic_if_not_exists(true)
        .consumer_name("alone")
        .consumer_kind(ConsumerKind::Consumer)
        .polling_interval(duration("1ms"))
        .polling_strategy(PollingStrategy::next())
        .partitions_count(1)
        .partition_id(0)
        .polling_retry_interval(nonzero("100ms"))
        .init_interval(nonzero("100ms"))
        .build();
    let mut alone = done!(IggyStreamConsumer::build(&client, &consumer_config));
    assert!(done!(client.get_topic(&id("built"), &id("events"))).is_some(), "the consumer made its topic");

    let producer = done!(IggyStreamProducer::build(&client, config.producer_config()));
    done!(producer.send(numbered(0..3)));
    assert_eq!(take(&mut alone, 3).await, [0, 1, 2], "through a producer and a consumer of their own");
    done!(alone.shutdown());

    let (own_client, producer) = done!(IggyStreamProducer::with_client_from_url(&by_string, config.producer_config()));
    done!(producer.send_one(message("3")));
    done!(own_client.shutdown());
    let (own_client, mut consumer) = done!(IggyStreamConsumer::with_client_from_url(&by_string, &consumer_config));
    assert_eq!(take(&mut consumer, 1).await, [3], "where the consumer of this name stopped");
    done!(consumer.shutdown());
    done!(own_client.shutdown());

    // Described together they make a group, which starts at the last message.
    let (producer, mut member) = done!(IggyStream::build(&client, &config));
    assert_eq!(take(&mut member, 1).await.len(), 1, "the group starts at the end");
    done!(producer.send(numbered(4..6)));
    done!(member.shutdown());
    let (own_client, producer, mut member) = done!(IggyStream::with_client_from_connection_string(&by_string, &config));
    done!(producer.send_one(message("6")));
    assert!(!take(&mut member, 1).await.is_empty(), "a group with a client of its own");
    done!(member.shutdown());
    done!(own_client.shutdown());
    done!(client.delete_stream(&id("built")));
    done!(client.shutdown());
}
