"""Connect, a refused login, a login, streams and topics with options, and what the server tells about itself."""
import datetime

from apache_iggy import Durability, IggyExpiry, MaxTopicSize

from scenario import IS_REFERENCE, check, check_equal, connected, refused, run, scalars

TOPIC_OPTIONS = [
    "compression_algorithm", "message_expiry", "max_topic_size", "segment_size", "durability",
    "consumer_offset_durability", "messages_required_to_save", "size_of_messages_required_to_save",
    "preallocate_segments",
]


async def main():
    client = await connected()
    await client.ping()
    text = await refused(client.login_user("iggy", "wrong"), "a wrong password")
    check("credential" in text.lower(), f"a wrong password was refused with {text!r}")
    await client.login_user("iggy", "iggy")
    await client.ping()

    described = {spec.key: spec for spec in await client.describe_options("topic")}
    check_equal(described["segment_size"].default_value.value, 1 << 30, "the default of segment_size")
    if not IS_REFERENCE:
        check_equal(list(described), TOPIC_OPTIONS, "the described options")
    check_equal(await client.describe_options("stream"), [], "stream options")
    check_equal(await client.describe_options("user"), [], "user options")

    await client.create_stream("first-steps")
    text = await refused(client.create_stream("first-steps"), "a second stream of one name")
    check("exist" in text.lower(), f"a second stream of one name was refused with {text!r}")
    stream = await client.get_stream("first-steps")
    check_equal((stream.name, stream.topics_count, stream.messages_count), ("first-steps", 0, 0), "the stream")
    check_equal((await client.get_stream(stream.id)).name, "first-steps", "the stream by number")
    check_equal(await client.get_stream("no-such-stream"), None, "a missing stream")

    await client.create_topic("first-steps", "plain", 3)
    plain = await client.get_topic("first-steps", "plain")
    check_equal(plain.partitions_count, 3, "partitions")
    check_equal([partition.id for partition in plain.partitions], [0, 1, 2], "partition ids")
    check_equal([partition.messages_count for partition in plain.partitions], [0, 0, 0], "messages")
    if not IS_REFERENCE:
        check_equal(scalars(plain.options)["durability"], "replicated", "the durability of a plain topic")
    check_equal(scalars(plain.derived_options)["segment_size"], 1 << 30, "the segment size of a plain topic")

    await client.create_topic(
        "first-steps", "rich", 1,
        compression_algorithm="gzip",
        message_expiry=IggyExpiry.ExpireDuration(datetime.timedelta(hours=1)),
        segment_size=2 << 20,
        durability=Durability.PERSISTED,
        consumer_offset_durability=Durability.PERSISTED,
        messages_required_to_save=10,
        size_of_messages_required_to_save=4096,
        preallocate_segments=False,
    )
    rich = await client.get_topic("first-steps", "rich")
    options = scalars(rich.options)
    if not IS_REFERENCE:
        check_equal(options["durability"], "persisted", "durability")
        check_equal(options["consumer_offset_durability"], "persisted", "consumer_offset_durability")
    check_equal(options["segment_size"], 2 << 20, "segment_size")
    check_equal(options["messages_required_to_save"], 10, "messages_required_to_save")
    check_equal(options["size_of_messages_required_to_save"], 4096, "size_of_messages_required_to_save")
    check_equal(options["message_expiry"], 3_600_000_000, "message_expiry")
    check_equal(rich.compression_algorithm.lower(), "gzip", "compression")

    text = await refused(
        client.create_topic("first-steps", "odd", 1, options={"no_such_option": "1"}), "an unknown option")
    print("unknown option:", text)
    text = await refused(
        client.create_topic("first-steps", "small", 1, max_topic_size=MaxTopicSize.Custom(1 << 20)),
        "a topic that is smaller than a segment")
    print("too small a topic:", text)
    check_equal(
        sorted(topic.name for topic in await client.get_topics("first-steps")), ["plain", "rich"], "topics")
    check_equal(await client.get_topic("first-steps", "no-such-topic"), None, "a missing topic")

    await client.create_partitions("first-steps", "plain", 2)
    check_equal((await client.get_topic("first-steps", "plain")).partitions_count, 5, "partitions after creation")
    await client.delete_partitions("first-steps", "plain", 1)
    check_equal((await client.get_topic("first-steps", "plain")).partitions_count, 4, "partitions after deletion")
    await client.update_topic("first-steps", "rich", "richer", compression_algorithm="none")
    check_equal(await client.get_topic("first-steps", "rich"), None, "a topic under its old name")
    check_equal((await client.get_topic("first-steps", "richer")).id, rich.id, "the renamed topic")
    await client.update_stream("first-steps", "second-steps")
    check_equal((await client.get_stream("second-steps")).id, stream.id, "the renamed stream")

    stats = await client.get_stats()
    check(stats.streams_count >= 1 and stats.topics_count >= 2, f"stats tell {stats.streams_count} streams")
    check(stats.partitions_count >= 5, f"stats tell {stats.partitions_count} partitions")
    check(len(stats.iggy_server_version) > 0, "stats tell no server version")

    await client.purge_topic("second-steps", "richer")
    await client.delete_topic("second-steps", "richer")
    check_equal((await client.get_stream("second-steps")).topics_count, 1, "topics after deletion")
    await client.purge_stream("second-steps")
    await client.delete_stream("second-steps")
    check_equal(await client.get_stream("second-steps"), None, "a deleted stream")

    await client.logout_user()
    await client.login_user("iggy", "iggy")
    await client.ping()


run(main)
