"""Two consumers of one group share a topic: each message is read by one of them.

usage: group.py [HOST:PORT [USER PASSWORD]]
"""

import asyncio
import sys

from apache_iggy import AutoCommit, AutoCommitWhen, AutoLogin, IggyClient, Partitioning, SendMessage, TcpConfig

COUNT = 100


async def connect(address, user, password):
    login = AutoLogin.username_password(user, password)
    client = IggyClient(TcpConfig(server_address=address, auto_login=login))
    await client.connect()
    return client


async def read(name, client, read_by):
    consumer = await client.consumer_group(
        "team",
        "orders",
        "new",
        auto_commit=AutoCommit.When(AutoCommitWhen.ConsumingEachMessage()),
    )
    async for message in consumer.iter_messages():
        read_by.append((name, message.payload().decode()))


async def main(address="127.0.0.1:8090", user="iggy", password="iggy"):
    client = await connect(address, user, password)
    if await client.get_stream("orders") is not None:
        await client.delete_stream("orders")
    await client.create_stream("orders")
    await client.create_topic("orders", "new", partitions_count=4)

    read_by = []
    readers = [
        asyncio.create_task(read(name, await connect(address, user, password), read_by)) for name in ("Ada", "Grace")
    ]
    # Both are members before the first message is there; otherwise the first one starts with all partitions.
    while (group := await client.get_consumer_group("orders", "new", "team")) is None or group.members_count < 2:
        await asyncio.sleep(0.01)
    for number in range(COUNT):
        await client.send_messages("orders", "new", Partitioning.balanced(), [SendMessage(f"order {number}")])
    while len(read_by) < COUNT and not any(reader.done() for reader in readers):
        await asyncio.sleep(0.01)
    for reader in readers:
        reader.cancel()
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)

    shares = {name: sum(reader == name for reader, _ in read_by) for name in ("Ada", "Grace")}
    orders = sorted(order for _, order in read_by)
    if orders != sorted(f"order {number}" for number in range(COUNT)):
        return f"{len(read_by)} messages were read, and not each of {COUNT} once"
    print(f"every message was read once: {shares}")


problem = asyncio.run(asyncio.wait_for(main(*sys.argv[1:]), 60))
sys.exit(problem)
