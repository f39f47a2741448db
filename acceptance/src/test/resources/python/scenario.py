"""What the scenarios share: how they connect, check and end.

A scenario is a program: its first argument is the server's host:port, its exit code is the verdict.
"""
import asyncio
import datetime
import os
import sys
import traceback

from apache_iggy import AutoLogin, IggyClient, TcpConfig, TcpReconnectionConfig

ADDRESS = sys.argv[1]
# The reference server predates a few things that the release has.
IS_REFERENCE = "reference" in sys.argv[2:]


def check(holds, text):
    if not holds:
        raise AssertionError(text)


def check_equal(actual, expected, what):
    check(actual == expected, f"{what}: expected {expected!r}, got {actual!r}")


async def connected():
    """A client that has connected and not logged in, as its documentation shows it."""
    client = IggyClient(ADDRESS)
    await client.connect()
    return client


async def logged_in():
    client = await connected()
    await client.login_user("iggy", "iggy")
    return client


async def self_healing():
    """A client that logs in by itself whenever it connects, and gives up after a while."""
    client = IggyClient(TcpConfig(
        server_address=ADDRESS,
        auto_login=AutoLogin.username_password("iggy", "iggy"),
        reconnection=TcpReconnectionConfig(
            max_retries=300,
            interval=datetime.timedelta(milliseconds=100),
            reestablish_after=datetime.timedelta(milliseconds=100),
        ),
    ))
    await client.connect()
    return client


async def refused(awaitable, what):
    """The text of the error that the awaited call must raise."""
    try:
        await awaitable
    except Exception as error:  # the client raises plain RuntimeError
        return str(error)
    raise AssertionError(f"{what} should have been refused")


def scalars(headers):
    return None if headers is None else headers.to_scalar_dict()


def run(main):
    verdict = 0
    try:
        asyncio.run(asyncio.wait_for(main(), 150))
        print("done")
    except BaseException:
        traceback.print_exc()
        verdict = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # The client's own threads now and then abort the process while the interpreter takes itself apart. The scenario is
    # over by then, so its verdict leaves without that.
    os._exit(verdict)
