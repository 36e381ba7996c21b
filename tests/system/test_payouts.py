"""Settled money leaves a running gateway: by call and by file, once.

What comes back is paid out again.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from hundi.sdk import Settlement, rupees
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.console import Console
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, scan
from tests.system.test_console_payments import OPERATOR
from tests.system.test_subscription_year import DAY_S, advance

"""Days of a clock that is moved on, with a worker's schedules in between."""
GOOD, COMES_BACK, OF_SOMEBODY_ELSE = "50100012349999", "50100012340003", "50100012340001"


class Operators:
    """The two people who pay out, at their command line."""

    def __init__(self, shop: Shop) -> None:
        """Work for one merchant."""
        self.shop, self.gateway, self.merchant_id = (
            shop,
            shop.gateway,
            str(shop.merchant.merchant_id),
        )
        self.operate("settlement", "terms", "set", self.merchant_id, "--instant-bps", "50")

    def operate(self, noun: str, *arguments: str) -> Any:
        """Run a command."""
        return self.gateway.operate(noun, *arguments)

    def add_account(self, number: str, state: str = "verified") -> None:
        """Add or change the account, and wait for its bank's word."""
        given = (
            *("--holder", "Asha Stores", "--ifsc", "HDFC0000001"),
            *("--number", number, "--as", "Asha"),
        )
        self.operate("bank-account", "add", self.merchant_id, *given)
        until(lambda: self.accounts()[-1]["state"] == state, f"the account to be {state}")

    def accounts(self) -> list[dict[str, Any]]:
        """Return every version of the account."""
        return self.operate("bank-account", "list", self.merchant_id)

    def settle(self, browser: Browser) -> str:
        """Take a payment, settle it at once, and return its order."""
        order_id = new_order_id()
        scan(self.gateway, self.shop.open_page(browser, order_id).upi_link)
        self.shop.becomes(order_id, 200)
        self.operate("settlement", "run", "--merchant", self.merchant_id, "--instant")
        return order_id

    def payouts(self, state: str) -> list[dict[str, Any]]:
        """Return the payouts in a state."""
        return self.operate("payout", "list", "--merchant", self.merchant_id, "--state", state)

    def waits_for(self, state: str) -> dict[str, Any]:
        """Return the newest payout in a state, as soon as there is one."""
        try:
            return until(lambda: self.payouts(state), f"a payout to be {state}")[-1]
        except AssertionError as error:
            every = self.operate("payout", "list", "--merchant", self.merchant_id)
            error.add_note(f"the merchant's payouts: {every}")
            raise

    def release(self, payout: dict[str, Any], *more: str) -> None:
        """Release a payout as two people; one person alone cannot."""
        which = ("approve", self.merchant_id, payout["payout_id"], "--as")
        self.operate("payout", *which, "Meera", *more)
        assert self.gateway.invoke("payout", *which, "Meera").exit_code == 2
        self.operate("payout", *which, "Chetan")

    def at_bank(self, payout: dict[str, Any]) -> list[tuple[str, str, str]]:
        """Return kind, state and UTR of what the bank has of a payout."""
        entries = self.gateway.bank_entries(f"{self.merchant_id}-P{payout['payout_id']}")
        return [(each["kind"], each["state"], each["rrn"]) for each in entries]

    def postings(self) -> list[str]:
        """Return the kinds of everything that payouts posted."""
        query = (
            "SELECT kind::text FROM ledger_postings WHERE merchant_id = $1 AND kind LIKE 'payout%'"
            " ORDER BY at, xact"
        )
        return [row["kind"] for row in self.gateway.rows(query, int(self.merchant_id))]


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone: its clock is moved on."""
    with RunningGateway(new_folder("payouts")) as running:
        yield running


@pytest.fixture
def operators(gateway: RunningGateway, server: MerchantServer) -> Iterator[Operators]:
    """Two people who work for a merchant of its own."""
    for shop in open_shop(gateway, server, "payee"):
        yield Operators(shop)


def shown_in_the_console(
    operators: Operators, settlement: Settlement, order_id: str, done: dict[str, Any]
) -> None:
    """What the operator's people read of payouts and their settlement."""
    place = operators.merchant_id
    with Console(operators.gateway) as staff:
        staff.sign_in(OPERATOR)
        listed = staff.get(f"{place}/payouts").text
        assert re.findall(r'class="tag \w*">(\w+)<', listed) == ["Done", "Reversed"]
        assert listed.count(done["utr"]) == 1
        assert (
            f"{place}/settlements/{settlement.settlement_id}"
            in staff.get(f"{place}/settlements").text
        )
        page = staff.get(f"{place}/settlements/{settlement.settlement_id}").text
        assert all(each in page for each in (done["utr"], order_id, rupees(settlement.net_paise)))
        assert staff.get(f"{place}/settlements/217000000000001").status_code == 404


def test_a_payout_is_done_comes_back_and_is_corrected(
    operators: Operators, browser: Browser
) -> None:
    operators.add_account(OF_SOMEBODY_ELSE, "name_differs")
    order_id = operators.settle(browser)
    operators.add_account(COMES_BACK)
    payout = operators.waits_for("prepared")
    operators.release(payout)
    back = operators.waits_for("reversed")
    assert back["utr"]
    assert operators.at_bank(payout) == [("payout", "reversed", back["utr"])]
    assert operators.postings() == ["payout_sent", "payout_done", "payout_reversed"]
    operators.add_account(GOOD)
    anew = operators.waits_for("prepared")
    assert (anew["share_id"], anew["try_no"]) == (payout["share_id"], 2)
    operators.release(anew)
    done = operators.waits_for("done")
    assert operators.at_bank(anew) == [("payout", "done", done["utr"])]
    shown = operators.operate("payout", "show", operators.merchant_id, anew["payout_id"])
    assert [each["state"] for each in shown["events"]] == [
        "prepared",
        "proposed",
        "approved",
        "sent",
        "done",
    ]
    assert operators.gateway.audit()["holds"]
    client = operators.shop.client
    told, earlier = client.payouts()
    assert (told.state, told.utr, told.account, told.reason) == ("done", done["utr"], GOOD[-4:], "")
    assert (earlier.state, earlier.utr, earlier.account) == (
        "reversed",
        back["utr"],
        COMES_BACK[-4:],
    )
    assert earlier.reason, "the bank says why"
    assert client.payouts(state="reversed", before=told.payout_id) == (earlier,)
    assert client.payouts(state="waiting") == ()
    (account,) = client.bank_accounts()
    assert (account.beneficiary, account.account, account.state) == (
        "primary",
        GOOD[-4:],
        "verified",
    )
    settlement = client.settlement(told.settlement_id)
    assert (settlement.utr, settlement.net_paise) == (done["utr"], told.amount_paise)
    (share,) = settlement.shares
    assert (share.payout_id, share.payout_state, share.utr) == (told.payout_id, "done", done["utr"])
    shown_in_the_console(operators, settlement, order_id, done)
    assert operators.shop.verify(order_id).utr == "", "nobody asks so soon"
    operators.gateway.bank.post("/control/clock", json={"advance_s": 600})
    assert operators.shop.verify(order_id).utr == done["utr"]
    logged = operators.gateway.logged()
    assert not [number for number in (GOOD, COMES_BACK, OF_SOMEBODY_ELSE) if number in logged]


def test_a_file_goes_to_the_bank_and_its_report_comes_back(
    operators: Operators, browser: Browser, tmp_path: Path
) -> None:
    operators.add_account(GOOD)
    operators.settle(browser)
    payout = operators.waits_for("prepared")
    operators.release(payout, "--by", "file")
    paper, again, report = tmp_path / "payouts.xml", tmp_path / "again.xml", tmp_path / "report.xml"
    own = (
        "--from-name",
        "Escrow",
        "--from-account",
        "00011122233",
        "--from-ifsc",
        "SIMB0000001",
        "--as",
        "Chetan",
    )
    made = operators.operate("payout", "export", str(paper), "--format", "pain001", *own)
    operators.operate("payout", "export", str(again), "--batch", made["batch"], *own)
    assert (made["payouts"], paper.read_bytes()) == (1, again.read_bytes())
    for _ in range(2):
        assert operators.gateway.bank.post("/payouts/files", content=paper.read_bytes()).json() == {
            "batch": made["batch"]
        }

    def reported() -> httpx.Response | None:
        reply = operators.gateway.bank.get(
            "/payouts/report", params={"batch": made["batch"], "format": "pain002"}
        )
        return reply if b"ACCC" in reply.content else None

    report.write_bytes(until(reported, "the bank's batch").content)
    taken = [
        operators.operate("payout", "import", str(report), "--format", "pain002", "--as", "Chetan")
        for _ in range(2)
    ]
    assert [(each["changed"], each["unchanged"]) for each in taken] == [(1, 0), (0, 1)]
    done = operators.waits_for("done")
    assert done["utr"].startswith("SIMBN")
    assert operators.at_bank(payout) == [("payout", "done", done["utr"])]
    assert operators.gateway.audit()["holds"]


def test_a_lost_reply_pays_once(operators: Operators, browser: Browser) -> None:
    operators.add_account(GOOD)
    operators.settle(browser)
    payout = operators.waits_for("prepared")
    operators.gateway.inject_faults(seed=7, lose_reply=0.5)
    try:
        operators.release(payout)
        operators.waits_for("done")
    finally:
        operators.gateway.inject_faults()
    assert [each[:2] for each in operators.at_bank(payout)] == [("payout", "done")]


@pytest.mark.parametrize(
    ("ends_with", "stages", "postings"),
    [
        ("0007", ["awaiting_approval", "processing", "done"], ["payout_sent", "payout_done"]),
        ("0008", ["queued", "processing", "done"], ["payout_sent", "payout_done"]),
        ("0009", ["deemed", "done"], ["payout_sent", "payout_done"]),
        ("0010", ["refused", "paid_late"], ["payout_sent", "payout_returned", "payout_late"]),
        ("0011", ["refused"], ["payout_sent", "payout_returned"]),
    ],
)
def test_what_a_provider_says_meanwhile_is_seen_and_booked(
    operators: Operators, browser: Browser, ends_with: str, stages: list[str], postings: list[str]
) -> None:
    operators.add_account(f"5010001234{ends_with}")
    operators.settle(browser)
    payout = operators.waits_for("prepared")
    operators.release(payout)
    ended = operators.waits_for(stages[-1])
    assert ended["provider"] == "sandbox"
    shown = operators.operate("payout", "show", operators.merchant_id, payout["payout_id"])
    seen = [each["state"] for each in shown["events"]]
    assert seen[:4] == ["prepared", "proposed", "approved", "sent"]
    assert [state for state in stages if state in seen[4:]] == seen[4:], "a stage may be missed"
    assert seen[-1] == stages[-1]
    assert operators.postings() == postings
    assert operators.gateway.audit()["holds"]


def not_recovered(gateway: RunningGateway) -> float:
    """Return how many payouts the alarm of shares that were paid twice counts."""
    text = httpx.get(f"{gateway.base_url}/metrics", trust_env=False).text
    name = "hundi_payouts_paid_twice "
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(name))


def test_what_is_paid_twice_is_taken_off_the_next_settlement(
    operators: Operators, browser: Browser
) -> None:
    gateway = operators.gateway
    operators.add_account("50100012340010")
    operators.settle(browser)
    payout = operators.waits_for("prepared")
    operators.release(payout)
    ask = (
        "UPDATE payouts SET due_at = now() + $2::interval, hastened_at = now() + $2::interval"
        " WHERE payout_id = $1"
        " AND state = 'refused' RETURNING state"
    )
    until(
        lambda: gateway.rows(ask, int(payout["payout_id"]), timedelta(hours=1)),
        "a refusal, about which neither a schedule nor a webhook asks for an hour",
    )
    operators.add_account(GOOD)
    anew = operators.waits_for("prepared")
    operators.release(anew)
    operators.waits_for("done")
    gateway.rows(ask, int(payout["payout_id"]), timedelta())
    twice = operators.waits_for("paid_twice")
    assert (twice["payout_id"], twice["utr"] != "") == (payout["payout_id"], True)
    assert sorted(operators.postings()[-2:]) == ["payout_recovered", "payout_twice"]
    assert not_recovered(gateway) == 1
    paise = payout["amount_paise"]
    order_id = new_order_id()
    scan(gateway, operators.shop.open_page(browser, order_id, 2 * AMOUNT_PAISE).upi_link)
    operators.shop.becomes(order_id, 200, 2 * AMOUNT_PAISE)
    advance(gateway, 3 * DAY_S)

    def next_one() -> dict[str, Any] | None:
        operators.operate("settlement", "run", "--merchant", operators.merchant_id)
        rows = gateway.rows(
            "SELECT gross_paise, other_paise, fee_paise + tax_paise AS cost_paise, net_paise"
            " FROM settlements WHERE merchant_id = $1 AND kind = 'daily'",
            int(operators.merchant_id),
        )
        return next((row for row in rows if row["gross_paise"]), None)

    settlement = until(next_one, "the next settlement", every_s=1.0)
    assert settlement["other_paise"] == -paise
    assert not_recovered(gateway) == 0, "the alarm ends"
    assert settlement["net_paise"] == 2 * AMOUNT_PAISE - paise - settlement["cost_paise"]
    assert gateway.audit()["holds"]


def test_what_the_balance_does_not_cover_waits(operators: Operators, browser: Browser) -> None:
    gateway = operators.gateway
    operators.add_account(GOOD)
    operators.settle(browser)
    payout = operators.waits_for("prepared")

    def fill(paise: int | None) -> None:
        answer = gateway.bank.put("/control/purse", json={"available_paise": paise})
        assert answer.status_code == 200, answer.text
        gateway.run_now("read_payout_balances")

    fill(1)
    until(
        lambda: [each["left_paise"] for each in operators.operate("payout", "balances")] == [1],
        "the balance to be read",
    )
    operators.release(payout)
    operators.waits_for("awaiting_balance")
    assert operators.at_bank(payout) == []
    with Console(gateway) as staff:
        staff.sign_in(OPERATOR)
        page = staff.get("all/across/payouts").text
        assert "Awaiting balance" in page
        assert "sandbox" in page
    fill(None)
    done = operators.waits_for("done")
    assert operators.at_bank(payout) == [("payout", "done", done["utr"])]
    assert gateway.audit()["holds"]
