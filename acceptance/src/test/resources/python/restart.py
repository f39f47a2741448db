"""Clients that log in by themselves live through a restart of the server and find everything again.

Prints "stop it" and goes on when a line arrives on standard input.
"""
import asyncio
import datetime
import sys

from apache_iggy import AutoCommit, AutoCommitWhen, Consumer, Partitioning, PollingStrategy, SendMessage

from scenario import IS_REFERENCE, check_equal, logged_in_as, run, self_healing, text


async def poll(client, strategy, commit=False):
    return await client.poll_messages(
        "restart", "events", consumer=Consumer.Single(1), polling_strategy=strategy, count=1000, auto_commit=commit,
        partition_id=0)


async def take(consumer, count):
    """The numbers of the next messages. That the connection was lost is told in between."""
    taken = []
    while len(taken) < count:
        try:
            async for message in consumer.iter_messages():
                taken.append(int(text(message)))
                if len(taken) == count:
                    break
        except RuntimeError:
            await asyncio.sleep(0.05)
    return taken


async def main():
    client = await self_healing()
    await client.create_stream("restart")
    await client.create_topic("restart", "events", 1)
    for number in range(50):
        await client.send_messages("restart", "events", Partitioning.partition_id(0), [SendMessage(str(number))])
    check_equal(len(await poll(client, PollingStrategy.Next(), commit=True)), 50, "messages before the restart")
    await client.create_user("python-survivor", "secret-1")
    member_client = await self_healing()
    member = await member_client.consumer_group(
        "team", "restart", "events", auto_commit=AutoCommit.When(AutoCommitWhen.ConsumingEachMessage()),
        polling_retry_interval=datetime.timedelta(milliseconds=100))
    check_equal(await take(member, 50), list(range(50)), "what the group member sees before the restart")
    print("stop it")
    sys.stdin.readline()
    back = await poll(client, PollingStrategy.First())
    check_equal([int(message.payload()) for message in back], list(range(50)), "messages after the restart")
    sent = await client.send_messages("restart", "events", Partitioning.partition_id(0), [SendMessage("50")])
    check_equal(sent.confirmations[0].base_offset, 50, "the next offset")
    fresh = await poll(client, PollingStrategy.Next(), commit=True)
    check_equal([int(message.payload()) for message in fresh], [50], "Next after the restart")
    # The reference server keeps the membership that its stop cut off, and with it the only partition.
    if not IS_REFERENCE:
        check_equal(await take(member, 1), [50], "what the group member sees after the restart")
    await logged_in_as("python-survivor", "secret-1")


run(main)
