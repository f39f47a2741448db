"""The producer, direct and in the background, and what it says when a send fails."""
import datetime

from apache_iggy import (
    BackgroundProducerConfig, BackpressureMode, Consumer, DirectProducerConfig, IggyExpiry, MaxTopicSize, Partitioning,
    PollingStrategy, ProducerSendError, ProducerSharding, SendMessage,
)

from scenario import check, check_equal, logged_in, refused, run, text

STREAM = "python-producers"
MILLISECOND = datetime.timedelta(milliseconds=1)


def numbered(*numbers):
    return [SendMessage(str(number)) for number in range(*numbers)]


async def numbers(client, topic, partition=0):
    messages = await client.poll_messages(
        STREAM, topic, consumer=Consumer.Single(1), polling_strategy=PollingStrategy.First(), count=1000,
        auto_commit=False, partition_id=partition)
    return [int(text(message)) for message in messages]


async def direct(client):
    await refused(
        client.producer(STREAM, "events", create_stream_if_not_exists=False), "a producer for a missing stream")
    producer = await client.producer(
        STREAM, "events", Partitioning.partition_id(1),
        mode=DirectProducerConfig(batch_length=4, linger_time=datetime.timedelta(0)),
        topic_partitions_count=2, topic_message_expiry=IggyExpiry.ExpireDuration(datetime.timedelta(hours=1)),
        topic_max_size=MaxTopicSize.Unlimited(), send_retries=3, send_retry_interval=100 * MILLISECOND)
    check_equal((await client.get_topic(STREAM, "events")).partitions_count, 2, "the topic that the producer made")
    sent = await producer.send(numbered(10))
    check_equal([place.base_offset for place in sent.confirmations], [0, 4, 8], "ten messages in batches of four")
    check_equal({place.partition_id for place in sent.confirmations}, {1}, "the partition")
    await producer.send_one(SendMessage("10"))
    check_equal(await numbers(client, "events", 1), list(range(11)), "what was sent")
    await producer.send_with_partitioning(numbered(3), Partitioning.partition_id(0))
    check_equal(await numbers(client, "events", 0), [0, 1, 2], "a partitioning of its own")
    await client.create_topic(STREAM, "elsewhere", 1)
    await producer.send_to(STREAM, "elsewhere", numbered(2), Partitioning.partition_id(0))
    check_equal(await numbers(client, "elsewhere"), [0, 1], "sent to another topic")
    await producer.shutdown()
    await producer.shutdown()
    await refused(producer.send_one(SendMessage("late")), "a send after the shutdown")


async def failing(client):
    async with await client.producer(
            STREAM, "gone", Partitioning.messages_key("one"), mode=DirectProducerConfig(batch_length=2), send_retries=0,
    ) as producer:
        await producer.send(numbered(2))
        await client.delete_topic(STREAM, "gone")
        try:
            await producer.send(numbered(2, 7))
        except ProducerSendError as error:
            check_equal((len(error.failed), error.committed), (5, []), "what was not sent")
            check(len(error.cause) > 0, "a failed send has a cause")
        else:
            raise AssertionError("a send to a deleted topic should have failed")


async def background(client):
    for topic, sharding, failure_mode in [
        ("ordered", ProducerSharding.ORDERED, BackpressureMode.block()),
        ("shuffled", ProducerSharding.BALANCED, BackpressureMode.block_with_timeout(datetime.timedelta(seconds=5))),
        ("hasty", ProducerSharding.ORDERED, BackpressureMode.fail_immediately()),
    ]:
        mode = BackgroundProducerConfig(
            num_shards=2, linger_time=MILLISECOND, batch_size=1 << 16, batch_length=50, max_buffer_size=1 << 20,
            failure_mode=failure_mode, max_in_flight=2, sharding=sharding)
        async with await client.producer(STREAM, topic, Partitioning.partition_id(0), mode=mode) as producer:
            for start in range(0, 200, 20):
                queued = await producer.send(numbered(start, start + 20))
                check_equal(queued.confirmations, [], "a queued send is not confirmed yet")
        back = await numbers(client, topic)
        back = sorted(back) if topic == "shuffled" else back
        check_equal(back, list(range(200)), f"everything in {topic} at the end")


async def main():
    client = await logged_in()
    await direct(client)
    await failing(client)
    await background(client)
    await client.delete_stream(STREAM)


run(main)
