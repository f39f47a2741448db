//! What the scenarios share: how they connect, and how they check.

use futures_util::StreamExt;
use iggy::prelude::*;
use std::future::Future;
use std::time::Duration;

/// How long something may take that happens in its own time.
const PATIENCE: Duration = Duration::from_secs(15);

/// The value of a call that must succeed.
macro_rules! done {
    ($call:expr) => {
        match $call.await {
            Ok(value) => value,
            Err(error) => panic!("{} was refused with {}: {error}", stringify!($call), error.as_code()),
        }
    };
}

/// A call that must be refused with this code.
macro_rules! refused {
    ($call:expr, $code:expr) => {
        match $call.await {
            Ok(value) => panic!("{} should have been refused with {} and gave {value:?}", stringify!($call), $code),
            Err(error) => assert_eq!(error.as_code(), $code, "{} was refused with: {error}", stringify!($call)),
        }
    };
}

/// The server that a scenario talks to.
pub struct Server {
    pub address: String,
    /// The reference server predates a few things that the release has.
    pub is_reference: bool,
}

impl Server {
    /// A client that has connected and not logged in.
    pub async fn connected(&self) -> IggyClient {
        let client = IggyClient::builder()
            .with_tcp()
            .with_server_address(self.address.clone())
            .with_no_delay()
            .build()
            .expect("a client");
        done!(client.connect());
        client
    }

    pub async fn logged_in(&self) -> IggyClient {
        self.logged_in_as("iggy", "iggy").await
    }

    pub async fn logged_in_as(&self, username: &str, password: &str) -> IggyClient {
        let client = self.connected().await;
        done!(client.login_user(username, password));
        client
    }

    /// A client that logs in by itself whenever it connects, and tries again soon after it lost the server.
    pub async fn self_healing(&self) -> IggyClient {
        let login = AutoLogin::Enabled(Credentials::UsernamePassword("iggy".to_owned(), "iggy".to_owned().into()));
        let client = IggyClient::builder()
            .with_tcp()
            .with_server_address(self.address.clone())
            .with_auto_sign_in(login)
            .with_reconnection_max_retries(Some(600))
            .with_reconnection_interval(nonzero("100ms"))
            .with_reestablish_after(duration("100ms"))
            .build()
            .expect("a client");
        done!(client.connect());
        client
    }

    /// The connection string of the root user.
    pub fn connection_string(&self) -> String {
        format!("iggy://iggy:iggy@{}", self.address)
    }

    pub fn port(&self) -> u16 {
        self.address.rsplit(':').next().expect("a port").parse().expect("a port")
    }
}

/// A name or a number of something.
pub fn id(text: &str) -> Identifier {
    text.try_into().expect("an identifier")
}

pub fn numeric(value: u32) -> Identifier {
    Identifier::numeric(value).expect("an identifier")
}

pub fn duration(text: &str) -> IggyDuration {
    text.parse().expect("a duration")
}

pub fn nonzero(text: &str) -> NonZeroIggyDuration {
    text.parse().expect("a duration")
}

pub fn partitions(count: u32) -> TopicCreateOptions {
    TopicCreateOptions { partitions_count: Some(count), ..Default::default() }
}

/// A stream with one topic.
pub async fn create(client: &IggyClient, stream: &str, topic: &str, partitions_count: u32) {
    done!(client.create_stream(stream));
    done!(client.create_topic(&id(stream), topic, &partitions(partitions_count)));
}

pub fn message(text: &str) -> IggyMessage {
    IggyMessage::builder().payload(text.to_owned().into()).build().expect("a message")
}

/// Messages with their numbers as text.
pub fn numbered(numbers: std::ops::Range<usize>) -> Vec<IggyMessage> {
    numbers.map(|number| message(&number.to_string())).collect()
}

/// Sends numbered messages to a partition, in one batch.
pub async fn send(client: &IggyClient, stream: &str, topic: &str, partition: u32, numbers: std::ops::Range<usize>) {
    let mut messages = numbered(numbers);
    done!(client.send_messages(&id(stream), &id(topic), &Partitioning::partition_id(partition), &mut messages));
}

pub fn text(message: &IggyMessage) -> String {
    message.payload_as_string().expect("text")
}

pub fn texts(polled: &PolledMessages) -> Vec<String> {
    polled.messages.iter().map(text).collect()
}

pub fn number(message: &IggyMessage) -> usize {
    text(message).parse().expect("a number")
}

/// The next messages that a consumer hands over, as their numbers.
pub async fn take(consumer: &mut IggyConsumer, count: usize) -> Vec<usize> {
    let mut taken = Vec::new();
    while taken.len() < count {
        match tokio::time::timeout(PATIENCE, consumer.next()).await {
            Ok(Some(Ok(received))) => taken.push(number(&received.message)),
            Ok(Some(Err(error))) => panic!("after {taken:?} the consumer met {}: {error}", error.as_code()),
            Ok(None) => panic!("after {taken:?} the consumer ended"),
            Err(_) => panic!("after {taken:?} no message came within {PATIENCE:?}, of {count}"),
        }
    }
    taken
}

/// The offset that the server keeps for a consumer.
pub async fn stored(client: &IggyClient, who: &Consumer, stream: &str, topic: &str, partition: u32) -> Option<u64> {
    done!(client.get_consumer_offset(who, &id(stream), &id(topic), Some(partition))).map(|info| info.stored_offset)
}

/// Waits until a question gets the expected answer.
pub async fn eventually<T, F>(what: &str, expected: T, question: impl Fn() -> F)
where
    T: PartialEq + std::fmt::Debug,
    F: Future<Output = T>,
{
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = question().await;
        if answer == expected {
            return;
        }
        assert!(tokio::time::Instant::now() < deadline, "{what}: expected {expected:?}, and it stays {answer:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
