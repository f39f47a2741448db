"""What the scenarios share: how they connect, check and end.

A scenario is a program: its first argument is the server's host:port, its exit code is the verdict. It prints which
calls of the client succeeded, so that the test can tell which were never made.
"""
import asyncio
import datetime
import inspect
import os
import sys
import time
import traceback

from apache_iggy import AutoLogin, IggyClient, IggyConsumer, IggyProducer, TcpConfig, TcpReconnectionConfig

ADDRESS = sys.argv[1]
# The reference server predates a few things that the release has.
IS_REFERENCE = "reference" in sys.argv[2:]


def check(holds, text):
    if not holds:
        raise AssertionError(text)


def check_equal(actual, expected, what):
    check(actual == expected, f"{what}: expected {expected!r}, got {actual!r}")


# The objects whose calls are what the client can do.
OWNERS = {IggyClient: "IggyClient", IggyConsumer: "IggyConsumer", IggyProducer: "IggyProducer"}
succeeded = set()


class Watched:
    """Stands in for an object of the client, and takes down which of its calls succeeded."""

    def __init__(self, watched):
        self._watched = watched
        self._owner = OWNERS[type(watched)]

    def __getattr__(self, name):
        call = getattr(self._watched, name)

        def watched_call(*arguments, **options):
            result = call(*arguments, **options)
            if inspect.isawaitable(result):
                return self._ended(name, result)
            return self._note(name, result)

        return watched_call

    async def _ended(self, name, awaitable):
        return self._note(name, await awaitable)

    def _note(self, name, result):
        succeeded.add(f"{self._owner}.{name}")
        return watch(result)

    async def __aenter__(self):
        await self._watched.__aenter__()
        return self

    async def __aexit__(self, *what):
        return await self._watched.__aexit__(*what)


def watch(value):
    return Watched(value) if type(value) in OWNERS else value


async def connected():
    """A client that has connected and not logged in, as its documentation shows it."""
    client = watch(IggyClient(ADDRESS))
    await client.connect()
    return client


async def logged_in():
    return await logged_in_as("iggy", "iggy")


async def logged_in_as(username, password):
    client = await connected()
    await client.login_user(username, password)
    return client


async def self_healing(login=None):
    """A client that logs in by itself whenever it connects, and gives up after a while."""
    client = watch(IggyClient(TcpConfig(
        server_address=ADDRESS,
        auto_login=login or AutoLogin.username_password("iggy", "iggy"),
        reconnection=TcpReconnectionConfig(
            max_retries=300,
            interval=datetime.timedelta(milliseconds=100),
            reestablish_after=datetime.timedelta(milliseconds=100),
        ),
    )))
    await client.connect()
    return client


async def refused(awaitable, what):
    """The text of the error that the awaited call must raise."""
    try:
        await awaitable
    except Exception as error:  # the client raises plain RuntimeError
        return str(error)
    raise AssertionError(f"{what} should have been refused")


async def eventually(expected, question, what):
    """Asks until the expected answer comes, for a quarter of a minute."""
    deadline = time.monotonic() + 15
    while (answer := await question()) != expected:
        check(time.monotonic() < deadline, f"{what}: expected {expected!r}, and it stays {answer!r}")
        await asyncio.sleep(0.02)


def text(message):
    return message.payload().decode()


def scalars(headers):
    return None if headers is None else headers.to_scalar_dict()


def run(main):
    verdict = 0
    try:
        asyncio.run(asyncio.wait_for(main(), 150))
        print("calls:", *sorted(succeeded))
        print("done")
    except BaseException:
        traceback.print_exc()
        verdict = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # The client's own threads now and then abort the process while the interpreter takes itself apart. The scenario is
    # over by then, so its verdict leaves without that.
    os._exit(verdict)
