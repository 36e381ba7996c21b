"""An account at the stand-in of Cashfree, opened as an operator configures it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import aiohttp
import msgspec

from hundi.acquirers.cashfree.connector import CashfreeConnector
from hundi.acquirers.cashfree.kind import KIND
from hundi.acquirers.kinds import AcquirerContext
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.memory import Memory, ShortMemory
from hundi.acquirers.port.payments import Charge, RefundOrder
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from tests.acquirers.cashfree.standin import CLIENT_ID, CLIENT_SECRET, Bank, Fault
from tests.acquirers.cashfree.standin_mandates import running_with_mandates
from tests.acquirers.cashfree.standin_splits import split_routes
from tests.acquirers.cashfree.standin_subscriptions import Subscriptions
from tests.acquirers.cashfree.standin_vendors import Splits

AMOUNT = Money(149_950)
RETURN_URL = "https://pay.example.in/pay/v4/s/x"
CALLBACK_URL = "https://pay.example.in/callbacks/cashfree"
CARD = CardNumber("4539578763621486", 12, 2060, "123", "Asha")
GARBAGE: tuple[Fault, ...] = ("html", "truncated", "lost", "never", "429", "500", "502", "401")
_numbers = count(219_876_543_210_000)


def new_reference(kind: str = "") -> str:
    """Return a reference that no other test uses; kind: R of a refund."""
    return f"10001-{kind}{next(_numbers)}"


@dataclass
class Shop:
    """A connector, its memory and the stand-in that it calls."""

    bank: Bank
    connector: Any
    memory: ShortMemory
    mandates: Subscriptions
    splits: Splits

    def reopened(self, **changes: object) -> CashfreeConnector:
        """Return a connector of another process, with the same memory."""
        return opened(self.bank, self.memory, **changes)


def opened(bank: Bank, memory: Memory, **changes: object) -> CashfreeConnector:
    """Return the connector of an account at a stand-in."""
    fields = {
        "environment": "production",
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "phone_when_unknown": "9000090000",
        "url": f"{bank.url}/pg",
        "link_origins": (bank.url,),
        **changes,
    }
    settings = msgspec.convert(fields, KIND.settings)
    connector = KIND.open("cashfree", settings, AcquirerContext(CALLBACK_URL, memory))
    assert isinstance(connector, CashfreeConnector)
    return connector


@asynccontextmanager
async def account(**changes: object) -> AsyncIterator[Shop]:
    """Open an account at a stand-in of its own."""
    kept: list[Splits] = []
    async with running_with_mandates(*split_routes(kept)) as (bank, mandates):
        kept.append(Splits(bank.world))
        memory = ShortMemory()
        connector = opened(bank, memory, **changes)
        yield Shop(bank, connector, memory, mandates, kept[0])
        await connector.close()


def new_charge(amount: Money = AMOUNT, **changes: Any) -> Charge:
    """Return a charge with a reference that was never used."""
    return Charge(new_reference(), amount, **changes)


async def press(url: str, outcome: str) -> None:
    """Press a button at a page."""
    form = {"outcome": outcome}
    async with (
        aiohttp.ClientSession() as browser,
        browser.post(url, data=form, allow_redirects=False) as page,
    ):
        assert page.status == 303, page.status


async def linked(shop: Shop) -> Charge:
    charge = new_charge()
    assert isinstance(await shop.connector.upi_link(charge, expires_in_s=300), UpiLink)
    return charge


async def at_checkout(shop: Shop, *, capture: bool = True) -> tuple[Charge, Redirect]:
    charge = new_charge()
    answer = await shop.connector.start_checkout(
        charge, method="card", return_url=RETURN_URL, expires_in_s=900, capture=capture
    )
    assert isinstance(answer, Redirect), answer
    return charge, answer


async def paid(shop: Shop) -> Charge:
    charge = await linked(shop)
    shop.bank.world.pay(charge.reference)
    return charge


def refund_of(charge: Charge, amount: Money = AMOUNT) -> RefundOrder:
    return RefundOrder(new_reference("R"), charge.reference, amount)


async def sent_to_bank(
    shop: Shop, method: str = "netbanking", code: str = "HDFC"
) -> tuple[Charge, Redirect]:
    charge = new_charge()
    answer = await shop.connector.start_redirect(
        charge, method=method, bank_code=code, return_url=RETURN_URL
    )
    assert isinstance(answer, Redirect), answer
    return charge, answer
