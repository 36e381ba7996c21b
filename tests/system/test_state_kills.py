"""Processes that are killed in each newer state of payouts, account checks and mandates.

Nothing is paid, checked or debited twice, and each ends where it ends without kills.
"""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import httpx
import pytest

from tests.conftest import NewFolder
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop
from tests.system.test_payout_kills import KILLS, LOST, kill_while
from tests.system.test_payouts import GOOD, OF_SOMEBODY_ELSE, Operators
from tests.system.test_subscription_year import DAY_S, advance, at_bank, begin, states

REFUSED = "50100012340011"
"""The only one of these accounts to which no money moves."""
PAID = ("done", ["payout_done", "payout_sent"])
ENDS = {
    GOOD: (PAID,),
    "50100012340003": (
        ("reversed", ["payout_done", "payout_reversed", "payout_sent"]),
        ("returned", ["payout_returned", "payout_sent"]),
    ),
    "50100012340007": (PAID,),
    "50100012340008": (PAID,),
    "50100012340009": (PAID,),
    "50100012340010": (("paid_late", ["payout_late", "payout_returned", "payout_sent"]), PAID),
    REFUSED: (
        ("refused", ["payout_returned", "payout_sent"]),
        ("returned", ["payout_returned", "payout_sent"]),
    ),
}
"""By account: the ends of its payout, and everything that is posted.

The second one is what a gateway sees that heard the bank's second word first: the answer with the
first one was lost, or its inquiry came later.
"""
CHECKED = {
    GOOD: ("verified", "name"),
    OF_SOMEBODY_ELSE: ("name_differs", "name"),
    "50100012340002": ("refused", "closed"),
    "50100012340012": ("refused", "frozen"),
}
"""By account: its state after a check, and what the check said."""


@pytest.fixture(scope="module")
def gateway(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of these tests alone: its processes are killed."""
    with RunningGateway(new_folder("state-kills"), HUNDI_SIMBANK_PENDING_SECONDS="1") as running:
        yield running


@pytest.fixture
def sender(gateway: RunningGateway) -> Iterator[Sender]:
    with httpx.Client(trust_env=False, timeout=30) as http:
        yield Sender(gateway.base_url, http)


def shops(gateway: RunningGateway, server: MerchantServer, count: int) -> Iterator[list[Shop]]:
    """Open several shops, and close them at the end."""
    if not count:
        yield []
        return
    for others in shops(gateway, server, count - 1):
        for shop in open_shop(gateway, server, "killed", channels="upi_pg_enach"):
            yield [*others, shop]


def test_workers_killed_in_every_state_of_a_payout_pay_once(
    gateway: RunningGateway, server: MerchantServer, browser: Browser
) -> None:
    for opened in shops(gateway, server, len(ENDS)):
        payers = dict(zip(ENDS, map(Operators, opened), strict=True))
        payouts: dict[str, dict[str, Any]] = {}
        for number, operators in payers.items():
            operators.add_account(number)
            operators.settle(browser)
            payout = payouts[number] = operators.waits_for("prepared")
            released = ("approve", operators.merchant_id, payout["payout_id"], "--as", "Meera")
            operators.operate("payout", *released)
        gateway.inject_faults(**LOST)

        def release() -> None:
            for number, operators in payers.items():
                payout = payouts[number]["payout_id"]
                operators.operate(
                    "payout", "approve", operators.merchant_id, payout, "--as", "Chetan"
                )

        assert kill_while(gateway, ("worker",), release) >= KILLS // 2
        gateway.inject_faults()

        def ended(number: str) -> tuple[str, list[str]] | None:
            merchant = ("--merchant", payers[number].merchant_id)
            (payout,) = payers[number].operate("payout", "list", *merchant)
            return next((each for each in ENDS[number] if each[0] == payout["state"]), None)

        for number, operators in payers.items():
            end = partial(ended, number)
            state, kinds = until(end, f"{number} to be paid out", within_s=240, every_s=0.5)
            assert sorted(operators.postings()) == kinds, number
            moved = int(number != REFUSED)
            assert len(operators.at_bank(payouts[number])) == moved, (number, state)
        assert gateway.audit()["holds"]


def test_workers_killed_while_accounts_are_checked_check_each_once(
    gateway: RunningGateway, server: MerchantServer
) -> None:
    for opened in shops(gateway, server, len(CHECKED)):
        payers = dict(zip(CHECKED, map(Operators, opened), strict=True))
        gateway.inject_faults(**LOST)

        def add() -> None:
            for number, operators in payers.items():
                given = ("--holder", "Asha Stores", "--ifsc", "HDFC0000001", "--number", number)
                operators.operate("bank-account", "add", operators.merchant_id, *given, "--as", "A")

        assert kill_while(gateway, ("worker",), add)
        gateway.inject_faults()
        for number, (state, outcome) in CHECKED.items():
            operators = payers[number]
            until(
                lambda: operators.accounts()[-1]["state"] == state,
                f"{number} to be {state}",
                every_s=0.5,
            )
            rows = gateway.rows(
                "SELECT c.outcome, count(p.cause_id) AS posted FROM account_checks c LEFT JOIN"
                " ledger_postings p ON p.merchant_id = c.merchant_id AND p.cause_id = c.check_id"
                " WHERE c.merchant_id = $1 GROUP BY c.check_id, c.outcome",
                int(operators.merchant_id),
            )
            assert [(each["outcome"], each["posted"]) for each in rows] == [(outcome, 1)]
        assert gateway.audit()["holds"]


def test_processes_killed_between_notice_and_debit_debit_once(
    gateway: RunningGateway, server: MerchantServer, sender: Sender
) -> None:
    for (shop,) in shops(gateway, server, 1):
        kept, ended = (begin(sender, shop, sb_recurringcount="2") for _ in range(2))

        def noticed() -> None:
            for _ in range(6):
                advance(gateway, DAY_S / 2)

        assert kill_while(gateway, ("worker",), noticed)
        until(lambda: states(sender, shop, ended)[:1] in (["announced"], ["done"]), "the notice")
        if states(sender, shop, ended) == ["announced"]:
            at_bank(gateway, ended, "end")

        def debited() -> None:
            for _ in range(10):
                advance(gateway, 7 * DAY_S)

        assert kill_while(gateway, ("worker",), debited)
        until(lambda: states(sender, shop, kept) == ["done"] * 2, "both debits", every_s=0.5)
        orders = [f"{kept['ap_transactionid']}-{period}" for period in (1, 2)]
        assert [shop.bank_debits(order) for order in orders] == [[(49_900, "done")]] * 2
        moved = [
            each
            for period in (1, 2)
            for each in shop.bank_debits(f"{ended['ap_transactionid']}-{period}")
        ]
        assert Counter(moved) == Counter(
            (49_900, "done") for each in states(sender, shop, ended) if each == "done"
        )
        assert gateway.audit()["holds"]
