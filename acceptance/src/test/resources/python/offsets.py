"""Store, read and delete consumer offsets by explicit commands.

The client has no calls of its own for single consumers, so the bodies are built here and sent through it.
"""
import struct

from apache_iggy import Consumer, Partitioning, PollingStrategy, SendMessage

from scenario import check_equal, logged_in, refused, run

GET, STORE, DELETE = 120, 121, 122


def name(text):
    return struct.pack("<BB", 2, len(text)) + text.encode()


def place(consumer, partition=0, topic="events"):
    who = struct.pack("<BBBI", 1, 1, 4, consumer)
    return who + name("offsets") + name(topic) + struct.pack("<BI", 1, partition)


async def stored(client, consumer, partition=0):
    body = await client.send_binary_request(GET, place(consumer, partition))
    return struct.unpack("<IQQ", body) if body else None


async def store(client, consumer, offset, **where):
    return await client.send_binary_request(STORE, place(consumer, **where) + struct.pack("<QB", offset, 1))


async def delete(client, consumer):
    return await client.send_binary_request(DELETE, place(consumer) + struct.pack("<B", 1))


async def main():
    client = await logged_in()
    await client.create_stream("offsets")
    await client.create_topic("offsets", "events", 2)
    await refused(store(client, 1, 0), "an offset in an empty partition")
    for number in range(20):
        await client.send_messages("offsets", "events", Partitioning.partition_id(0), [SendMessage(str(number))])
    check_equal(await stored(client, 1), None, "before anything is stored")
    await store(client, 1, 7)
    check_equal(await stored(client, 1), (0, 19, 7), "partition, current offset, stored offset")
    check_equal(await stored(client, 2), None, "another consumer")
    check_equal(await stored(client, 1, partition=1), None, "another partition")
    batch = await client.poll_messages(
        "offsets", "events", consumer=Consumer.Single(1), polling_strategy=PollingStrategy.Next(), count=2,
        auto_commit=True, partition_id=0)
    check_equal([message.offset() for message in batch], [8, 9], "Next behind a stored offset")
    check_equal(await stored(client, 1), (0, 19, 9), "after an auto-commit")
    await store(client, 1, 3)
    check_equal(await stored(client, 1), (0, 19, 3), "moved backwards")
    await refused(store(client, 1, 20), "an offset beyond the last message")
    await refused(store(client, 1, 0, topic="nowhere"), "an offset in a missing topic")
    check_equal(await stored(client, 1), (0, 19, 3), "after refused stores")
    await delete(client, 1)
    check_equal(await stored(client, 1), None, "deleted")
    await refused(delete(client, 1), "a second deletion")


run(main)
