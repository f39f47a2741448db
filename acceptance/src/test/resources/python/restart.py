"""A client that logs in by itself lives through a restart of the server and finds everything again.

Prints "stop it" and goes on when a line arrives on standard input.
"""
import sys

from apache_iggy import Consumer, Partitioning, PollingStrategy, SendMessage

from scenario import check_equal, run, self_healing


async def poll(client, strategy, commit=False):
    return await client.poll_messages(
        "restart", "events", consumer=Consumer.Single(1), polling_strategy=strategy, count=1000, auto_commit=commit,
        partition_id=0)


async def main():
    client = await self_healing()
    await client.create_stream("restart")
    await client.create_topic("restart", "events", 1)
    for number in range(50):
        await client.send_messages("restart", "events", Partitioning.partition_id(0), [SendMessage(str(number))])
    check_equal(len(await poll(client, PollingStrategy.Next(), commit=True)), 50, "messages before the restart")
    print("stop it")
    sys.stdin.readline()
    back = await poll(client, PollingStrategy.First())
    check_equal([int(message.payload()) for message in back], list(range(50)), "messages after the restart")
    sent = await client.send_messages("restart", "events", Partitioning.partition_id(0), [SendMessage("50")])
    check_equal(sent.confirmations[0].base_offset, 50, "the next offset")
    fresh = await poll(client, PollingStrategy.Next(), commit=True)
    check_equal([int(message.payload()) for message in fresh], [50], "Next after the restart")


run(main)
