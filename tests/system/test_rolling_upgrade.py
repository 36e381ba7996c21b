"""The upgrade of docs/database.md: processes are replaced one by one while customers pay by HTTP.

The code of a release serves at first; every payment that it acknowledged is there afterwards.
"""

import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.command_output import read_json
from tests.conftest import NewFolder
from tests.released.folders import facts_of
from tests.released.trees import behind, take_out
from tests.system.acknowledged import Facts, told_paid, verified
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, Customer, customers
from tests.system.endpoint import MerchantServer
from tests.system.machine import last_word
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tools.release.run import ROOT

WIDTH = 4
"""Customers at once."""
MORE = 8
"""Payments that are acknowledged in each phase before the next begins."""
PARTS = ("api", "worker", "simbank")
REVISION = "SELECT revision FROM schema_version"


class InstalledGateway(RunningGateway):
    """A gateway whose processes load the code that a link names, as an installed package."""

    def __init__(self, folder: Path, code: Path) -> None:
        """Start it with two processes that serve."""
        self._code = {"PYTHONPATH": f"{code / 'src'}:{code / 'testbed'}"}
        super().__init__(folder, "--workers", "2", prepared=False, **self._code)

    def operate(self, noun: str, *arguments: str, status: int = 0, text: str = "") -> Any:
        """Carry out a command of the installed code."""
        given = (noun, *arguments, "--json", "--data-dir", str(self.data_dir))
        ended = self.command(*given, environment=self._code, text=text)
        assert ended.returncode == status, ended.stderr
        self.catch_up()
        return read_json(ended.stdout)

    def children(self) -> list[psutil.Process]:
        """Return the processes of all parts."""
        return [each for part in PARTS for each in self.part(part)]

    def replace_one_by_one(self) -> None:
        """End each process as a service manager does, and wait for the one after it."""
        for old in self.children():
            part, before = last_word(old), {each.pid for each in self.part(last_word(old))}
            old.terminate()
            old.wait(60)
            until(
                lambda part=part, before=before: (
                    {each.pid for each in self.part(part)} - before and self.is_ready()
                ),
                f"a new {part}",
            )


@dataclass
class Traffic:
    """Customers who come one after the other until they are told to stop."""

    shop: Shop
    crowd: list[Customer] = field(default_factory=list)

    @contextmanager
    def flowing(self) -> Iterator[None]:
        """Let them pay until the block ends; raise what any of them raises."""
        over = threading.Event()

        def pay(number: int) -> None:
            while not over.is_set():
                (customer,) = customers(self.shop, 1, (BY_UPI, BY_CARD)[number % 2 :])
                self.crowd.append(customer)
                customer.pay()

        with ThreadPoolExecutor(WIDTH) as pool:
            paying = [pool.submit(pay, number) for number in range(WIDTH)]
            try:
                yield
            finally:
                over.set()
            for each in paying:
                each.result()

    def acknowledged(self) -> list[str]:
        """Return the orders of which the shop was told that they are paid."""
        return told_paid(self.shop, [each.order_id for each in self.crowd])

    def more(self, when: str) -> Mapping[str, Facts]:
        """Wait until some more are acknowledged, and return what verify says of those."""
        before = set(self.acknowledged())
        until(lambda: len(set(self.acknowledged()) - before) >= MORE, f"payments to go on {when}")
        return verified(self.shop, set(self.acknowledged()) - before)


def test_some_release_is_behind() -> None:
    """Without one the tests of upgrades would look at nothing."""
    assert behind(), "no release has an older schema: keep one that has (tests/released)"


@pytest.mark.not_on_citus("the old code makes its own embedded database")
def test_processes_are_replaced_one_by_one_while_customers_pay(
    new_folder: NewFolder, server: MerchantServer, capsys: pytest.CaptureFixture[str]
) -> None:
    release, folder = behind()[-1], new_folder("rolling")
    folder.mkdir(parents=True, exist_ok=True)
    installed = folder / "installed"
    installed.symlink_to(take_out(release, folder / "old"))
    with InstalledGateway(folder, installed) as gateway:
        assert gateway.value(REVISION) == max(facts_of(release)["versions"]), "the old code's own"
        for shop in open_shop(gateway, server, "rolling"):
            traffic, told = Traffic(shop), {}
            with traffic.flowing():
                told["by old processes, on the old schema"] = traffic.more("at first")
                old = {each.pid for each in gateway.children()}
                # The files of the new version are there; the processes are still the old ones.
                installed.unlink()
                installed.symlink_to(ROOT)
                gateway.hundi("migrate")
                assert gateway.value(REVISION) > max(facts_of(release)["versions"])
                told["by old processes, on the new schema"] = traffic.more("after `migrate`")
                assert {each.pid for each in gateway.children()} == old
                gateway.replace_one_by_one()
                assert not old & {each.pid for each in gateway.children()}
                told["by new processes"] = traffic.more("after the change")
            for each in traffic.crowd:
                each.ends()
            before = {order_id: one for facts in told.values() for order_id, one in facts.items()}
            assert verified(shop, before) == before
            assert sorted(traffic.acknowledged()) == sorted(each.order_id for each in traffic.crowd)
            tries = sum(len(each.broken) for each in traffic.crowd)
            with capsys.disabled():
                sys.stdout.write(
                    f"\n{release}: {len(traffic.crowd)} payments, of which were acknowledged "
                    + ", ".join(f"{len(facts)} {when}" for when, facts in told.items())
                    + f"; all are there; tries that were repeated: {tries}\n"
                )
        gateway.audit()
