"""A user who may read and write one topic and nothing else.

usage: users.py [HOST:PORT [USER PASSWORD]]
"""

import asyncio
import sys

from apache_iggy import (
    AutoLogin, Consumer, IggyClient, Partitioning, Permissions, PollingStrategy, SendMessage, StreamPermissions,
    TcpConfig, TopicPermissions,
)


async def connect(address, user, password):
    login = AutoLogin.username_password(user, password)
    client = IggyClient(TcpConfig(server_address=address, auto_login=login))
    await client.connect()
    return client


async def main(address="127.0.0.1:8090", user="iggy", password="iggy"):
    root = await connect(address, user, password)
    if await root.get_stream("shop") is not None:
        await root.delete_stream("shop")
    if await root.get_user("mary") is not None:
        await root.delete_user("mary")
    await root.create_stream("shop")
    await root.create_topic("shop", "orders", partitions_count=1)
    await root.create_topic("shop", "salaries", partitions_count=1)

    # Rights are given by the numbers of stream and topic, so they do not pass to a new topic of the same name.
    shop = (await root.get_stream("shop")).id
    orders = (await root.get_topic("shop", "orders")).id
    rights = TopicPermissions(read_topic=True, poll_messages=True, send_messages=True)
    await root.create_user(
        "mary", "her own secret", permissions=Permissions(streams={shop: StreamPermissions(topics={orders: rights})})
    )

    mary = await connect(address, "mary", "her own secret")
    await mary.send_messages("shop", "orders", Partitioning.partition_id(0), [SendMessage("two apples")])
    print("mary sent to orders")
    messages = await mary.poll_messages(
        "shop",
        "orders",
        consumer=Consumer.Single("mary"),
        polling_strategy=PollingStrategy.First(),
        count=10,
        auto_commit=False,
        partition_id=0,
    )
    print("mary read from orders:", messages[0].payload().decode())
    try:
        await mary.send_messages("shop", "salaries", Partitioning.partition_id(0), [SendMessage("a million")])
        return "mary may write where she should not"
    except Exception as refusal:
        print("mary may not write to salaries:", refusal)
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)
    return None


sys.exit(asyncio.run(main(*sys.argv[1:])))
