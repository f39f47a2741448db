//! Consumer offsets by explicit calls: store, get, delete, of numbered and of named consumers.

use crate::scenario::*;
use iggy::prelude::*;

pub async fn run(server: &Server) {
    let client = server.logged_in().await;
    create(&client, "offsets", "events", 2).await;
    let (stream, topic) = (id("offsets"), id("events"));
    for who in [Consumer::new(numeric(1)), Consumer::new(id("by-name"))] {
        let get = async |partition| done!(client.get_consumer_offset(&who, &stream, &topic, partition));
        assert!(get(Some(1)).await.is_none(), "before anything is stored");
        refused!(client.store_consumer_offset(&who, &stream, &topic, Some(1), 0), 4100);
    }
    send(&client, "offsets", "events", 0, 0..20).await;
    for who in [Consumer::new(numeric(1)), Consumer::new(id("by-name"))] {
        let get = async |partition| done!(client.get_consumer_offset(&who, &stream, &topic, partition));
        assert!(get(Some(0)).await.is_none(), "before anything is stored for {who}");
        done!(client.store_consumer_offset(&who, &stream, &topic, Some(0), 7));
        let info = get(Some(0)).await.expect("the stored offset");
        assert_eq!((info.partition_id, info.current_offset, info.stored_offset), (0, 19, 7), "{who}");
        assert_eq!(get(None).await.map(|info| info.stored_offset), Some(7), "a missing partition means 0, for {who}");
        assert!(get(Some(1)).await.is_none(), "another partition of {who}");

        let next = PollingStrategy::next();
        let polled = done!(client.poll_messages(&stream, &topic, Some(0), &who, &next, 2, true));
        assert_eq!(texts(&polled), ["8", "9"], "Next behind the stored offset of {who}");
        assert_eq!(get(Some(0)).await.map(|info| info.stored_offset), Some(9), "after an auto-commit of {who}");
        done!(client.store_consumer_offset(&who, &stream, &topic, Some(0), 3));
        assert_eq!(get(Some(0)).await.map(|info| info.stored_offset), Some(3), "moved back, {who}");

        refused!(client.store_consumer_offset(&who, &stream, &topic, Some(0), 20), 4100);
        let (no_partition, no_topic, unnamed) = if server.is_reference { (20, 20, 20) } else { (3007, 2010, 6) };
        refused!(client.store_consumer_offset(&who, &stream, &topic, Some(7), 0), no_partition);
        refused!(client.store_consumer_offset(&who, &stream, &topic, None, 0), unnamed);
        refused!(client.store_consumer_offset(&who, &stream, &id("no-such-topic"), Some(0), 0), no_topic);
        assert_eq!(get(Some(0)).await.map(|info| info.stored_offset), Some(3), "after refused stores of {who}");

        done!(client.delete_consumer_offset(&who, &stream, &topic, Some(0)));
        assert!(get(Some(0)).await.is_none(), "a deleted offset of {who}");
        refused!(client.delete_consumer_offset(&who, &stream, &topic, Some(0)), 3021);
        let polled = done!(client.poll_messages(&stream, &topic, Some(0), &who, &next, 1, false));
        assert_eq!(texts(&polled), ["0"], "Next of {who} without an offset");
    }
    done!(client.delete_stream(&stream));
}
