"""Send by partition, by key and balanced, with headers and ids; poll with every strategy; move consumer offsets."""
from apache_iggy import Consumer, HeaderKey, HeaderValue, Partitioning, PollingStrategy, SendMessage

from scenario import check, check_equal, logged_in, refused, run, scalars

STREAM = "messages"
TOPIC = "events"


async def poll(client, strategy, count=100, partition=0, consumer=1, commit=False):
    return await client.poll_messages(
        STREAM, TOPIC, consumer=Consumer.Single(consumer), polling_strategy=strategy, count=count,
        auto_commit=commit, partition_id=partition)


def texts(messages):
    return [message.payload().decode() for message in messages]


async def sending(client):
    for number in range(10):
        sent = await client.send_messages(
            STREAM, TOPIC, Partitioning.partition_id(0), [SendMessage(f"first-{number}"), SendMessage(f"second-{number}")])
        check_equal(len(sent.confirmations), 1, "confirmations")
        confirmation = sent.confirmations[0]
        check_equal((confirmation.partition_id, confirmation.base_offset), (0, 2 * number), "confirmed place")
    check_equal(await poll(client, PollingStrategy.First(), partition=1), [], "an untouched partition")

    headers = {
        "text": "grüße",
        "number": HeaderValue.UnsignedInt64(1 << 60),
        "flag": True,
        "raw": HeaderValue.Raw(bytes(range(256))[:255]),
        HeaderKey.UnsignedInt32(7): HeaderValue.Float64(2.5),
    }
    identity = 0x0123456789ABCDEF0011223344556677
    await client.send_messages(
        STREAM, TOPIC, Partitioning.partition_id(1), [SendMessage(b"\x00\xff bytes", headers, identity), SendMessage("plain")])
    first, second = await poll(client, PollingStrategy.First(), partition=1)
    check_equal(first.payload(), b"\x00\xff bytes", "a payload of bytes")
    check_equal(first.id(), identity, "a message id")
    back = scalars(first.user_headers())
    check_equal(
        (back["text"], back["number"], back["flag"], back["raw"], back[7]),
        ("grüße", 1 << 60, True, bytes(range(256))[:255], 2.5), "headers")
    check(second.user_headers() is None or len(second.user_headers()) == 0, "headers of a message without")
    check(second.id() != 0, "the client gives an id of its own")

    places = set()
    for number in range(6):
        sent = await client.send_messages(
            STREAM, TOPIC, Partitioning.messages_key("one-key"), [SendMessage(f"keyed-{number}")])
        places.add(sent.confirmations[0].partition_id)
    check_equal(len(places), 1, "partitions of one key")
    places = set()
    for number in range(6):
        sent = await client.send_messages(STREAM, "round", Partitioning.balanced(), [SendMessage(f"balanced-{number}")])
        places.add(sent.confirmations[0].partition_id)
    check_equal(places, {0, 1, 2}, "partitions of balanced sends")

    text = await refused(
        client.send_messages(STREAM, "nowhere", Partitioning.partition_id(0), [SendMessage("lost")]), "a missing topic")
    print("missing topic:", text)
    text = await refused(
        client.send_messages(STREAM, TOPIC, Partitioning.partition_id(99), [SendMessage("lost")]), "a missing partition")
    print("missing partition:", text)

    large = bytes(i * 31 % 251 for i in range(3_000_000))
    sent = await client.send_messages(STREAM, "large", Partitioning.partition_id(0), [SendMessage(large)])
    check_equal(sent.confirmations[0].base_offset, 0, "the place of a large message")
    [back] = await client.poll_messages(
        STREAM, "large", consumer=Consumer.Single(1), polling_strategy=PollingStrategy.First(), count=1,
        auto_commit=False, partition_id=0)
    check(back.payload() == large, "a message of 3 MB came back changed")


async def polling(client):
    everything = [f"{which}-{number}" for number in range(10) for which in ("first", "second")]
    messages = await poll(client, PollingStrategy.First())
    check_equal(texts(messages), everything, "the first 100")
    check_equal([message.offset() for message in messages], list(range(20)), "offsets")
    check_equal(texts(await poll(client, PollingStrategy.First(), count=3)), everything[:3], "the first 3")
    check_equal(texts(await poll(client, PollingStrategy.Last(), count=3)), everything[-3:], "the last 3")
    check_equal(texts(await poll(client, PollingStrategy.Offset(5), count=4)), everything[5:9], "4 from offset 5")
    check_equal(await poll(client, PollingStrategy.Offset(1000)), [], "an offset beyond the end")
    stamps = [message.timestamp() for message in messages]
    check_equal(stamps, sorted(stamps), "timestamps go up")
    middle = stamps[8]
    expected = [message.payload().decode() for message in messages if message.timestamp() >= middle]
    check_equal(texts(await poll(client, PollingStrategy.Timestamp(middle))), expected, "from a timestamp")
    check_equal(await poll(client, PollingStrategy.Timestamp(stamps[-1] + 60_000_000)), [], "a future timestamp")

    seen = []
    while batch := await poll(client, PollingStrategy.Next(), count=7, consumer=2, commit=True):
        seen += texts(batch)
    check_equal(seen, everything, "all by Next with auto-commit")
    await client.send_messages(STREAM, TOPIC, Partitioning.partition_id(0), [SendMessage("one more")])
    check_equal(texts(await poll(client, PollingStrategy.Next(), consumer=2, commit=True)), ["one more"], "Next")
    check_equal(texts(await poll(client, PollingStrategy.Next(), count=2, consumer=3)), everything[:2], "Next, not committed")
    check_equal(texts(await poll(client, PollingStrategy.Next(), count=2, consumer=3)), everything[:2], "Next, still there")
    by_name = await client.poll_messages(
        STREAM, TOPIC, consumer=Consumer.Single("by-name"), polling_strategy=PollingStrategy.Next(), count=4,
        auto_commit=True, partition_id=0)
    check_equal(texts(by_name), everything[:4], "Next by a named consumer")
    default = await client.poll_messages(
        STREAM, TOPIC, consumer=Consumer.Single(4), polling_strategy=PollingStrategy.First(), count=1, auto_commit=False)
    check_equal(texts(default), everything[:1], "a poll without partition reads partition 0")


async def main():
    client = await logged_in()
    await client.create_stream(STREAM)
    await client.create_topic(STREAM, TOPIC, 3)
    await client.create_topic(STREAM, "round", 3)
    await client.create_topic(STREAM, "large", 1)
    await sending(client)
    await polling(client)
    topic = await client.get_topic(STREAM, TOPIC)
    check_equal(topic.messages_count, 21 + 2 + 6, "messages of the topic")
    await client.purge_topic(STREAM, TOPIC)
    check_equal(await poll(client, PollingStrategy.First()), [], "a purged topic")
    sent = await client.send_messages(STREAM, TOPIC, Partitioning.partition_id(0), [SendMessage("again")])
    check_equal(sent.confirmations[0].base_offset, 0, "the first offset after a purge")


run(main)
