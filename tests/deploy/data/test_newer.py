"""The recipe of docs/database.md#newer-postgresql: Debian's PostgreSQL 15 becomes 18."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from hundi.infra.embedded.cluster import wheel_binaries
from tests.deploy.data.recipes import steps
from tests.deploy.data.servers import OwnServer, operators_folder, own_server
from tests.deploy.data.shops import facts, opened, pay, reopened, restarted, seal
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway


@contextmanager
def _newer(old: OwnServer) -> Iterator[OwnServer]:
    """Yield the place of the new server, on the port of the old one."""
    newer = OwnServer(old.folder.with_name("newer"), old.shared, old.port, wheel_binaries())
    newer.prepare()
    try:
        yield newer
    finally:
        newer.stop("immediate")


@pytest.mark.not_on_citus("it is about one server")
def test_the_books_go_on_in_a_newer_postgresql(
    server: MerchantServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with operators_folder() as folder, own_server(folder) as old, _newer(old) as newer:
        old.carry_out(steps("A server of your own"))
        monkeypatch.setenv("HUNDI_DATABASE_URL", old.addresses()["operator"])
        with (
            RunningGateway(folder / "gateway", **old.settings()) as gateway,
            opened(gateway, server, "first") as shop,
            opened(gateway, server, "young") as young,
        ):
            earlier = pay(shop, 4)
            seal(old.addresses()["owner"], gateway.data_dir)
            latest = pay(young, 2)
            before = facts(shop, earlier), facts(young, latest)
        restarted(gateway)

        copy, start, audit = steps("Newer PostgreSQL")
        old.carry_out([copy], NEW=str(newer.programs), NEWDATA=str(newer.data))
        newer.configure()
        newer.carry_out([start])
        given = {"DATA_DIR": str(gateway.data_dir)}
        assert "All promises are kept" in newer.carry_out([audit], **given)
        assert newer.sql("SHOW server_version").startswith("18")

        with RunningGateway(folder / "gateway", **newer.settings()) as gateway:
            with reopened(shop, gateway) as one, reopened(young, gateway) as other:
                assert (facts(one, earlier), facts(other, latest)) == before
                pay(one, 2)
                pay(other, 2)
            seal(newer.addresses()["owner"], gateway.data_dir)
            monkeypatch.setenv("HUNDI_DATABASE_URL", newer.addresses()["audit"])
            assert "unsealed" not in gateway.audit()["notes"]
