//! The high-level consumer of one partition: each way to commit, each way to start.

use crate::scenario::*;
use iggy::consumer_ext::MessageConsumer;
use iggy::prelude::*;
use std::sync::Mutex;
use tokio::sync::oneshot;

const STREAM: &str = "consumer";
const TOPIC: &str = "events";
/// Offsets 0 to 10.
const MESSAGES: usize = 11;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    create(&client, STREAM, TOPIC, 2).await;
    send(&client, STREAM, TOPIC, 1, 0..MESSAGES).await;
    while_receiving(&client).await;
    after_processing(&client).await;
    by_hand(&client).await;
    starting_points(&client).await;
    patience(&client).await;
    done!(client.delete_stream(&id(STREAM)));
}

fn builder(client: &IggyClient, name: &str) -> IggyConsumerBuilder {
    client.consumer(name, STREAM, TOPIC, 1).expect("a builder").batch_length(4)
}

async fn kept(client: &IggyClient, name: &str) -> Option<u64> {
    stored(client, &Consumer::new(id(name)), STREAM, TOPIC, 1).await
}

/// Six of eleven messages are taken, from two polls of four; four where nothing is stored, since `Next` does not move.
async fn while_receiving(client: &IggyClient) {
    let rarely = nonzero("1h");
    for (name, mode, then, at_the_end) in [
        ("disabled", AutoCommit::Disabled, None, None),
        ("polling", AutoCommit::When(AutoCommitWhen::PollingMessages), Some(7), Some(5)),
        ("each", AutoCommit::When(AutoCommitWhen::ConsumingEachMessage), Some(5), Some(5)),
        ("all", AutoCommit::When(AutoCommitWhen::ConsumingAllMessages), Some(3), Some(5)),
        ("third", AutoCommit::When(AutoCommitWhen::ConsumingEveryNthMessage(3)), Some(3), Some(5)),
        ("interval", AutoCommit::Interval(nonzero("50ms")), Some(5), Some(5)),
        ("either", AutoCommit::IntervalOrWhen(rarely, AutoCommitWhen::PollingMessages), Some(7), Some(5)),
    ] {
        println!("{name}");
        let mut consumer = builder(client, name).auto_commit(mode).build();
        done!(consumer.init());
        let count = if then.is_some() { 6 } else { 4 };
        assert_eq!(take(&mut consumer, count).await, (0..count).collect::<Vec<_>>(), "{name}");
        eventually(&format!("the offset of {name} after {count} messages"), then, || kept(client, name)).await;
        done!(consumer.shutdown());
        assert_eq!(kept(client, name).await, at_the_end, "the offset of {name} after its shutdown");
        let mut again = builder(client, name).auto_commit(mode).build();
        done!(again.init());
        let next = if at_the_end.is_some() { 6 } else { 0 };
        assert_eq!(take(&mut again, 1).await, [next], "where {name} goes on");
        done!(again.shutdown());
    }
}

/// Takes note of what it sees, and calls for the end at the last one.
struct Notes {
    seen: Mutex<Vec<usize>>,
    enough: Mutex<Option<oneshot::Sender<()>>>,
}

impl MessageConsumer for Notes {
    async fn consume(&self, received: ReceivedMessage) -> Result<(), IggyError> {
        assert_eq!((received.partition_id, received.current_offset), (1, MESSAGES as u64 - 1));
        let mut seen = self.seen.lock().expect("the notes");
        seen.push(number(&received.message));
        if seen.len() == MESSAGES {
            let enough = self.enough.lock().expect("the signal").take().expect("the signal");
            enough.send(()).expect("a consumer that listens");
        }
        Ok(())
    }
}

async fn after_processing(client: &IggyClient) {
    let rarely = nonzero("1h");
    for (name, mode, expected) in [
        ("after-each", AutoCommit::After(AutoCommitAfter::ConsumingEachMessage), 10),
        ("after-all", AutoCommit::After(AutoCommitAfter::ConsumingAllMessages), 10),
        ("after-third", AutoCommit::After(AutoCommitAfter::ConsumingEveryNthMessage(3)), 9),
        ("after-either", AutoCommit::IntervalOrAfter(rarely, AutoCommitAfter::ConsumingEachMessage), 10),
    ] {
        println!("{name}");
        // All messages in one poll: `Next` would not move before the last one is processed.
        let mut consumer = builder(client, name).auto_commit(mode).batch_length(100).build();
        done!(consumer.init());
        let (enough, signal) = oneshot::channel();
        let notes = Notes { seen: Mutex::default(), enough: Mutex::new(Some(enough)) };
        done!(consumer.consume_messages(&notes, signal));
        assert_eq!(*notes.seen.lock().expect("the notes"), (0..MESSAGES).collect::<Vec<_>>(), "{name}");
        eventually(&format!("the offset of {name}"), Some(expected), || kept(client, name)).await;
        done!(consumer.shutdown());
    }
}

async fn by_hand(client: &IggyClient) {
    let mut consumer = builder(client, "by-hand").auto_commit(AutoCommit::Disabled).build();
    done!(consumer.init());
    assert_eq!((consumer.name(), consumer.stream(), consumer.topic()), ("by-hand", &id(STREAM), &id(TOPIC)));
    take(&mut consumer, 3).await;
    assert_eq!(consumer.partition_id(), 1, "the partition");
    assert_eq!(consumer.get_last_consumed_offset(1), Some(2), "the last consumed offset");
    assert_eq!(kept(client, "by-hand").await, None, "nothing is stored yet");
    done!(consumer.store_offset(2, None));
    assert_eq!((consumer.get_last_stored_offset(1), kept(client, "by-hand").await), (Some(2), Some(2)));
    let state = consumer.state();
    done!(state.store_offset(4, Some(1)));
    assert_eq!((state.partition_id(), state.get_last_consumed_offset(1)), (1, Some(2)));
    assert_eq!((state.get_last_stored_offset(1), kept(client, "by-hand").await), (Some(4), Some(4)));
    refused!(consumer.store_offset(1000, None), 4100);
    done!(state.delete_offset(None));
    assert_eq!(kept(client, "by-hand").await, None, "a deleted offset");
    done!(consumer.store_offset(6, Some(1)));
    done!(consumer.delete_offset(Some(1)));
    assert_eq!(kept(client, "by-hand").await, None, "a deleted offset");
    done!(consumer.shutdown());
}

async fn starting_points(client: &IggyClient) {
    let fifth = done!(client.poll_messages(
        &id(STREAM),
        &id(TOPIC),
        Some(1),
        &Consumer::new(numeric(1)),
        &PollingStrategy::offset(5),
        1,
        false
    ));
    let since = IggyTimestamp::from(fifth.messages[0].header.timestamp);
    for (name, strategy, first) in [
        ("at-first", PollingStrategy::first(), 0),
        ("at-offset", PollingStrategy::offset(6), 6),
        ("at-last", PollingStrategy::last(), MESSAGES - 4),
        // They were sent in one batch and so carry one time.
        ("at-time", PollingStrategy::timestamp(since), 0),
        ("at-next", PollingStrategy::next(), 0),
    ] {
        println!("{name}");
        let mut consumer = builder(client, name)
            .polling_strategy(strategy)
            .auto_commit(AutoCommit::When(AutoCommitWhen::ConsumingEachMessage))
            .poll_interval(duration("1ms"))
            .build();
        done!(consumer.init());
        assert_eq!(take(&mut consumer, MESSAGES - first).await, (first..MESSAGES).collect::<Vec<_>>(), "{name}");
        done!(consumer.shutdown());
    }

    let name = "replayer";
    let who = Consumer::new(id(name));
    done!(client.store_consumer_offset(&who, &id(STREAM), &id(TOPIC), Some(1), 7));
    let mut replayer = builder(client, name)
        .polling_strategy(PollingStrategy::first())
        .allow_replay()
        .without_poll_interval()
        .without_encryptor()
        .build();
    done!(replayer.init());
    assert_eq!(take(&mut replayer, 2).await, [0, 1], "a replay from the start");
    done!(replayer.shutdown());
}

async fn patience(client: &IggyClient) {
    let mut hasty = client.consumer("hasty", STREAM, "later", 0).expect("a builder").build();
    refused!(hasty.init(), 2011);
    let mut patient = client
        .consumer("patient", "nowhere", "later", 1)
        .expect("a builder")
        .stream(id(STREAM))
        .topic(id("later"))
        .partition(Some(0))
        .init_retries(100, nonzero("50ms"))
        .polling_retry_interval(nonzero("50ms"))
        .offset_drain_timeout(duration("1s"))
        .build();
    let (ready, ()) = tokio::join!(patient.init(), async {
        tokio::time::sleep(std::time::Duration::from_millis(120)).await;
        done!(client.create_topic(&id(STREAM), "later", &partitions(1)));
        send(client, STREAM, "later", 0, 0..1).await;
    });
    assert_eq!(ready, Ok(()), "a consumer that waits for its topic");
    assert_eq!(take(&mut patient, 1).await, [0]);
    done!(patient.shutdown());
}
