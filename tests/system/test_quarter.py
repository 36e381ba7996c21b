"""A quarter of a merchant's life in fast-forward: paid, settled, paid out, compared, reported.

Every paisa is found.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from hundi.kernel.clock import business_day, ist
from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, pay_card, scan
from tests.system.test_splits import NUMBER, ask, wished
from tests.system.test_subscription_year import advance, clock_of

WEEKS, DAY_S = 13, 86_400
ACCOUNT = "50100012349999"
PLAN = """
aggregator = true
turnover = "large"
[[rules]]
name = "cards"
channels = ["pg"]
not_card_types = ["debit"]
basis_points = 190
fixed_paise = 300
[otherwise]
basis_points = 0
"""
BRANDS = (("4111111111111111", "123"), ("5267318187975449", "123"), ("378282246310005", "1234"))


class Quarter:
    """One merchant, its customers, its two operators, and the days on which something happened."""

    def __init__(self, shop: Shop, sender: Sender, browser: Browser, folder: Path) -> None:
        """Agree on prices, terms, accounts and names."""
        self.shop, self.gateway, self.sender, self.browser, self.folder = (
            shop,
            shop.gateway,
            sender,
            browser,
            folder,
        )
        self.merchant_id = str(shop.merchant.merchant_id)
        self.days: set[date] = set()
        (plan := folder / "plan.toml").write_text(PLAN)
        who = self.merchant_id
        self.operate("fee", "plan", "set", str(plan), "--merchant", who, "--by", "asha")
        self.operate(
            "settlement", "terms", "set", who, "--reserve-bps", "500", "--reserve-days", "30"
        )
        self.operate(
            "split", "link", who, "WEAVER", "The Weaver", "HDFC0000001", "--number", NUMBER
        )
        own = (
            "--holder",
            "Asha Stores",
            "--ifsc",
            "HDFC0000001",
            "--number",
            ACCOUNT,
            "--as",
            "asha",
        )
        self.operate("bank-account", "add", who, *own)
        self.operate("bank-account", "add", who, "--beneficiary", "WEAVER", "--as", "asha")
        until(
            lambda: (
                {each["state"] for each in self.operate("bank-account", "list", who)}
                == {"verified"}
            ),
            "accounts",
        )

    def operate(self, *arguments: str) -> Any:
        """Run a command."""
        return self.gateway.operate(*arguments)

    def today(self) -> date:
        """Return the business day of the gateway's clock."""
        return business_day(clock_of(self.gateway))

    def happens(self) -> None:
        """Keep the day: its statements are imported later."""
        self.days.add(self.today())

    def pays_by_upi(self, paise: int) -> Any:
        """Let a customer pay an order by QR."""
        order_id = new_order_id("QTR")
        scan(self.gateway, self.shop.open_page(self.browser, order_id, paise).upi_link)
        self.happens()
        return self.shop.becomes(order_id, 200, paise)

    def pays_by_card(self, week: int) -> None:
        """Let a customer pay an order by card."""
        order_id = new_order_id("QTR")
        number, cvv = BRANDS[week % len(BRANDS)]
        pay_card(self.browser, self.shop.open_page(self.browser, order_id), number, cvv=cvv)
        self.happens()
        self.shop.becomes(order_id, 200)

    def disputes(self, order_id: str, answer: str, state: str) -> None:
        """Let a customer's bank dispute an order, and answer it."""
        story = self.operate("payment", "show", self.merchant_id, order_id)
        reference = next(each["reference"] for each in story["attempts"] if each["state"] == "paid")
        asked = {"reference": reference, "reason": "10.4"}
        assert self.gateway.bank.post("/control/dispute", json=asked).status_code == 200
        listed = ("dispute", "list", self.merchant_id, "--state")
        (raised,) = until(lambda: self.operate(*listed, "open"), "a dispute")
        note = ("--note", "delivered") if answer == "contest" else ()
        self.operate("dispute", answer, self.merchant_id, raised["dispute_id"], *note)
        ours = raised["dispute_id"]
        until(
            lambda: [each for each in self.operate(*listed, state) if each["dispute_id"] == ours],
            f"the dispute to be {state}",
        )
        self.happens()

    def passes(self, days: int) -> None:
        """Move the clock on, let the worker settle, and release the payouts as two people."""
        advance(self.gateway, days * DAY_S)
        which = ("--merchant", self.merchant_id)
        self.operate("settlement", "run", *which)

        def released() -> bool:
            listed = self.operate("payout", "list", *which)
            for each in listed:
                if each["state"] == "prepared":
                    for person in ("meera", "chetan"):
                        self.operate(
                            "payout", "approve", self.merchant_id, each["payout_id"], "--as", person
                        )
            done = all(each["state"] == "done" for each in listed)
            return done and self.owed("settlement_due", "payable_linked") == 0

        until(released, "what was settled to be paid out")

    def balances(self) -> Counter[str]:
        """Return debits less credits of every account, added up from the postings."""
        rows = self.gateway.rows(
            "SELECT debit, credit, sum(amount_paise)::bigint AS paise FROM ledger_postings WHERE"
            " merchant_id = $1"
            " GROUP BY debit, credit",
            int(self.merchant_id),
        )
        found: Counter[str] = Counter()
        for row in rows:
            found[row["debit"]] += row["paise"]
            found[row["credit"]] -= row["paise"]
        return found

    def owed(self, *accounts: str) -> int:
        """Return what is owed on some accounts."""
        found = self.balances()
        return -sum(found[each] for each in accounts)

    def at_bank(self, *kinds: str) -> int:
        """Return what the bank's own books have moved of some kinds for this merchant."""
        return sum(
            each["amount_paise"]
            for each in self.gateway.bank_entries()
            if each["kind"] in kinds
            and each["state"] == "done"
            and each["reference"].startswith(self.merchant_id + "-")
        )

    def imports(self) -> None:
        """Import the statements of each day with events, the acquirer's and our bank's."""
        for day in sorted(self.days):
            for path, options in (
                ("/statement", ("--connector", "sandbox")),
                ("/account-statement", ()),
            ):
                told = self.gateway.bank.get(path, params={"date": str(day), "format": "camt053"})
                assert told.status_code == 200, told.text
                (file := self.folder / "statement.xml").write_bytes(told.content)
                self.operate(
                    "reconcile",
                    "import",
                    str(file),
                    "--format",
                    "camt053",
                    "--as",
                    "asha",
                    *options,
                )


@pytest.fixture
def quarter(new_folder: NewFolder, server: MerchantServer, tmp_path: Path) -> Iterator[Quarter]:
    """A merchant alone at a gateway whose clock can be moved."""
    with (
        RunningGateway(new_folder("quarter"), HUNDI_SIMBANK_PENDING_SECONDS="1") as gateway,
        httpx.Client(trust_env=False, timeout=30) as http,
        Browser() as browser,
    ):
        if ist(datetime.now(UTC)).hour >= 22:
            advance(gateway, timedelta(hours=4).total_seconds())
        for shop in open_shop(gateway, server, "quarter", multiple_partial_refunds="on"):
            yield Quarter(shop, Sender(gateway.base_url, http), browser, tmp_path)


def test_a_quarter_of_a_merchants_life_adds_up_to_the_paisa(quarter: Quarter) -> None:
    for week in range(WEEKS):
        _week(quarter, week)
    quarter.passes(2)
    quarter.imports()
    _adds_up(quarter)
    _is_reported(quarter)
    assert quarter.gateway.audit()["holds"]


def _week(quarter: Quarter, week: int) -> None:
    paid = quarter.pays_by_upi(100_000 + week)
    quarter.pays_by_card(week)
    if week % 4 == 1:
        item = RefundItem(paid.transaction_id, 30_001)
        quarter.shop.client.refund([item], request_id=paid.order_id)
        quarter.shop.hears_event(paid.order_id, "refund_done")
    if week % 5 == 2:
        assert ask(quarter.sender, quarter.shop, wished(paid, ("WEAVER", "80.00"))).code == "00"
    if week == 4:
        quarter.disputes(paid.order_id, "accept", "accepted")
    if week == 8:
        quarter.disputes(paid.order_id, "contest", "won")
    quarter.passes(7)


def _adds_up(quarter: Quarter) -> None:
    """Compare the ledger with the bank's own books, from both ends."""
    books = quarter.balances()
    collected, back, left = (
        quarter.at_bank("debit"),
        quarter.at_bank("refund", "chargeback"),
        quarter.at_bank("payout"),
    )
    assert collected == WEEKS * AMOUNT_PAISE + sum(100_000 + week for week in range(WEEKS))
    # Where it is: with the acquirer, in our account, spent on the acquirer but for what we still
    # owe it, or paid out.
    spent = books["acquirer_cost"] - quarter.owed("provider_due")
    assert collected - back == books["receivable:sandbox"] + books["escrow"] + spent + left
    # Whose it is: ours, the government's, paid out, or still the merchant's.
    waiting = quarter.owed(
        "payable",
        "reserve",
        "settlement_due",
        "payable_linked",
        "payouts_in_flight",
        "disputed",
        "refunds_in_flight",
    )
    assert collected - back == quarter.owed("fee_income", "tax_payable") + left + waiting
    assert waiting == quarter.owed("payable", "reserve")
    assert books["receivable:sandbox"] == 0, "every statement came, and nothing is open"
    settled = quarter.operate("settlement", "list", "--merchant", quarter.merchant_id)
    assert sum(each["net_paise"] + each["splits_paise"] for each in settled) == left


def _is_reported(quarter: Quarter) -> None:
    """Read the reports again: they say what the books say."""
    who, out = quarter.merchant_id, quarter.folder / "report.csv"
    for each in quarter.operate("settlement", "list", "--merchant", who):
        quarter.operate("report", "settlement", each["settlement"], "--out", str(out))
        assert out.read_text("utf-8").count("\n") > 1
    first = min(quarter.days)
    quarter.operate(
        "report",
        "daybook",
        "--merchant",
        who,
        "--from",
        str(first),
        "--to",
        str(quarter.today()),
        "--out",
        str(out),
    )
    with out.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))
    posted = quarter.gateway.rows(
        "SELECT count(*) AS n FROM ledger_postings WHERE merchant_id = $1", int(who)
    )[0]["n"]
    assert len(lines) > posted
