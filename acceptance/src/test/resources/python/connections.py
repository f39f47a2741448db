"""Ways to connect and log in, and what a connection does when it is refused."""
import datetime

from apache_iggy import AutoLogin, IggyClient, TcpConfig

from scenario import ADDRESS, check, check_equal, connected, refused, run, succeeded, watch


async def main():
    address = f"iggy+tcp://iggy:iggy@{ADDRESS}?heartbeat_interval=1s&nodelay=true"
    by_string = watch(IggyClient.from_connection_string(address))
    succeeded.add("IggyClient.from_connection_string")
    await by_string.connect()
    stats = await by_string.get_stats()
    check(stats.process_id > 0 and stats.memory_usage > 0 and stats.threads_count > 0, "statistics of the process")
    check(stats.total_memory >= stats.available_memory > 0, "the memory of the machine")
    check(stats.total_disk_space > stats.free_disk_space > 0, "the disk of the machine")
    check(stats.hostname and stats.os_name and stats.kernel_version and stats.iggy_server_version, "names")
    check_equal(stats.cache_metrics, {}, "cache metrics")

    for text in ("iggy://", "nonsense", f"iggy+carrier-pigeon://iggy:iggy@{ADDRESS}"):
        try:
            IggyClient.from_connection_string(text)
        except Exception:
            continue
        raise AssertionError(f"{text} should have been refused")

    config = TcpConfig(
        server_address=ADDRESS, auto_login=AutoLogin.username_password("iggy", "iggy"),
        heartbeat_interval=datetime.timedelta(seconds=2), nodelay=True)
    by_config = watch(IggyClient(config))
    await by_config.connect()
    check(len(await by_config.get_streams()) >= 0, "streams")
    login = AutoLogin.username_password("iggy", "wrong")
    wrong = watch(IggyClient(TcpConfig(server_address=ADDRESS, auto_login=login)))
    await refused(wrong.connect(), "an automatic login with a wrong password")

    silent = watch(IggyClient(TcpConfig(server_address=ADDRESS, auto_login=AutoLogin.disabled())))
    await silent.connect()
    await silent.ping()
    await refused(silent.get_streams(), "a command before the login")
    await silent.login_user("iggy", "iggy")
    await silent.get_streams()
    await silent.logout_user()
    await refused(silent.get_streams(), "a command after the logout")
    await refused((await connected()).send_binary_request(38, b""), "a login by number")


run(main)
