//! Consumer groups by explicit calls: create, join, poll as a member, commit, leave, delete.

use crate::scenario::*;
use iggy::prelude::locking::IggyRwLockFn;
use iggy::prelude::*;
use std::collections::BTreeSet;

const STREAM: &str = "groups";
const TOPIC: &str = "events";

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    create(&client, STREAM, TOPIC, 3).await;
    management(&client).await;
    membership(&client, server).await;
    reading(&client, server).await;
    offsets(&client, server).await;
    done!(client.delete_stream(&id(STREAM)));
}

async fn management(client: &IggyClient) {
    let (stream, topic) = (id(STREAM), id(TOPIC));
    let groups_before = done!(client.get_stats()).consumer_groups_count;
    let created = done!(client.create_consumer_group(&stream, &topic, "first"));
    assert_eq!(
        (created.name.as_str(), created.partitions_count, created.members_count),
        ("first", 3, 0),
        "{created:?}"
    );
    let other = done!(client.create_consumer_group(&stream, &topic, "second"));
    assert_ne!(created.id, other.id, "the ids of two groups");
    refused!(client.create_consumer_group(&stream, &topic, "first"), 5004);
    refused!(client.create_consumer_group(&stream, &id("no-such-topic"), "first"), 2010);
    refused!(client.create_consumer_group(&id("no-such-stream"), &topic, "first"), 1009);
    assert_eq!(done!(client.get_stats()).consumer_groups_count, groups_before + 2, "groups in the statistics");

    let by_name = done!(client.get_consumer_group(&stream, &topic, &id("first"))).expect("the group by name");
    let by_id = done!(client.get_consumer_group(&stream, &topic, &numeric(created.id))).expect("the group by id");
    assert_eq!((by_name.id, by_id.name.as_str(), by_id.members.len()), (created.id, "first", 0));
    assert!(done!(client.get_consumer_group(&stream, &topic, &id("no-such-group"))).is_none(), "a missing group");
    let mut names: Vec<String> =
        done!(client.get_consumer_groups(&stream, &topic)).into_iter().map(|group| group.name).collect();
    names.sort();
    assert_eq!(names, ["first", "second"], "the groups of the topic");

    done!(client.delete_consumer_group(&stream, &topic, &id("second")));
    assert!(done!(client.get_consumer_group(&stream, &topic, &id("second"))).is_none(), "a deleted group");
    refused!(client.delete_consumer_group(&stream, &topic, &id("second")), 5000);
    refused!(client.delete_consumer_group(&stream, &topic, &numeric(other.id)), 5000);
    refused!(client.join_consumer_group(&stream, &topic, &id("second")), 5000);
}

/// Who owns what, as the server tells it: member id to partitions.
async fn owned(client: &IggyClient, group: &str) -> Vec<(u32, Vec<u32>)> {
    let group = done!(client.get_consumer_group(&id(STREAM), &id(TOPIC), &id(group))).expect("the group");
    assert_eq!(group.members_count as usize, group.members.len(), "{group:?}");
    group.members.into_iter().map(|member| (member.id, member.partitions)).collect()
}

/// Every partition has exactly one owner.
fn complete(owned: &[(u32, Vec<u32>)], partitions: u32) {
    let mut all: Vec<u32> = owned.iter().flat_map(|(_, partitions)| partitions.clone()).collect();
    all.sort();
    assert_eq!(all, (0..partitions).collect::<Vec<_>>(), "one owner a partition in {owned:?}");
}

async fn membership(client: &IggyClient, server: &Server) {
    let (stream, topic, group) = (id(STREAM), id(TOPIC), id("first"));
    let (one, two) = (server.logged_in().await, server.logged_in().await);
    done!(one.join_consumer_group(&stream, &topic, &group));
    done!(one.join_consumer_group(&stream, &topic, &group));
    let members = owned(client, "first").await;
    assert_eq!(members.len(), 1, "a second join changes nothing: {members:?}");
    complete(&members, 3);

    done!(two.join_consumer_group(&stream, &topic, &group));
    let members = owned(client, "first").await;
    assert_eq!(members.len(), 2, "{members:?}");
    complete(&members, 3);
    let sizes: BTreeSet<usize> = members.iter().map(|(_, partitions)| partitions.len()).collect();
    assert_eq!(sizes, BTreeSet::from([1, 2]), "a fair share: {members:?}");
    let me = done!(one.get_me());
    assert_eq!((me.consumer_groups_count, me.consumer_groups.len()), (1, 1), "{me:?}");

    done!(client.create_partitions(&stream, &topic, 1));
    complete(&owned(client, "first").await, 4);
    done!(client.delete_partitions(&stream, &topic, 1));
    complete(&owned(client, "first").await, 3);

    done!(one.leave_consumer_group(&stream, &topic, &group));
    refused!(one.leave_consumer_group(&stream, &topic, &group), 5006);
    let members = owned(client, "first").await;
    assert_eq!(members.len(), 1, "{members:?}");
    complete(&members, 3);
    done!(two.shutdown());
    eventually("members after the last one's connection closed", 0, || async { owned(client, "first").await.len() })
        .await;
    done!(one.shutdown());
}

async fn reading(client: &IggyClient, server: &Server) {
    let (stream, topic, group) = (id(STREAM), id(TOPIC), id("readers"));
    for partition in 0..3 {
        let numbers = 10 * partition as usize;
        send(client, STREAM, TOPIC, partition, numbers..numbers + 10).await;
    }
    done!(client.create_consumer_group(&stream, &topic, "readers"));
    let who = Consumer::group(group.clone());
    let next = PollingStrategy::next();
    refused!(client.poll_messages(&stream, &topic, None, &who, &next, 10, true), 5006);

    let (one, two) = (server.logged_in().await, server.logged_in().await);
    done!(one.join_consumer_group(&stream, &topic, &group));
    done!(two.join_consumer_group(&stream, &topic, &group));
    let mut seen = Vec::new();
    let mut visited = BTreeSet::new();
    // Three rounds for each partition at most; two batches of five are there.
    for _ in 0..9 {
        for (name, member) in [("one", &one), ("two", &two)] {
            let polled = done!(member.poll_messages(&stream, &topic, None, &who, &next, 5, true));
            if !polled.messages.is_empty() {
                visited.insert((polled.partition_id, name));
            }
            seen.extend(polled.messages.iter().map(number));
        }
    }
    seen.sort();
    assert_eq!(seen, (0..30).collect::<Vec<_>>(), "each message once");
    assert_eq!(visited.len(), 3, "each partition is read by one member: {visited:?}");
    assert!(visited.iter().any(|(_, name)| *name == "one") && visited.iter().any(|(_, name)| *name == "two"));

    let others = visited.iter().find(|(_, name)| *name == "two").expect("a partition of two").0;
    let fenced = done!(one.poll_messages(&stream, &topic, Some(others), &who, &PollingStrategy::first(), 5, false));
    assert!(fenced.messages.is_empty(), "a member read a partition of another one: {fenced:?}");
    assert_eq!(fenced.partition_id, RESYNC_REQUIRED_PARTITION_SENTINEL, "{fenced:?}");

    done!(two.leave_consumer_group(&stream, &topic, &group));
    send(client, STREAM, TOPIC, others, 100..103).await;
    // What the heartbeat of the client does every five seconds, on the transport that it wraps.
    one.client().read().await.refresh_consumer_group_assignments().await;
    let mut rest = Vec::new();
    for _ in 0..3 {
        let polled = done!(one.poll_messages(&stream, &topic, None, &who, &next, 5, true));
        rest.extend(polled.messages.iter().map(number));
    }
    assert_eq!(rest, [100, 101, 102], "the member that is left reads the other one's partition");
    done!(one.leave_consumer_group(&stream, &topic, &group));
    refused!(one.poll_messages(&stream, &topic, None, &who, &next, 5, true), 5006);
    done!(one.shutdown());
    done!(two.shutdown());
}

async fn offsets(client: &IggyClient, server: &Server) {
    let (stream, topic, group) = (id(STREAM), id(TOPIC), id("committers"));
    done!(client.create_consumer_group(&stream, &topic, "committers"));
    let who = Consumer::group(group.clone());
    let (not_owned, unnamed) = if server.is_reference { (20, 20) } else { (5009, 6) };
    refused!(client.store_consumer_offset(&who, &stream, &topic, Some(0), 3), not_owned);
    let member = server.logged_in().await;
    done!(member.join_consumer_group(&stream, &topic, &group));
    done!(member.store_consumer_offset(&who, &stream, &topic, Some(0), 3));
    assert_eq!(stored(client, &who, STREAM, TOPIC, 0).await, Some(3), "an offset of the group, read by a non-member");
    assert_eq!(stored(client, &who, STREAM, TOPIC, 1).await, None, "another partition");
    refused!(member.store_consumer_offset(&who, &stream, &topic, Some(0), 1000), 4100);
    refused!(member.store_consumer_offset(&who, &stream, &topic, None, 3), unnamed);
    let polled = done!(member.poll_messages(&stream, &topic, Some(0), &who, &PollingStrategy::next(), 2, false));
    assert_eq!(texts(&polled), ["4", "5"], "Next behind the offset of the group");
    done!(member.delete_consumer_offset(&who, &stream, &topic, Some(0)));
    assert_eq!(stored(client, &who, STREAM, TOPIC, 0).await, None, "a deleted offset");
    refused!(member.delete_consumer_offset(&who, &stream, &topic, Some(0)), 3021);

    done!(member.store_consumer_offset(&who, &stream, &topic, Some(0), 5));
    done!(member.leave_consumer_group(&stream, &topic, &group));
    assert_eq!(stored(client, &who, STREAM, TOPIC, 0).await, Some(5), "leaving keeps the offsets");
    done!(client.delete_consumer_group(&stream, &topic, &group));
    assert_eq!(stored(client, &who, STREAM, TOPIC, 0).await, None, "an offset of a deleted group");
    done!(client.create_consumer_group(&stream, &topic, "committers"));
    assert_eq!(stored(client, &who, STREAM, TOPIC, 0).await, None, "a group of an old name starts anew");
    done!(member.shutdown());
}
