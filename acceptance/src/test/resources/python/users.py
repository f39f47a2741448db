"""Users, their passwords, what they may do, and a token made by number, since the client has no call for it."""
import struct

from apache_iggy import (
    AutoLogin, Consumer, GlobalPermissions, Partitioning, Permissions, PollingStrategy, SendMessage, StreamPermissions,
    TopicPermissions, UserStatus,
)

from scenario import check, check_equal, connected, logged_in, logged_in_as, refused, run, self_healing

CREATE_TOKEN, LIST_TOKENS, DELETE_TOKEN = 42, 41, 43
EVERYTHING = GlobalPermissions(
    manage_servers=True, read_servers=True, manage_users=True, read_users=True, manage_streams=True, read_streams=True,
    manage_topics=True, read_topics=True, poll_messages=True, send_messages=True)


async def must_not_log_in(username, password, why):
    await refused((await connected()).login_user(username, password), why)


async def accounts(root):
    created = await root.create_user("python-ada", "secret-1")
    told = (created.username, created.status, created.permissions)
    check_equal(told, ("python-ada", UserStatus.Active, None), "a user")
    check(created.created_at > 0, "a user has a time")
    await refused(root.create_user("python-ada", "secret-2"), "a second user of one name")
    names = {user.username: user.id for user in await root.get_users()}
    check_equal(names.get("python-ada"), created.id, "the user in the list")
    check_equal(names.get("iggy"), 0, "the root user in the list")
    check_equal((await root.get_user(created.id)).username, "python-ada", "the user by number")
    check_equal((await root.get_user("python-ada")).id, created.id, "the user by name")
    check_equal(await root.get_user("nobody-here"), None, "a missing user")

    ada = await logged_in_as("python-ada", "secret-1")
    check_equal((await ada.get_user("python-ada")).id, created.id, "the own record")
    await refused(ada.get_users(), "a list of users without a right")
    await refused(ada.create_user("python-eve", "secret-1"), "a new user without a right")

    await root.update_user("python-ada", username="python-countess")
    check_equal(await root.get_user("python-ada"), None, "a user under its old name")
    await must_not_log_in("python-ada", "secret-1", "a login under an old name")
    await refused(root.update_user("python-countess", options={"colour": "red"}), "an option of a user")
    await root.update_user("python-countess", status=UserStatus.Inactive)
    check_equal((await root.get_user("python-countess")).status, UserStatus.Inactive, "the status")
    await must_not_log_in("python-countess", "secret-1", "a login of an inactive user")
    await root.update_user("python-countess", status=UserStatus.Active)
    await logged_in_as("python-countess", "secret-1")

    countess = await logged_in_as("python-countess", "secret-1")
    await refused(countess.change_password("python-countess", "wrong", "secret-2"), "a wrong old password")
    await countess.change_password("python-countess", "secret-1", "secret-2")
    await must_not_log_in("python-countess", "secret-1", "an old password")
    await root.change_password("python-countess", "secret-2", "secret-3")
    await logged_in_as("python-countess", "secret-3")
    await refused(countess.change_password("iggy", "iggy", "hers"), "the password of another user")

    await root.delete_user("python-countess")
    check_equal(await root.get_user("python-countess"), None, "a deleted user")
    await must_not_log_in("python-countess", "secret-3", "a login of a deleted user")
    await refused(root.delete_user("python-countess"), "a second deletion")
    await refused(root.delete_user("iggy"), "deleting the root user")


async def permissions(root):
    await root.create_stream("python-permitted")
    await root.create_topic("python-permitted", "open", 1)
    await root.create_topic("python-permitted", "closed", 1)
    stream = (await root.get_stream("python-permitted")).id
    topic = (await root.get_topic("python-permitted", "open")).id
    await root.send_messages("python-permitted", "open", Partitioning.partition_id(0), [SendMessage("one")])
    reader = Permissions(streams={stream: StreamPermissions(topics={topic: TopicPermissions(poll_messages=True)})})
    created = await root.create_user("python-lin", "secret-1", UserStatus.Active, reader)
    check_equal(created.permissions, reader, "the permissions that were given")
    lin = await logged_in_as("python-lin", "secret-1")

    def poll(name):
        return lin.poll_messages(
            "python-permitted", name, consumer=Consumer.Single(1), polling_strategy=PollingStrategy.First(), count=10,
            auto_commit=False, partition_id=0)

    def send(name):
        return lin.send_messages("python-permitted", name, Partitioning.partition_id(0), [SendMessage("from lin")])

    check_equal(len(await poll("open")), 1, "a permitted poll")
    await refused(poll("closed"), "a poll of another topic")
    await refused(send("open"), "a send without a right")
    await refused(lin.get_stats(), "statistics without a right")
    await refused(lin.create_stream("by-lin"), "a new stream without a right")

    writer = Permissions(GlobalPermissions(send_messages=True))
    await root.update_permissions("python-lin", writer)
    check_equal((await root.get_user("python-lin")).permissions, writer, "permissions are replaced as a whole")
    await send("open")
    await send("closed")
    await refused(poll("open"), "a poll after the right was taken")
    await root.update_permissions("python-lin", Permissions(EVERYTHING))
    await poll("closed")
    await lin.get_stats()
    await lin.create_stream("by-lin")
    await lin.delete_stream("by-lin")
    await root.update_permissions("python-lin", None)
    await refused(send("open"), "a send after all rights were taken")
    await root.delete_user("python-lin")
    await root.delete_stream("python-permitted")
    check_equal((await root.get_user("iggy")).permissions.global_permissions, EVERYTHING, "the root user's permissions")
    await refused(root.update_permissions("iggy", None), "taking rights from the root user")


async def tokens(root):
    await root.create_user("python-owner", "secret-1")
    owner = await logged_in_as("python-owner", "secret-1")
    name = b"\x05first"
    answer = await owner.send_binary_request(CREATE_TOKEN, name + struct.pack("<Q", 0))
    check_equal((len(answer), answer[0]), (69, 68), "the length of a token")
    token = answer[1:].decode()
    check_equal(await owner.send_binary_request(LIST_TOKENS, b""), name + struct.pack("<Q", 0), "the list of tokens")
    with_token = await self_healing(AutoLogin.personal_access_token(token))
    check_equal((await with_token.get_user("python-owner")).username, "python-owner", "the user of a token")
    await refused(with_token.get_users(), "the token gives no more than its owner has")
    await owner.send_binary_request(DELETE_TOKEN, name)
    check_equal(await owner.send_binary_request(LIST_TOKENS, b""), b"", "the list of tokens after the deletion")
    await refused(owner.send_binary_request(DELETE_TOKEN, name), "a second deletion")
    await root.delete_user("python-owner")


async def main():
    root = await logged_in()
    await accounts(root)
    await permissions(root)
    await tokens(root)


run(main)
