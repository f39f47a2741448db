"""A topic whose messages are packed on disk. Senders and readers see no difference.

usage: gzip_topic.py [HOST:PORT [USER PASSWORD]]
"""

import asyncio
import sys

from apache_iggy import AutoLogin, Consumer, IggyClient, Partitioning, PollingStrategy, SendMessage, TcpConfig

COUNT = 1000


async def main(address="127.0.0.1:8090", user="iggy", password="iggy"):
    login = AutoLogin.username_password(user, password)
    client = IggyClient(TcpConfig(server_address=address, auto_login=login))
    await client.connect()
    if await client.get_stream("telemetry") is not None:
        await client.delete_stream("telemetry")
    await client.create_stream("telemetry")
    await client.create_topic("telemetry", "readings", partitions_count=1, compression_algorithm="gzip")

    readings = [f"sensor=boiler-7 unit=celsius room=basement reading={number % 40}" for number in range(COUNT)]
    await client.send_messages(
        "telemetry", "readings", Partitioning.partition_id(0), [SendMessage(reading) for reading in readings]
    )
    messages = await client.poll_messages(
        "telemetry",
        "readings",
        consumer=Consumer.Single("reader"),
        polling_strategy=PollingStrategy.First(),
        count=COUNT,
        auto_commit=False,
        partition_id=0,
    )
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)
    if [message.payload().decode() for message in messages] != readings:
        return "the messages came back changed"
    print(f"{len(messages)} messages came back as they were sent")
    return None


sys.exit(asyncio.run(main(*sys.argv[1:])))
