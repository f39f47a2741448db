//! What the server tells about itself and its clients, and the life of a connection.

use crate::scenario::*;
use iggy::prelude::*;

/// The events of a client, as far as they came.
mod events {
    use iggy::prelude::*;

    pub async fn told(client: &IggyClient, doing: impl AsyncFnOnce()) -> Vec<String> {
        let mut events = client.subscribe_events().await;
        doing().await;
        let mut told = Vec::new();
        while let Ok(event) = events.try_recv() {
            told.push(event.to_string());
        }
        told
    }
}

pub async fn run(server: &Server) {
    connection(server).await;
    itself(server).await;
    clients(server).await;
    statistics(server).await;
    options(server).await;
}

async fn connection(server: &Server) {
    let client =
        IggyClient::builder().with_tcp().with_server_address(server.address.clone()).build().expect("a client");
    let events = events::told(&client, async || {
        done!(client.connect());
        done!(client.ping());
        refused!(client.get_stats(), 40);
        refused!(client.login_user("iggy", "wrong"), 42);
        refused!(client.login_user("nobody", "iggy"), 42);
        let identity = done!(client.login_user("iggy", "iggy"));
        assert_eq!(identity.user_id, 0, "the id of the root user");
        done!(client.get_stats());
        done!(client.logout_user());
        refused!(client.get_stats(), 40);
        done!(client.login_user("iggy", "iggy"));
        done!(client.disconnect());
        done!(client.connect());
        done!(client.login_user("iggy", "iggy"));
        done!(client.shutdown());
    })
    .await;
    assert_eq!(events.first().map(String::as_str), Some("connected"), "the first of {events:?}");
    assert_eq!(events.last().map(String::as_str), Some("shutdown"), "the last of {events:?}");
    for (event, least) in [("connected", 2), ("signed_in", 3), ("disconnected", 1)] {
        let times = events.iter().filter(|told| *told == event).count();
        assert!(times >= least, "{event} came {times} times in {events:?}");
    }

    let by_string = IggyClient::from_connection_string(&server.connection_string()).expect("a client");
    done!(by_string.connect());
    done!(by_string.get_stats());
    let info = by_string.get_connection_info().await;
    assert_eq!(info.server_address, server.address, "the address that the client is connected to");
    assert_eq!(by_string.heartbeat_interval().await.as_secs(), 5, "the heartbeat of the client");

    let options = "?reconnection_retries=3&reconnection_interval=1s&heartbeat_interval=7s&nodelay=true";
    let tuned = IggyClient::builder_from_connection_string(&(server.connection_string() + options))
        .expect("a connection string")
        .build()
        .expect("a client");
    done!(tuned.connect());
    assert_eq!(tuned.heartbeat_interval().await.as_secs(), 7, "the heartbeat of the connection string");
    done!(tuned.ping());
}

async fn itself(server: &Server) {
    let client = server.logged_in().await;
    let cluster = done!(client.get_cluster_metadata());
    assert!(!cluster.name.is_empty(), "the cluster has a name");
    assert_eq!(cluster.nodes.len(), 1, "nodes of {cluster}");
    let node = &cluster.nodes[0];
    assert_eq!((node.role, node.status), (ClusterNodeRole::Leader, ClusterNodeStatus::Healthy), "{node}");
    // The reference server tells the port that it was configured with, which is 0 in a test.
    assert!(server.is_reference || node.endpoints.tcp == server.port(), "{node}");
}

async fn clients(server: &Server) {
    let one = server.logged_in().await;
    let other = server.logged_in().await;
    let me = done!(one.get_me());
    assert_eq!((me.user_id, me.transport.as_str()), (Some(0), "TCP"), "{me:?}");
    assert_eq!((me.consumer_groups_count, me.consumer_groups.len()), (0, 0), "{me:?}");
    assert!(me.address.starts_with("127.0.0.1:"), "{me:?}");
    let them = done!(other.get_me());
    assert_ne!(me.client_id, them.client_id, "the ids of two clients");

    let seen = done!(other.get_client(me.client_id)).expect("the first client, seen by the other");
    assert_eq!((seen.client_id, seen.user_id, &seen.address), (me.client_id, Some(0), &me.address), "{seen:?}");
    let list = done!(one.get_clients());
    for wanted in [me.client_id, them.client_id] {
        assert!(list.iter().any(|client| client.client_id == wanted), "client {wanted} is not in {list:?}");
    }

    done!(other.shutdown());
    eventually("the client that left", true, || async {
        done!(one.get_clients()).iter().all(|client| client.client_id != them.client_id)
    })
    .await;
    assert!(done!(one.get_client(them.client_id)).is_none(), "a client that left is still told");
}

async fn statistics(server: &Server) {
    let client = server.logged_in().await;
    let before = done!(client.get_stats());
    assert!(before.process_id > 0 && before.threads_count > 0, "{before:?}");
    assert!(before.memory_usage.as_bytes_u64() > 1 << 20, "{before:?}");
    assert!(before.total_memory.as_bytes_u64() >= before.available_memory.as_bytes_u64(), "{before:?}");
    assert!(before.total_disk_space.as_bytes_u64() > before.free_disk_space.as_bytes_u64(), "{before:?}");
    assert!(before.run_time.as_micros() > 0 && before.start_time.as_micros() > 0, "{before:?}");
    assert!(before.start_time.as_micros() <= IggyTimestamp::now().as_micros(), "{before:?}");
    assert!(!before.hostname.is_empty() && !before.os_name.is_empty(), "{before:?}");
    assert!(!before.iggy_server_version.is_empty(), "{before:?}");

    create(&client, "statistics", "first", 2).await;
    done!(client.create_topic(&id("statistics"), "second", &partitions(1)));
    send(&client, "statistics", "first", 1, 0..7).await;
    let topic = done!(client.get_topic(&id("statistics"), &id("first"))).expect("the topic");
    let after = done!(client.get_stats());
    let added = |now: u32, then: u32| now - then;
    assert_eq!(added(after.streams_count, before.streams_count), 1, "streams");
    assert_eq!(added(after.topics_count, before.topics_count), 2, "topics");
    assert_eq!(added(after.partitions_count, before.partitions_count), 3, "partitions");
    assert_eq!(added(after.segments_count, before.segments_count), 3, "segments");
    assert_eq!(after.messages_count - before.messages_count, 7, "messages");
    let bytes = after.messages_size_bytes.as_bytes_u64() - before.messages_size_bytes.as_bytes_u64();
    assert_eq!(bytes, topic.size.as_bytes_u64(), "bytes of all messages against those of the topic");
    assert!(bytes > 0, "seven messages take no bytes");
    assert!(after.clients_count >= 1, "{after:?}");
    assert!(after.run_time.as_micros() >= before.run_time.as_micros(), "the server ran backwards");
    done!(client.delete_stream(&id("statistics")));
    let gone = done!(client.get_stats());
    assert_eq!(
        (gone.streams_count, gone.topics_count, gone.partitions_count, gone.messages_count),
        (before.streams_count, before.topics_count, before.partitions_count, before.messages_count),
        "counts after the deletion"
    );
}

async fn options(server: &Server) {
    let client = server.logged_in().await;
    let topic = done!(client.describe_options(OptionsScope::Topic));
    let keys: Vec<&str> = topic.iter().map(|spec| spec.key.as_str()).collect();
    let wanted = [
        topic_option_keys::COMPRESSION_ALGORITHM,
        topic_option_keys::MESSAGE_EXPIRY,
        topic_option_keys::MAX_TOPIC_SIZE,
        topic_option_keys::SEGMENT_SIZE,
        topic_option_keys::DURABILITY,
        topic_option_keys::CONSUMER_OFFSET_DURABILITY,
        topic_option_keys::MESSAGES_REQUIRED_TO_SAVE,
        topic_option_keys::SIZE_OF_MESSAGES_REQUIRED_TO_SAVE,
        topic_option_keys::PREALLOCATE_SEGMENTS,
    ];
    if !server.is_reference {
        assert_eq!(keys, wanted, "the options of a topic");
    }
    let segment_size = topic.iter().find(|spec| spec.key == topic_option_keys::SEGMENT_SIZE).expect("segment_size");
    assert_eq!(
        (segment_size.kind, segment_size.default_value.as_slice()),
        (HeaderKind::Uint64, &(1u64 << 30).to_le_bytes()[..])
    );
    assert!(topic.iter().all(|spec| !spec.description.is_empty()), "an option without description in {keys:?}");
    assert!(done!(client.describe_options(OptionsScope::Stream)).is_empty(), "a stream has no options");
    assert!(done!(client.describe_options(OptionsScope::User)).is_empty(), "a user has no options");
}
