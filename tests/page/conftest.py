"""The payment page on a real database, with an acquirer that says what the test tells it to."""

import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import Any, cast

import httpx
import pytest
from litestar import Litestar

from hundi.acquirers.port.memory import ShortMemory
from hundi.acquirers.registry import Registry
from hundi.api import addresses
from hundi.api.admission import Admission
from hundi.api.context import GatewayContext, PartnerServices
from hundi.api.interfaces import Interfaces, Pages
from hundi.api.partner.offers import AffiliateCalls
from hundi.gateway.bootstrap import key_formulas
from hundi.infra.http.client import client_for_others
from hundi.infra.http.rates import Rates
from hundi.infra.http.turns import Turns
from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.infra.settings import Settings
from hundi.kernel.clock import utc_now
from hundi.kernel.money import Money
from hundi.kernel.states import PaymentKind
from hundi.merchants.access.actions import Tokens
from hundi.merchants.access.sessions.rules import Sessions
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.actions import Directory
from hundi.merchants.directory.rules import Merchant, MerchantSettings
from hundi.page import outcomes
from hundi.page.initiate import initiate
from hundi.page.routing import routes, session_page, too_many
from hundi.partners.directory.actions import CallLog, PartnerDirectory
from hundi.partners.gst.actions import Registrations
from hundi.partners.offers.actions import Openings
from hundi.partners.prepaid_cards.actions import CustomerCards
from hundi.partners.registers.routing import Registers
from hundi.payments.acquirer_accounts.actions import AccountContext
from hundi.payments.availability.actions import BankHealth
from hundi.payments.orders import actions as payments
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.opening import actions as opening
from hundi.payments.orders.rules import Buyer, NewOrder, PaymentView
from hundi.payments.risk.actions import RiskControl
from hundi.staff.sign_in.actions import SignIn
from tests.acquirer import ScriptedAcquirer
from tests.recording import RECORDED

ORIGIN = "http://testserver.local"
REQUESTS_A_MINUTE = 100
_orders = count(1)


@dataclass
class Till:
    """A merchant, its bank, the page, and a browser that follows no redirect.

    app: to be served to other browsers.
    """

    gateway: GatewayContext
    merchant: Merchant
    bank: ScriptedAcquirer
    browser: httpx.AsyncClient
    app: Interfaces

    async def order(self, *, session_s: int = 900) -> str:
        """Open a payment and return its session's path."""
        now = utc_now() + timedelta(seconds=session_s - 900)
        order = NewOrder(
            f"ORD-{next(_orders)}",
            Money(149_950),
            PaymentKind.SALE,
            Buyer(email="a@b.co"),
            secrets.token_bytes(32),
        )
        opened = await opening.initiate(self.gateway.payments, self.merchant, order, now)
        return "/pay/v4/s/" + self.gateway.sessions.seal(
            self.merchant.merchant_id, opened.payment.payment_id
        )

    async def view(self, path: str) -> PaymentView:
        """Read the payment of a session."""
        named = self.gateway.sessions.open_(path.rpartition("/")[2])
        assert named is not None
        found = await payments.view(self.gateway.payments, *named)
        assert found is not None
        return found


@pytest.fixture
async def till(db: Database) -> AsyncIterator[Till]:
    vault = Vault({"k1": bytes(32)})
    settings = MerchantSettings(
        success_url="https://shop.example.in/ok",
        failure_url="https://shop.example.in/no",
        upi_collect_allowed=True,
        mcc="6211",
    )
    merchant_id, _ = await merchants.add(
        db,
        vault,
        name="Asha <Handlooms>",
        mode="live",
        settings=settings,
        now=utc_now(),
        beside=RECORDED,
    )
    directory = Directory(db, vault, key_formulas)
    merchant = await directory.get(merchant_id)
    assert merchant is not None
    bank, http = ScriptedAcquirer(), client_for_others(allow_private=True)
    registry, calls, registers = Registry([bank]), CallLog(db), Registers([], [])
    gateway = GatewayContext(
        settings=Settings(base_url=ORIGIN, payment_page_url=ORIGIN),
        db=db,
        vault=vault,
        directory=directory,
        tokens=Tokens(db, timedelta(minutes=5)),
        sessions=Sessions(lambda: (bytes(32),)),
        mandate_links=Sessions(lambda: (bytes(31) + b"m",)),
        consent_links=Sessions(lambda: (bytes(31) + b"c",)),
        connectors=registry,
        payments=PaymentContext(
            db,
            directory,
            registry,
            RiskControl(db, vault),
            timedelta(minutes=15),
            timedelta(seconds=480),
        ),
        partners=PartnerServices(
            PartnerDirectory(db, vault),
            Rates(),
            calls,
            registers,
            Registrations(db, registers),
            CustomerCards(registers),
            Openings(db, vault, AffiliateCalls(http, calls).ask),
        ),
        bank_health=BankHealth(db),
        admission=Admission(Turns(4), REQUESTS_A_MINUTE),
        sign_in=SignIn(db, vault),
        accounts=AccountContext(db, vault, {}, str, ShortMemory()),
        customer_words=outcomes.said_to_customers,
    )
    start = addresses.page(("/airpay",))
    behind = Litestar([routes(start, ())], openapi_config=None, logging_config=None)
    app = Interfaces(
        behind, ("/airpay",), Pages(dict.fromkeys(start, initiate), session_page, too_many)
    )
    behind.state.gateway = gateway
    # In this very loop, because the database pool belongs to it.
    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(cast("Any", app)), base_url=ORIGIN
    ) as browser:
        yield Till(gateway, merchant, bank, browser, app)
    await http.close()
