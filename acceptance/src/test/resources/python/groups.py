"""Consumer groups: create, join, poll as a member, commit, leave, delete; and the consumer that does it by itself."""
import asyncio
import datetime
import struct

from apache_iggy import (
    AutoCommit, AutoCommitAfter, AutoCommitWhen, Consumer, Partitioning, PollingStrategy, SendMessage,
)

from scenario import check, check_equal, eventually, logged_in, refused, run, text

STREAM, TOPIC = "python-groups", "events"


async def send(client, partition, numbers):
    messages = [SendMessage(str(number)) for number in numbers]
    await client.send_messages(STREAM, TOPIC, Partitioning.partition_id(partition), messages)


async def management(client):
    await client.create_consumer_group(STREAM, TOPIC, "first")
    await client.create_consumer_group(STREAM, TOPIC, "second")
    await refused(client.create_consumer_group(STREAM, TOPIC, "first"), "a second group of one name")
    await refused(client.create_consumer_group(STREAM, "no-such-topic", "first"), "a group of a missing topic")
    group = await client.get_consumer_group(STREAM, TOPIC, "first")
    told = (group.name, group.partitions_count, group.members_count, group.members)
    check_equal(told, ("first", 3, 0, []), "a group")
    check_equal((await client.get_consumer_group(STREAM, TOPIC, group.id)).name, "first", "the group by number")
    check_equal(await client.get_consumer_group(STREAM, TOPIC, "no-such-group"), None, "a missing group")
    names = sorted(group.name for group in await client.get_consumer_groups(STREAM, TOPIC))
    check_equal(names, ["first", "second"], "the groups of the topic")
    await client.delete_consumer_group(STREAM, TOPIC, "second")
    check_equal(await client.get_consumer_group(STREAM, TOPIC, "second"), None, "a deleted group")
    await refused(client.delete_consumer_group(STREAM, TOPIC, "second"), "a second deletion")
    await refused(client.join_consumer_group(STREAM, TOPIC, "second"), "joining a deleted group")


async def owned(client, group):
    """The partitions of each member; each partition has one owner."""
    members = (await client.get_consumer_group(STREAM, TOPIC, group)).members
    for member in members:
        check_equal(member.partitions_count, len(member.partitions), f"partitions of member {member.id}")
    check_equal(sorted(p for member in members for p in member.partitions), [0, 1, 2], "owned partitions")
    return sorted(len(member.partitions) for member in members)


def poll(member, group, count=5, commit=True):
    return member.poll_messages(
        STREAM, TOPIC, consumer=Consumer.Group(group), polling_strategy=PollingStrategy.Next(), count=count,
        auto_commit=commit)


async def membership(client):
    for partition in range(3):
        await send(client, partition, range(10 * partition, 10 * partition + 10))
    await refused(poll(client, "first"), "a poll of a stranger")
    one, two = await logged_in(), await logged_in()
    await one.join_consumer_group(STREAM, TOPIC, "first")
    await one.join_consumer_group(STREAM, TOPIC, "first")
    check_equal(await owned(client, "first"), [3], "a member alone")
    await two.join_consumer_group(STREAM, TOPIC, "first")
    check_equal(await owned(client, "first"), [1, 2], "two members")
    seen, visited = [], {}
    for _ in range(9):
        for name, member in (("one", one), ("two", two)):
            for message in await poll(member, "first"):
                seen.append(int(text(message)))
                visited.setdefault(message.partition_id(), set()).add(name)
    check_equal(sorted(seen), list(range(30)), "each message once")
    check(all(len(members) == 1 for members in visited.values()), f"each partition is read by one member: {visited}")
    await two.leave_consumer_group(STREAM, TOPIC, "first")
    check_equal(await owned(client, "first"), [3], "the member that is left")
    await refused(two.leave_consumer_group(STREAM, TOPIC, "first"), "a second leave")
    await one.leave_consumer_group(STREAM, TOPIC, "first")
    await refused(poll(one, "first"), "a poll after the leave")
    check_equal((await client.get_consumer_group(STREAM, TOPIC, "first")).members_count, 0, "members after all left")


async def take(consumer, count):
    """The numbers of the next messages."""
    taken = []
    async for message in consumer.iter_messages():
        taken.append(int(text(message)))
        if len(taken) == count:
            return taken


async def by_itself(client):
    await client.create_topic(STREAM, "alone", 1)
    await client.send_messages(STREAM, "alone", Partitioning.partition_id(0), [SendMessage(str(n)) for n in range(20)])

    async def consumer(name, mode, **options):
        return await client.consumer_group(
            name, STREAM, "alone", batch_length=4, auto_commit=mode, poll_interval=datetime.timedelta(milliseconds=1),
            polling_retry_interval=datetime.timedelta(milliseconds=50), init_retries=3,
            init_retry_interval=datetime.timedelta(milliseconds=50), **options)

    absent = consumer("absent", AutoCommit.Disabled(), create_consumer_group_if_not_exists=False)
    await refused(absent, "a group that is not there")
    by_hand = await consumer("by-hand", AutoCommit.Disabled(), polling_strategy=PollingStrategy.Next())
    check_equal((by_hand.name(), by_hand.stream(), by_hand.topic()), ("by-hand", STREAM, "alone"), "what it is for")
    check_equal(await take(by_hand, 3), [0, 1, 2], "messages")
    check_equal((by_hand.partition_id(), by_hand.get_last_consumed_offset(0)), (0, 2), "where it stands")
    await by_hand.store_offset(2, None)
    check_equal(by_hand.get_last_stored_offset(0), 2, "the stored offset")
    await by_hand.store_offset(5, 0)
    await refused(by_hand.store_offset(1000, 0), "an offset beyond the end")
    await by_hand.delete_offset(0)
    await refused(by_hand.delete_offset(0), "a second deletion")
    await client.leave_consumer_group(STREAM, "alone", "by-hand")

    async def keeps(name):
        other = await logged_in()
        await other.join_consumer_group(STREAM, "alone", name)
        rest = await other.poll_messages(
            STREAM, "alone", consumer=Consumer.Group(name), polling_strategy=PollingStrategy.Next(), count=1,
            auto_commit=False)
        await other.leave_consumer_group(STREAM, "alone", name)
        return rest[0].offset() if rest else 20

    hour = datetime.timedelta(hours=1)
    for name, mode, following in [
        ("polling", AutoCommit.When(AutoCommitWhen.PollingMessages()), 8),
        ("each", AutoCommit.When(AutoCommitWhen.ConsumingEachMessage()), 6),
        ("all", AutoCommit.When(AutoCommitWhen.ConsumingAllMessages()), 4),
        ("third", AutoCommit.When(AutoCommitWhen.ConsumingEveryNthMessage(3)), 4),
        ("interval", AutoCommit.Interval(datetime.timedelta(milliseconds=50)), 6),
        ("either", AutoCommit.IntervalOrWhen(hour, AutoCommitWhen.ConsumingEachMessage()), 6),
    ]:
        member = await consumer(name, mode)
        check_equal(await take(member, 6), [0, 1, 2, 3, 4, 5], f"messages of {name}")
        # Its own commits are on their way; only after them may it lose the partition to somebody who asks.
        await eventually(following - 1, lambda: kept_offset(client, name), f"the committed offset of {name}")
        await client.leave_consumer_group(STREAM, "alone", name)
        check_equal(await keeps(name), following, f"where {name} goes on")

    for name, mode, last in [
        ("after-each", AutoCommit.After(AutoCommitAfter.ConsumingEachMessage()), 19),
        ("after-all", AutoCommit.IntervalOrAfter(hour, AutoCommitAfter.ConsumingAllMessages()), 19),
        ("after-third", AutoCommit.After(AutoCommitAfter.ConsumingEveryNthMessage(3)), 18),
    ]:
        member = await client.consumer_group(name, STREAM, "alone", batch_length=100, auto_commit=mode)
        seen, enough = [], asyncio.Event()

        async def note(message):
            seen.append(int(text(message)))
            if len(seen) == 20:
                enough.set()

        await member.consume_messages(note, enough)
        check_equal(seen, list(range(20)), f"messages of {name}")
        await eventually(last, lambda: kept_offset(client, name), f"the committed offset of {name}")
        await client.leave_consumer_group(STREAM, "alone", name)

    replay = await consumer(
        "replay", AutoCommit.Disabled(), polling_strategy=PollingStrategy.Offset(15), allow_replay=True,
        auto_join_consumer_group=True, partition_id=0)
    check_equal(await take(replay, 3), [15, 16, 17], "from an offset")


async def kept_offset(client, group):
    """The offset that the server keeps for a group, by number: the client has no call that tells it."""
    def name(word):
        return struct.pack("<BB", 2, len(word)) + word.encode()

    body = await client.send_binary_request(120, b"\x02" + name(group) + name(STREAM) + name("alone") + b"\x01\0\0\0\0")
    return struct.unpack("<IQQ", body)[2] if body else None


async def main():
    client = await logged_in()
    await client.create_stream(STREAM)
    await client.create_topic(STREAM, TOPIC, 3)
    await management(client)
    await membership(client)
    await by_itself(client)
    check((await client.get_stats()).consumer_groups_count >= 10, "groups in the statistics")
    await client.delete_stream(STREAM)


run(main)
