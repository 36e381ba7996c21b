"""The recipe of docs/database.md#two-machines, on two network addresses of this machine.

Each server listens at its own address alone, at the same port, as on two machines.
"""

import asyncio

import asyncpg
import pytest

from tests.deploy.data.recipes import steps
from tests.deploy.data.servers import OwnServer, operators_folder, own_server
from tests.deploy.data.shops import opened
from tests.system.endpoint import MerchantServer
from tests.system.losses import lose_under_load
from tests.system.running import RunningGateway

FIRST, SECOND = "127.0.0.1", "127.0.0.2"
BY_HAND_S_MAX = 30.0
LOCAL = "local all postgres trust\nlocal replication postgres trust\n"
"""Nobody comes over the network but by lines of the page."""


def places(server: OwnServer, here: str) -> dict[str, str]:
    """Return what the page asks to set on a machine."""
    return {
        "FIRST": FIRST,
        "SECOND": SECOND,
        "CLIENTS": f"{FIRST} {SECOND}",
        "HERE": here,
        "SETTINGS": str(server.data / "postgresql.conf"),
        "HBA": str(server.data / "pg_hba.conf"),
    }


async def refusal(url: str) -> str:
    """Return why a server lets nobody in."""
    with pytest.raises(asyncpg.PostgresError) as refused:
        await asyncpg.connect(url)
    return str(refused.value)


@pytest.mark.not_on_citus("it is about one server")
def test_a_second_machine_takes_over_by_the_network(
    server: MerchantServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with operators_folder() as folder, own_server(folder) as first:
        second = OwnServer(folder / "second", folder / "shared", first.port)
        second.prepare()
        certificates, network, addresses = steps("Two machines")
        copy, start, wait = steps("A replica")
        try:
            first.carry_out(steps("A server of your own"))
            (first.data / "pg_hba.conf").write_text(LOCAL)
            there = places(first, FIRST)
            first.carry_out([certificates, network], **there)
            first.stop()
            first.start()
            first.carry_out([addresses], **there)
            second.carry_out([copy])
            second.configure()
            (second.data / "pg_hba.conf").write_text(LOCAL)
            second.carry_out([network], **places(second, SECOND))
            second.carry_out([start])
            first.carry_out([wait])
            assert first.sql("SELECT sync_state FROM pg_stat_replication") == "sync"
            assert second.sql("SHOW listen_addresses") == SECOND
            whom = first.addresses()
            in_clear = whom["gateway"].replace("verify-full", "disable")
            assert "no encryption" in asyncio.run(refusal(in_clear))
            with RunningGateway(folder / "gateway", **first.settings()) as gateway:
                monkeypatch.setenv("HUNDI_DATABASE_URL", whom["operator"])

                def lose() -> None:
                    first.kill()
                    second.carry_out(steps("Failover by hand"))

                with opened(gateway, server, "networked") as shop:
                    lose_under_load(gateway, shop, lose, BY_HAND_S_MAX, capsys)
                monkeypatch.setenv("HUNDI_DATABASE_URL", whom["audit"])
                gateway.audit()
        finally:
            second.stop("immediate")
