"""Routing through the running gateway.

Rules, failover where nothing was taken, none where something may have been.
"""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.system.bank_redirects import NB, go, pay_there
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import PAID_POSTING, Shop, new_order_id, pay_card, settled

BUSY, BANK = "busy", "sandbox"
PLAN = """
[[rules]]
name = "hdfc-first-at-busy"
when = { channels = ["nb"], banks = ["HDFC"] }
use = [{ acquirer = "busy" }]
then = ["sandbox"]

[[rules]]
name = "large-cards-at-busy"
when = { channels = ["pg"], networks = ["Visa"], above_paise = 100000 }
use = [{ acquirer = "busy" }]
then = ["sandbox"]

[[costs]]
acquirer = "busy"
channel = "nb"
fixed_paise = 1000
"""


class BusyAcquirer:
    """An acquirer that turns every call away, or takes each and says nothing."""

    def __init__(self) -> None:
        self.called: Counter[str] = Counter()
        self.silent = False
        self._over = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.do_GET()

            def do_GET(self) -> None:
                outer.called[self.path] += 1
                if outer.silent:
                    outer._over.wait(30)
                    return
                self.send_response(429)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def asked(self, path: str) -> int:
        """Return how many calls came to an address."""
        return self.called[path]

    def close(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def busy() -> Iterator[BusyAcquirer]:
    acquirer = BusyAcquirer()
    yield acquirer
    acquirer.close()


@pytest.fixture(scope="module")
def fork(new_folder: NewFolder, busy: BusyAcquirer) -> Iterator[RunningGateway]:
    """A gateway with the simulated bank, and an account at an acquirer that is busy.

    A plan is in force.
    """
    folder = new_folder("routing")
    with RunningGateway(folder) as running:
        running.operate(
            "acquirer", "add", BUSY, "sandbox", text=json.dumps({"url": busy.url, "key": "k" * 40})
        )
        file = folder / "plan.toml"
        file.write_text(PLAN)
        told = running.operate("route", "set", str(file), "--by", "asha")
        assert told == {"version": 1, "rules": 2, "warnings": 0}
        yield running
        busy.silent = False
        assert running.operate("audit", "--without-acquirer", BUSY)["holds"]


@pytest.fixture(scope="module")
def mall(fork: RunningGateway, server: MerchantServer, busy: BusyAcquirer) -> Iterator[Shop]:
    for shop in open_shop(fork, server, "fork", channels="upi_pg_nb"):
        with Browser() as browser:

            def taken_up() -> bool:
                shop.open_page(browser, new_order_id())
                return bool(busy.called)

            until(taken_up, "the account to be taken up: its banks are asked for", every_s=0.5)
        yield shop


def story(shop: Shop, order_id: str) -> dict[str, Any]:
    return shop.gateway.operate("payment", "show", shop.merchant.merchant_id, order_id)


def made_at(shop: Shop, order_id: str, method: str) -> list[tuple[str, str]]:
    return [
        (each["connector"], each["state"])
        for each in shop.attempts(order_id)
        if each["method"] == method
    ]


def test_what_an_acquirer_turns_away_is_paid_at_the_next_one_and_once(
    fork: RunningGateway, mall: Shop, browser: Browser, busy: BusyAcquirer
) -> None:
    order_id = new_order_id()
    at_bank = go(browser, mall.open_page(browser, order_id), NB)
    assert busy.called, "the first acquirer was asked"
    settled(browser, pay_there(browser, at_bank, NB))
    assert mall.becomes(order_id, 200).is_paid
    assert made_at(mall, order_id, "netbanking") == [(BUSY, "failed"), (BANK, "paid")]
    references = [
        each["reference"]
        for each in story(mall, order_id)["attempts"]
        if each["method"] == "netbanking"
    ]
    assert [len(fork.bank_entries(each)) for each in references] == [0, 1], "one debit"
    posted = fork.rows(
        "SELECT g.kind, g.debit, g.credit, g.amount_paise FROM ledger_postings g JOIN attempts a"
        " ON a.merchant_id = g.merchant_id AND a.attempt_id = g.cause_id JOIN payments p"
        " ON p.merchant_id = a.merchant_id AND p.payment_id = a.payment_id WHERE p.order_id = $1",
        order_id,
    )
    assert [tuple(each.values()) for each in posted] == PAID_POSTING


def test_the_story_tells_why(mall: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    go(browser, mall.open_page(browser, order_id), NB)
    first, second = story(mall, order_id)["routing"]
    assert (first["acquirer"], first["plan"], first["rule"], first["instead_of"]) == (
        BUSY,
        1,
        "hdfc-first-at-busy",
        "",
    )
    assert (second["acquirer"], second["rule"], second["instead_of"]) == (
        BANK,
        "hdfc-first-at-busy",
        first["reference"],
    )


def test_another_bank_takes_the_configured_order(mall: Shop, browser: Browser) -> None:
    order_id = new_order_id()
    go(browser, mall.open_page(browser, order_id), NB, "ICIC")
    assert made_at(mall, order_id, "netbanking") == [(BANK, "authenticating")]
    assert story(mall, order_id)["routing"] == []


@pytest.mark.parametrize(("paise", "at"), [(100_000, [BANK]), (100_001, [BUSY, BANK])])
def test_an_amount_decides_and_a_card_is_charged_once(
    mall: Shop, browser: Browser, paise: int, at: list[str]
) -> None:
    order_id = new_order_id()
    pay_card(browser, mall.open_page(browser, order_id, paise))
    assert mall.becomes(order_id, 200, paise).is_paid
    assert [name for name, _ in made_at(mall, order_id, "card")] == at
    # It is given back where it was paid.
    (result,) = mall.client.refund(
        [RefundItem(mall.verify(order_id, paise).transaction_id)], request_id=new_order_id("R")
    )
    assert result.accepted
    done = (
        "SELECT count(*) FROM refunds WHERE merchant_id = $1 AND refund_id = $2 AND state = 'done'"
    )
    until(
        lambda: mall.gateway.value(done, mall.merchant.number, int(result.refund_id)), "the refund"
    )


def test_silence_after_the_call_was_sent_goes_nowhere_else(
    mall: Shop, browser: Browser, busy: BusyAcquirer
) -> None:
    order_id = new_order_id()
    screen = mall.open_page(browser, order_id)
    busy.silent = True
    try:
        after = go(browser, screen, NB)
    finally:
        busy.silent = False
    assert [name for name, _ in made_at(mall, order_id, "netbanking")] == [BUSY]
    assert not after.path.startswith("/nb"), "no bank's page opened"


def test_a_dry_run_says_what_would_go_elsewhere_and_changes_nothing(
    fork: RunningGateway, mall: Shop, browser: Browser, tmp_path: Path
) -> None:
    order_id = new_order_id()
    settled(
        browser, pay_there(browser, go(browser, mall.open_page(browser, order_id), NB, "ICIC"), NB)
    )
    mall.becomes(order_id, 200)
    file = tmp_path / "other.toml"
    file.write_text(PLAN.replace('["HDFC"]', '["ICIC"]'))
    before = fork.rows("SELECT count(*), max(revision) FROM payments")
    told = fork.operate("route", "try", str(file), "--days", "1")
    assert told["attempts"] == sum(each["attempts"] for each in told["rules"])
    by_name = {each["acquirer"]: each for each in told["acquirers"]}
    assert by_name[BUSY]["attempts_now"] >= 2, "those at ICIC, and large cards"
    assert told["elsewhere"] >= 1
    assert by_name[BUSY]["paid_then_paise"] == 0 < by_name[BUSY]["paid_now_paise"]
    assert by_name[BUSY]["cost_now_paise"] >= 1_000
    assert fork.rows("SELECT count(*), max(revision) FROM payments") == before
    assert [each["version"] for each in fork.operate("route", "history")] == [1]


def test_a_plan_that_is_wrong_is_refused_with_everything_that_is_wrong(
    fork: RunningGateway, tmp_path: Path
) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(PLAN.replace('"sandbox"', '"axis"').replace("100000", "-1"))
    ended = fork.command("route", "set", str(file), "--json", "--data-dir", str(fork.data_dir))
    assert ended.returncode == 2
    faults = json.loads(ended.stdout)
    assert {(each["code"], each["rule"], each["field"]) for each in faults} == {
        ("unknown_value", "hdfc-first-at-busy", "then"),
        ("unknown_value", "large-cards-at-busy", "then"),
        ("out_of_range", "large-cards-at-busy", "when.above_paise"),
    }
    assert "unknown_value: hdfc-first-at-busy, then: received axis; allowed: " in ended.stderr
