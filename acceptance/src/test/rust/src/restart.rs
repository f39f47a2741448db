//! Clients that log in by themselves live through a restart of the server and find everything again.
//!
//! Prints `stop it` and goes on when a line arrives on standard input.

use crate::scenario::*;
use iggy::prelude::*;

const STREAM: &str = "restart";
const TOPIC: &str = "events";

pub async fn run(server: &Server) {
    let client = server.self_healing().await;
    create(&client, STREAM, TOPIC, 2).await;
    for partition in 0..2 {
        send(&client, STREAM, TOPIC, partition, 0..50).await;
    }
    let who = Consumer::new(id("reader"));
    let (stream, topic) = (id(STREAM), id(TOPIC));
    let next = async || {
        let strategy = PollingStrategy::next();
        done!(client.poll_messages(&stream, &topic, Some(0), &who, &strategy, 20, true)).messages
    };
    assert_eq!(next().await.len(), 20, "messages before the restart");

    done!(client.create_user("survivor", "secret-1", UserStatus::Active, None));
    let owner = server.logged_in_as("survivor", "secret-1").await;
    let token = done!(owner.create_personal_access_token("survivor", IggyExpiry::NeverExpire)).token;
    done!(owner.shutdown());

    let member_client = server.self_healing().await;
    let mut member = member_client
        .consumer_group("team", STREAM, TOPIC)
        .expect("a builder")
        .auto_commit(AutoCommit::When(AutoCommitWhen::ConsumingEachMessage))
        .polling_retry_interval(nonzero("100ms"))
        .build();
    done!(member.init());
    let mut before = take(&mut member, 100).await;
    before.sort();
    assert_eq!(before, (0..100).map(|number| number / 2).collect::<Vec<_>>(), "both partitions before the restart");
    let group = Consumer::group(id("team"));
    for partition in 0..2 {
        eventually("the offset of the group", Some(49), || stored(&client, &group, STREAM, TOPIC, partition)).await;
    }

    println!("stop it");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).expect("a line");

    let details = done!(client.get_topic(&stream, &topic)).expect("the topic after the restart");
    assert_eq!((details.partitions_count, details.messages_count), (2, 100), "{details:?}");
    let fresh: Vec<usize> = next().await.iter().map(number).collect();
    assert_eq!(fresh, (20..40).collect::<Vec<_>>(), "Next after the restart");
    for partition in 0..2 {
        let mut batch = numbered(50..53);
        let sent = done!(client.send_messages(&stream, &topic, &Partitioning::partition_id(partition), &mut batch));
        assert_eq!(sent.confirmations[0].base_offset, 50, "offsets go on");
    }
    // The reference server keeps the membership that its stop cut off, and with it one of the two partitions.
    let expected = if server.is_reference { vec![50, 51, 52] } else { vec![50, 50, 51, 51, 52, 52] };
    let mut after = take_through_errors(&mut member, expected.len()).await;
    after.sort();
    assert_eq!(after, expected, "what the group member sees after the restart");
    done!(member.shutdown());

    let survivor = server.connected().await;
    done!(survivor.login_with_personal_access_token(&token));
    server.logged_in_as("survivor", "secret-1").await;
}

/// As `take`, for a consumer whose connection was lost: it tells that, and goes on.
async fn take_through_errors(consumer: &mut IggyConsumer, count: usize) -> Vec<usize> {
    use futures_util::StreamExt;
    let patience = std::time::Duration::from_secs(60);
    let mut taken = Vec::new();
    let reading = async {
        while taken.len() < count {
            if let Some(Ok(received)) = consumer.next().await {
                taken.push(number(&received.message));
            }
        }
    };
    let ended = tokio::time::timeout(patience, reading).await.is_ok();
    assert!(ended, "{count} messages did not come within {patience:?} after the restart, only {taken:?}");
    taken
}
