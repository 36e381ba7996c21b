"""Several servers in one address.

The first that takes writes is found, also beside one that is silent or away.
"""

import asyncio
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hundi.infra.embedded.roles import password_of
from hundi.infra.embedded.server import Listening, start
from hundi.infra.postgres.connecting import connect_to_one, servers
from hundi.infra.postgres.database import DatabaseUnreachableError, open_database
from hundi.infra.postgres.roles import DatabaseRole
from tests.loop_clock import LoopClock
from tests.patience import PATIENCE_S
from tests.system.machine import free_port

TIMEOUT_S = 2 * PATIENCE_S


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[str, str]]:
    """A listening server's address, and the prefix of an address for the gateway's role."""
    port = free_port()
    folder = Path(tempfile.mkdtemp(prefix="hundi-test-"))
    try:
        listening = Listening("127.0.0.1", port, ("127.0.0.1/32",))
        with start(folder, databases=("hundi",), listening=listening, options={"fsync": "off"}):
            password = password_of(folder, DatabaseRole.GATEWAY)
            yield f"127.0.0.1:{port}", f"postgresql://{DatabaseRole.GATEWAY}:{password}@"
    finally:
        shutil.rmtree(folder)


def test_one_server_is_asked_as_it_is_named() -> None:
    for url in ("postgresql://u:p@h:1/d", "postgresql://u@/d?host=/a,b", "postgresql:///d"):
        assert servers(url) == [url]


def test_each_of_several_is_asked_for_one_that_takes_writes() -> None:
    found = servers("postgresql://u:p%40@a:1,b/d?ssl=disable")
    query = "target_session_attrs=read-write&ssl=disable"
    assert found == [f"postgresql://u:p%40@a:1/d?{query}", f"postgresql://u:p%40@b/d?{query}"]
    assert (
        servers("postgresql://a,b/d?target_session_attrs=any")[1]
        == "postgresql://b/d?target_session_attrs=any"
    )


async def test_a_silent_server_is_passed_by_and_asked_last_afterwards(
    running: tuple[str, str],
) -> None:
    place, start_of = running
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        silent.settimeout(0)
        url, clock = f"{start_of}127.0.0.1:{silent.getsockname()[1]},{place}/hundi", LoopClock()
        connecting = asyncio.create_task(connect_to_one(url, timeout_s=TIMEOUT_S))
        asked, _ = await asyncio.get_running_loop().sock_accept(silent)
        clock.move_on(TIMEOUT_S / 2)
        for connection in (await connecting, await connect_to_one(url, timeout_s=TIMEOUT_S)):
            assert await connection.fetchval("select current_user::text") == DatabaseRole.GATEWAY
            await connection.close()
        asked.close()
        with pytest.raises(BlockingIOError):
            silent.accept()


async def test_a_server_that_is_away_is_passed_by_and_none_at_all_is_told(
    running: tuple[str, str],
) -> None:
    place, start_of = running
    async with await open_database(f"{start_of}127.0.0.1:1,{place}/hundi") as database:
        assert await database.fetchval("select 1") == 1
    with pytest.raises(DatabaseUnreachableError) as told:
        await open_database(f"{start_of}127.0.0.1:1,127.0.0.1:2/hundi")
    assert start_of.rpartition(":")[2].removesuffix("@") not in str(told.value)
