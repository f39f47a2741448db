"""Two clients at once: each sees what the other did, and both make progress."""
import asyncio

from apache_iggy import Consumer, Partitioning, PollingStrategy, SendMessage

from scenario import check_equal, logged_in, run

COUNT = 300


async def produce(client):
    for number in range(COUNT):
        await client.send_messages("pair", "numbers", Partitioning.partition_id(0), [SendMessage(str(number))])


async def consume(client):
    seen = []
    while len(seen) < COUNT:
        batch = await client.poll_messages(
            "pair", "numbers", consumer=Consumer.Single(1), polling_strategy=PollingStrategy.Next(), count=50,
            auto_commit=True, partition_id=0)
        seen += [int(message.payload()) for message in batch]
        if not batch:
            await asyncio.sleep(0.002)
    return seen


async def main():
    producer, consumer = await logged_in(), await logged_in()
    await producer.create_stream("pair")
    await producer.create_topic("pair", "numbers", 1)
    check_equal((await consumer.get_topic("pair", "numbers")).partitions_count, 1, "the topic, seen by the other client")
    _, seen = await asyncio.gather(produce(producer), consume(consumer))
    check_equal(seen, list(range(COUNT)), "what the consumer saw")
    stats = await consumer.get_stats()
    check_equal(stats.clients_count >= 2, True, "both clients are counted")


run(main)
