"""Waits at the server until a message arrives, instead of asking again and again.

usage: long_poll.py [HOST:PORT [USER PASSWORD]]
"""

import asyncio
import struct
import sys
import time

from apache_iggy import AutoLogin, IggyClient, Partitioning, SendMessage, TcpConfig

AWAIT_MESSAGES = 1100
CONSUMER, NEXT = 1, 5


async def connect(address, user, password):
    login = AutoLogin.username_password(user, password)
    client = IggyClient(TcpConfig(server_address=address, auto_login=login))
    await client.connect()
    return client


def identifier(name):
    return bytes([2, len(name)]) + name.encode()


def await_messages(consumer, stream, topic, partition, count, seconds):
    """The body of docs/long-poll.md: a poll, and how long to wait in microseconds."""
    return (
        bytes([CONSUMER]) + identifier(consumer) + identifier(stream) + identifier(topic)
        + struct.pack("<BI", 1, partition)
        + struct.pack("<BQ", NEXT, 0)
        + struct.pack("<IB", count, True)
        + struct.pack("<Q", int(seconds * 1_000_000))
    )


async def main(address="127.0.0.1:8090", user="iggy", password="iggy"):
    sender = await connect(address, user, password)
    if await sender.get_stream("bell") is not None:
        await sender.delete_stream("bell")
    await sender.create_stream("bell")
    await sender.create_topic("bell", "rings", partitions_count=1)

    # What comes behind it on the same connection waits as well, so it has a connection of its own.
    waiter = await connect(address, user, password)
    begin = time.monotonic()
    body = await_messages("porter", "bell", "rings", 0, count=10, seconds=20)
    answer = asyncio.ensure_future(waiter.send_binary_request(AWAIT_MESSAGES, body))
    await asyncio.sleep(0.5)
    if answer.done():
        return f"it did not wait: {answer.result()!r}"
    print("nothing there yet, waiting")
    await sender.send_messages("bell", "rings", Partitioning.partition_id(0), [SendMessage("ding")])
    partition, offset, count = struct.unpack_from("<IQI", await answer)
    print(f"{count} message in partition {partition}, up to offset {offset}")
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)
    return None if count == 1 and time.monotonic() - begin < 10 else "the message did not end the wait"


sys.exit(asyncio.run(main(*sys.argv[1:])))
