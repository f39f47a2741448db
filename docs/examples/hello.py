"""Sends three messages and reads them back, with the published client (pip install apache-iggy==0.9.0).

usage: hello.py [HOST:PORT [USER PASSWORD]]
"""

import asyncio
import sys

from apache_iggy import AutoLogin, Consumer, IggyClient, Partitioning, PollingStrategy, SendMessage, TcpConfig


async def main(address="127.0.0.1:8090", user="iggy", password="iggy"):
    login = AutoLogin.username_password(user, password)
    client = IggyClient(TcpConfig(server_address=address, auto_login=login))
    await client.connect()

    if await client.get_stream("greetings") is None:
        await client.create_stream("greetings")
        await client.create_topic("greetings", "hello", partitions_count=1)

    words = ["hola", "ciao", "salut"]
    messages = [SendMessage(word) for word in words]
    sent = await client.send_messages("greetings", "hello", Partitioning.partition_id(0), messages)
    first = sent.confirmations[0].base_offset
    print(f"sent {len(words)} messages, the first at offset {first}")

    messages = await client.poll_messages(
        "greetings",
        "hello",
        consumer=Consumer.Single("reader"),
        polling_strategy=PollingStrategy.Offset(first),
        count=10,
        auto_commit=False,
        partition_id=0,
    )
    for message in messages:
        print(f"offset {message.offset()}: {message.payload().decode()}")
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)
    return [message.payload().decode() for message in messages] == words


ok = asyncio.run(main(*sys.argv[1:]))
sys.exit(0 if ok else "the messages came back changed")
