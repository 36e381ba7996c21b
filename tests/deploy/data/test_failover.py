"""The recipes of docs/database.md#replica: a replica, promoted by hand or by Patroni under load."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.deploy.data.patroni import patroni_pair
from tests.deploy.data.recipes import steps
from tests.deploy.data.servers import OwnServer, operators_folder, own_server
from tests.deploy.data.shops import opened
from tests.system.endpoint import MerchantServer
from tests.system.losses import lose_under_load
from tests.system.machine import free_port
from tests.system.running import RunningGateway
from tests.system.waiting import until

BY_HAND_S_MAX = 30.0
BY_PATRONI_S_MAX = 90.0
"""The sample gives a lost primary's right to write away after 30 s."""


@contextmanager
def _second(folder: Path) -> Iterator[OwnServer]:
    """Yield the second machine of an operator, which has no data yet."""
    second = OwnServer(folder / "second", folder / "shared", free_port())
    second.prepare()
    try:
        yield second
    finally:
        second.stop("immediate")


@pytest.mark.not_on_citus("it is about one server")
def test_a_replica_takes_the_place_of_a_server_that_is_lost_under_load(
    server: MerchantServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with operators_folder() as folder, own_server(folder) as first, _second(folder) as second:
        first.carry_out(steps("A server of your own"))
        copy, start, wait = steps("A replica")
        second.carry_out([copy])
        second.configure()
        second.carry_out([start])
        first.carry_out([wait])
        assert first.sql("SELECT sync_state FROM pg_stat_replication") == "sync"
        settings = first.settings(second)
        with RunningGateway(folder / "gateway", **settings) as gateway:
            addresses = first.addresses(second)
            monkeypatch.setenv("HUNDI_DATABASE_URL", addresses["operator"])

            def lose() -> None:
                first.kill()
                second.carry_out(steps("Failover by hand"))

            with opened(gateway, server, "steady") as shop:
                lose_under_load(gateway, shop, lose, BY_HAND_S_MAX, capsys)
            monkeypatch.setenv("HUNDI_DATABASE_URL", addresses["audit"])
            gateway.audit()


@pytest.mark.not_on_citus("it is about one server")
def test_a_replica_that_is_away_is_named_by_metrics_and_doctor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each role sees this much: the gateway's reads the metrics, the operator's the findings."""
    with operators_folder() as folder, own_server(folder) as first, _second(folder) as second:
        first.carry_out(steps("A server of your own"))
        with RunningGateway(folder / "gateway", **first.settings()) as gateway:
            monkeypatch.setenv("HUNDI_DATABASE_URL", first.addresses()["operator"])
            assert "standby_none" in _found(gateway)
            assert _standbys(gateway) == {}
            copy, start, wait = steps("A replica")
            second.carry_out([copy])
            second.configure()
            second.carry_out([start])
            first.carry_out([wait])
            assert _standbys(gateway) == {"follows{second}": 1.0, "synchronous": 1.0}
            found = _found(gateway)
            assert found["standby_good"]["about"] == "second"
            assert not found.keys() & {"standby_none", "standby_lost", "commits_wait"}
            second.stop("immediate")
            until(lambda: _standbys(gateway) == {"follows{second}": 0.0, "synchronous": 0.0}, "0")
            found = _found(gateway)
            assert found["standby_lost"]["about"] == "second"
            assert "of the log wait for it" in found["standby_lost"]["seen"]
            assert found["commits_wait"]["level"] == "fault"
            first.sql("ALTER SYSTEM RESET synchronous_standby_names")
            first.sql("SELECT pg_reload_conf()")
            until(lambda: "commits_wait" not in _found(gateway), "commits that wait for nobody")
            first.sql("SELECT pg_drop_replication_slot('second')")
            assert "standby_none" in _found(gateway)


def _found(gateway: RunningGateway) -> dict[str, Any]:
    report = json.loads(gateway.invoke("doctor", "--json").stdout)
    return {each["code"]: each for each in report["findings"]}


def _standbys(gateway: RunningGateway) -> dict[str, float]:
    page = httpx.get(f"{gateway.base_url}/metrics", trust_env=False).text
    pattern = r"(?m)^hundi_(?:standby_)?(follows|synchronous)\w*(.*) (\S+)$"
    return {
        name + label.replace('standby="', "").replace('"', ""): float(value)
        for name, label, value in re.findall(pattern, page)
    }


@pytest.mark.not_on_citus("it is about one server")
def test_patroni_promotes_the_replica_of_a_server_that_is_lost_under_load(
    server: MerchantServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with operators_folder() as folder, patroni_pair(folder) as pair:
        primary = pair.primary
        first, second = pair.servers[primary], pair.servers[1 - primary]
        first.carry_out(steps("A server of your own"))
        with RunningGateway(folder / "gateway", **first.settings(second)) as gateway:
            addresses = first.addresses(second)
            monkeypatch.setenv("HUNDI_DATABASE_URL", addresses["operator"])
            with opened(gateway, server, "steady") as shop:
                lose_under_load(gateway, shop, lambda: pair.lose(primary), BY_PATRONI_S_MAX, capsys)
            monkeypatch.setenv("HUNDI_DATABASE_URL", addresses["audit"])
            gateway.audit()
