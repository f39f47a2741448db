//! The high-level consumer as a member of a group.

use crate::scenario::*;
use futures_util::StreamExt;
use iggy::prelude::*;
use std::time::Duration;

const STREAM: &str = "group-consumer";
const TOPIC: &str = "events";
const PARTITIONS: u32 = 4;
const EACH: usize = 25;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    create(&client, STREAM, TOPIC, PARTITIONS).await;
    joining(&client).await;
    sharing(&client, server).await;
    done!(client.delete_stream(&id(STREAM)));
}

async fn joining(client: &IggyClient) {
    let mut stranger = client
        .consumer_group("not-there", STREAM, TOPIC)
        .expect("a builder")
        .do_not_create_consumer_group_if_not_exists()
        .auto_join_consumer_group()
        .build();
    refused!(stranger.init(), 5003);

    let group = async || done!(client.get_consumer_group(&id(STREAM), &id(TOPIC), &id("made-by-consumer")));
    let mut founder = client
        .consumer_group("made-by-consumer", STREAM, TOPIC)
        .expect("a builder")
        .create_consumer_group_if_not_exists()
        .build();
    done!(founder.init());
    assert_eq!(group().await.map(|group| group.members_count), Some(1), "a consumer makes its group, and joins");
    done!(founder.shutdown());
    let mut guest = client
        .consumer_group("made-by-consumer", STREAM, TOPIC)
        .expect("a builder")
        .do_not_auto_join_consumer_group()
        .build();
    done!(guest.init());
    assert_eq!(group().await.map(|group| group.members_count), Some(0), "a consumer that does not join");
    done!(client.join_consumer_group(&id(STREAM), &id(TOPIC), &id("made-by-consumer")));
    send(client, STREAM, TOPIC, 0, 0..1).await;
    assert_eq!(take(&mut guest, 1).await, [0], "the member that joined by hand");
    done!(guest.shutdown());
    done!(client.leave_consumer_group(&id(STREAM), &id(TOPIC), &id("made-by-consumer")));
    done!(client.purge_topic(&id(STREAM), &id(TOPIC)));
}

async fn member(client: &IggyClient) -> IggyConsumer {
    let mut consumer = client
        .consumer_group("team", STREAM, TOPIC)
        .expect("a builder")
        .auto_commit(AutoCommit::When(AutoCommitWhen::ConsumingEachMessage))
        .polling_retry_interval(nonzero("20ms"))
        .batch_length(10)
        .build();
    done!(consumer.init());
    consumer
}

/// Everything that comes until nothing has come for a while.
async fn drain(consumer: &mut IggyConsumer) -> Vec<usize> {
    let mut seen = Vec::new();
    while let Ok(Some(received)) = tokio::time::timeout(Duration::from_millis(700), consumer.next()).await {
        match received {
            Ok(received) => seen.push(number(&received.message)),
            Err(error) => panic!("after {} messages the consumer met {}: {error}", seen.len(), error.as_code()),
        }
    }
    seen
}

async fn sharing(client: &IggyClient, server: &Server) {
    let (first, second) = (server.logged_in().await, server.logged_in().await);
    let mut one = member(&first).await;
    let mut two = member(&second).await;
    let details = async || done!(client.get_consumer_group(&id(STREAM), &id(TOPIC), &id("team"))).expect("the group");
    let group = details().await;
    assert_eq!(group.members_count, 2, "{group:?}");
    assert!(group.members.iter().all(|member| member.partitions_count == 2), "two partitions each: {group:?}");

    for partition in 0..PARTITIONS {
        let start = partition as usize * EACH;
        send(client, STREAM, TOPIC, partition, start..start + EACH).await;
    }
    let (by_one, by_two) = tokio::join!(drain(&mut one), drain(&mut two));
    assert_eq!((by_one.len(), by_two.len()), (2 * EACH, 2 * EACH), "half of the messages each");
    let mut all = [by_one, by_two].concat();
    all.sort();
    assert_eq!(all, (0..PARTITIONS as usize * EACH).collect::<Vec<_>>(), "each message once");
    let who = Consumer::group(id("team"));
    for partition in 0..PARTITIONS {
        eventually("the committed offset of a partition", Some(EACH as u64 - 1), || {
            stored(client, &who, STREAM, TOPIC, partition)
        })
        .await;
    }

    done!(two.shutdown());
    let group = details().await;
    assert_eq!((group.members_count, group.members[0].partitions_count), (1, PARTITIONS), "{group:?}");
    for partition in 0..PARTITIONS {
        let start = 1000 + partition as usize;
        send(client, STREAM, TOPIC, partition, start..start + 1).await;
    }
    let mut rest = take(&mut one, PARTITIONS as usize).await;
    rest.sort();
    assert_eq!(rest, [1000, 1001, 1002, 1003], "the member that is left reads all partitions, and nothing twice");
    done!(one.shutdown());
    assert_eq!(details().await.members_count, 0, "both left");
    done!(first.shutdown());
    done!(second.shutdown());
}
