"""Makes a personal access token, which a program can log in with, and takes it back.

The published client has no call for that, so the commands go by their numbers: 42 creates, 43 deletes.

usage: tokens.py [HOST:PORT [USER PASSWORD]]
"""

import asyncio
import struct
import sys

from apache_iggy import AutoLogin, IggyClient, TcpConfig

CREATE_TOKEN, DELETE_TOKEN = 42, 43
AN_HOUR = 3_600_000_000  # in microseconds; 0 is for ever


async def connect(address, login):
    client = IggyClient(TcpConfig(server_address=address, auto_login=login))
    await client.connect()
    return client


def name(text):
    return bytes([len(text)]) + text.encode()


async def main(address="127.0.0.1:8090", user="iggy", password="iggy"):
    owner = await connect(address, AutoLogin.username_password(user, password))
    answer = await owner.send_binary_request(CREATE_TOKEN, name("nightly-job") + struct.pack("<Q", AN_HOUR))
    # This is the only time that anybody sees the token: the server keeps its hash.
    token = answer[1:].decode()
    print(f"made a token of {len(token)} letters")

    job = await connect(address, AutoLogin.personal_access_token(token))
    print("logged in with it:", (await job.get_user(user)).username)

    await owner.send_binary_request(DELETE_TOKEN, name("nightly-job"))
    print("deleted it; nobody can log in with it any more")
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)


asyncio.run(main(*sys.argv[1:]))
