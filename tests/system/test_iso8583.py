"""A gateway at a bank's own switch.

Cards by telephone, a killed API, a killed worker, and both books at the end.
"""

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.system.bending_proxy import BendingProxy
from tests.system.browser import Browser, Screen
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.machine import clean_environment
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, CARD, Shop, new_order_id

GOOD, NO_FUNDS, SILENT, CUT = (
    "4000120000000008",
    "4000120000000016",
    "4000120000000032",
    "4000120000000099",
)
MAC_KEY = "0123456789ABCDEFFEDCBA9876543210"
BANK_KEY = "a-key-of-the-simulated-bank"
REVERSED_S_MAX = 120.0
"""A worker asks 35 s after the intention at the earliest, and a killed one's lease has to end."""


class Switch:
    """The simulated switch, a process of its own, and what its page says."""

    def __init__(self) -> None:
        command = [
            sys.executable,
            "-m",
            "hundi_testbed.switch",
            "--port",
            "0",
            "--http-port",
            "0",
            "--mac",
            "x9.19",
        ]
        self._process = subprocess.Popen(
            [*command, "--mac-key", MAC_KEY],
            stdout=subprocess.PIPE,
            text=True,
            env=clean_environment(),
        )
        assert self._process.stdout is not None
        found = re.search(r":(\d+), books on (http://\S+)/", self._process.stdout.readline())
        assert found is not None
        self.port = int(found[1])
        self._http = httpx.Client(base_url=found[2], trust_env=False, timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()
        self._process.terminate()
        assert self._process.wait(120) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()

    def books(self) -> dict[str, Any]:
        return self._http.get("/books").raise_for_status().json()

    def of_card(self, number: str) -> list[dict[str, Any]]:
        """Return the entries of a card, by its last digits."""
        return [each for each in self.books()["entries"] if each["last4"] == number[-4:]]

    def reversals(self) -> int:
        """Return how many reversals came over the line, heard or not."""
        return sum(each in {"0400", "0401"} for each in self.books()["heard"])

    def trouble(self, **switched: Any) -> None:
        self._http.post("/trouble", json=switched).raise_for_status()


@pytest.fixture(scope="module")
def switch() -> Iterator[Switch]:
    with Switch() as running:
        yield running


@pytest.fixture(scope="module")
def settings(switch: Switch) -> dict[str, str]:
    """The switch as the acquirer for orders by telephone, in front of the simulated bank."""
    line = {
        "KIND": "iso8583",
        "MODE": "test",
        "HOST": "127.0.0.1",
        "PORT": str(switch.port),
        "TLS": "false",
        "ACQUIRER_ID": "408999",
        "TERMINAL_ID": "HUNDI001",
        "ACCEPTOR_ID": "HUNDI0000000001",
        "ACCEPTOR_NAME": "ASHA HANDLOOMS",
        "CATEGORY": "5651",
        "MAC": "x9.19",
        "MAC_KEY": MAC_KEY,
        "ANSWER_S": "10",
    }
    return {f"HUNDI_ACQUIRERS__BANKSWITCH__{name}": value for name, value in line.items()}


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder, settings: dict[str, str]) -> Iterator[RunningGateway]:
    """A gateway whose first acquirer is the switch.

    Its simulated bank is reached by a proxy, which has an address before.
    """
    folder = new_folder("switched")
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "acquirer_key").write_text(BANK_KEY)
    with BendingProxy() as proxy:
        bank = {"KIND": "sandbox", "URL": proxy.url, "KEY": BANK_KEY}
        both = settings | {
            f"HUNDI_ACQUIRERS__SANDBOX__{name}": value for name, value in bank.items()
        }
        with RunningGateway(folder, **both) as running:
            proxy.target = running.simbank_url
            yield running


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A shop that takes cards by telephone."""
    yield from open_shop(gateway, server, "switched", moto="on")


def typed(shop: Shop, browser: Browser, order_id: str, number: str) -> Screen:
    """Type a card for an order by telephone."""
    screen = shop.open_page(browser, order_id, moto=True)
    return browser.submit(screen.form("/card"), number=number, **CARD)


def test_a_line_is_checked_before_it_takes_money(
    gateway: RunningGateway, settings: dict[str, str]
) -> None:
    check = ("acquirer", "check", "bankswitch", "--json", "--data-dir", str(gateway.data_dir))
    checked = gateway.command(*check, environment=settings)
    assert checked.returncode == 0, checked.stderr
    assert '"echo"' in checked.stdout
    wrong = settings | {
        "HUNDI_ACQUIRERS__BANKSWITCH__MAC_KEY": "F" * 32,
        "HUNDI_ACQUIRERS__BANKSWITCH__ANSWER_S": "0.5",
    }
    refused = gateway.command(*check, environment=wrong)
    assert refused.returncode == 1
    assert "F" * 32 not in refused.stdout + refused.stderr


def test_a_card_by_telephone_is_charged_at_the_switch_and_given_back(
    shop: Shop, switch: Switch, browser: Browser
) -> None:
    order_id = new_order_id()
    assert typed(shop, browser, order_id, GOOD).at == "result"
    told = shop.verify(order_id)
    assert (told.status_code, told.card_number) == (200, "XXXXXXXXXXXX0008")
    (entry,) = [each for each in switch.books()["entries"] if each["rrn"] == told.rrn]
    assert (entry["state"], entry["moved"]) == ("taken", AMOUNT_PAISE)
    (result,) = shop.client.refund(
        [RefundItem(told.transaction_id, amount_paise=50_000)], request_id=new_order_id("R")
    )
    assert result.accepted
    shop.hears_event(order_id, "refund_done")
    (entry,) = [each for each in switch.books()["entries"] if each["rrn"] == told.rrn]
    assert entry["refunded"] == 50_000


def test_the_switchs_no_is_the_customers_reason(shop: Shop, browser: Browser) -> None:
    back = typed(shop, browser, new_order_id(), NO_FUNDS)
    assert "There was not enough money in the account." in back.text


def test_a_cut_line_is_reversed_and_the_customer_may_try_again(
    shop: Shop, switch: Switch, browser: Browser
) -> None:
    order_id = new_order_id()
    back = typed(shop, browser, order_id, CUT)
    assert switch.of_card(CUT)[-1]["state"] == "reversed"
    assert browser.submit(back.form("/card"), number=GOOD, **CARD).at == "result"
    assert shop.verify(order_id).status_code == 200


def test_a_charge_of_a_killed_api_is_reversed_by_a_killed_worker(
    gateway: RunningGateway, shop: Shop, switch: Switch, browser: Browser
) -> None:
    """The API dies between question and answer, the worker between the reversal and its answer.

    Nothing stays charged.
    """
    order_id = new_order_id()
    screen = shop.open_page(browser, order_id, moto=True)
    switch.trouble(deaf=True)
    before = switch.reversals()

    def pays() -> None:
        with contextlib.suppress(httpx.HTTPError):
            browser.submit(screen.form("/card"), number=SILENT, **CARD)

    with ThreadPoolExecutor(1) as customer:
        paying = customer.submit(pays)
        until(lambda: switch.of_card(SILENT), "the charge at the switch")
        for each in gateway.part("api"):
            with contextlib.suppress(Exception):
                each.kill()
        paying.result(30)
    assert switch.of_card(SILENT)[0]["moved"] == AMOUNT_PAISE
    until(lambda: switch.reversals() > before, "a reversal of the worker", within_s=REVERSED_S_MAX)
    assert switch.of_card(SILENT)[0]["state"] == "taken", "nobody has heard it"
    (worker,) = gateway.part("worker")
    worker.kill()
    switch.trouble(deaf=False)
    until(
        lambda: switch.of_card(SILENT)[0]["state"] == "reversed",
        "the reversal",
        within_s=REVERSED_S_MAX,
        every_s=0.3,
    )
    until(gateway.is_ready, "the API to be back")
    assert switch.books()["heard"].count("0401") == 1, (
        "the second worker repeats what the first one sent"
    )
    assert shop.declined(order_id, "68").bank_code == "68"


def test_the_books_of_both_sides_agree_at_the_end(gateway: RunningGateway, switch: Switch) -> None:
    ours = {
        row["rrn"]: row["received_paise"]
        for row in gateway.rows(
            "SELECT rrn, received_paise FROM attempts WHERE connector = 'bankswitch' AND state ="
            " 'paid'"
        )
    }
    books = switch.books()
    charged = {
        each["rrn"]: each["moved"]
        for each in books["entries"]
        if each["kind"] == "purchase" and each["moved"]
    }
    assert ours == charged
    back = gateway.value(
        "SELECT sum(amount_paise) FROM refunds WHERE connector = 'bankswitch' AND state = 'done'"
    )
    assert books["net_paise"] == sum(ours.values()) - back
    assert not gateway.value(
        "SELECT count(*) FROM attempts WHERE connector = 'bankswitch' AND state IN ('sent',"
        " 'pending')"
    )
    audited = gateway.invoke("audit", "--json", "--without-acquirer", "bankswitch")
    assert audited.exit_code == 0, audited.output
    assert "4000120000000" not in gateway.logged(), "no card is in a log"
