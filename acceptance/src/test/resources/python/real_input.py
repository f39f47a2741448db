"""Streams public data, one record a message and in order for each key, and reads it back byte for byte.

The data are the airports and the hourly temperatures of Seattle that the package vega_datasets ships.
"""
import importlib.util
import pathlib
import time
from collections import defaultdict

from apache_iggy import Consumer, Partitioning, PollingStrategy, SendMessage

from scenario import check, check_equal, logged_in, run

PARTITIONS = 4


def records(file):
    package = pathlib.Path(importlib.util.find_spec("vega_datasets").origin).parent
    lines = (package / "_data" / file).read_bytes().split(b"\n")
    return [line for line in lines[1:] if line]


def state_of(airport):
    return airport.split(b",")[-4]


def day_of(temperature):
    return temperature[:10]


async def stream_through(client, topic, lines, key_of):
    await client.create_topic("real", topic, PARTITIONS)
    sent, places = defaultdict(list), {}
    began = time.monotonic()
    for line in lines:
        key = key_of(line)
        sent[key].append(line)
        reply = await client.send_messages("real", topic, Partitioning.messages_key(key), [SendMessage(line)])
        place = reply.confirmations[0].partition_id
        check_equal(places.setdefault(key, place), place, f"the partition of key {key!r}")
    seconds = time.monotonic() - began

    received, counts = defaultdict(list), []
    for partition in range(PARTITIONS):
        offset = 0
        while True:
            batch = await client.poll_messages(
                "real", topic, consumer=Consumer.Single(1), polling_strategy=PollingStrategy.Offset(offset),
                count=700, auto_commit=False, partition_id=partition)
            if not batch:
                break
            for message in batch:
                check_equal(message.offset(), offset, f"an offset in partition {partition}")
                line = bytes(message.payload())
                check_equal(places[key_of(line)], partition, f"the partition of {line!r}")
                received[key_of(line)].append(line)
                offset += 1
        counts.append(offset)
    check_equal(sum(counts), len(lines), "records read back")
    check(all(counts), f"records of each partition: {counts}")
    for key, expected in sent.items():
        check(received[key] == expected, f"the records of key {key!r} came back changed or in another order")
    details = await client.get_topic("real", topic)
    check_equal(details.messages_count, len(lines), "messages that the topic counts")
    check_equal([partition.messages_count for partition in details.partitions], counts, "messages of each partition")
    print(f"{topic}: {len(lines)} records, {len(sent)} keys, partitions {counts}, {len(lines) / seconds:.0f} sends/s")


async def main():
    client = await logged_in()
    await client.create_stream("real")
    await stream_through(client, "airports", records("airports.csv"), state_of)
    await stream_through(client, "temperatures", records("seattle-temps.csv"), day_of)


run(main)
