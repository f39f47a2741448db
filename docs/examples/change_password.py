"""Changes the password of the user who logs in.

usage: change_password.py HOST:PORT USER OLD NEW
"""

import asyncio
import sys

from apache_iggy import IggyClient


async def main(address, user, old, new):
    client = IggyClient(address)
    await client.connect()
    await client.login_user(user, old)
    await client.change_password(user, old, new)
    print(f"the password of {user} is changed")
    # The client's own threads may abort a process that ends right behind its last answer.
    await asyncio.sleep(0.1)


if len(sys.argv) != 5:
    sys.exit(__doc__)
asyncio.run(main(*sys.argv[1:]))
