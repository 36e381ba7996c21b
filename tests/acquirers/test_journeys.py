"""A gateway whose acquirer is an aggregator with a page.

An order is paid on its page, and given back, once.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from hundi.acquirers.billdesk import kind as billdesk_kind
from hundi.acquirers.calls.banks import ANY_BANK
from hundi.acquirers.ccavenue import kind as ccavenue_kind
from hundi.acquirers.ccavenue import rules as ccavenue_rules
from hundi.acquirers.easebuzz import kind as easebuzz_kind
from hundi.acquirers.juspay import kind as juspay_kind
from hundi.acquirers.juspay_upi import kind as juspay_upi_kind
from hundi.acquirers.kinds import AcquirerContext, AcquirerKind
from hundi.acquirers.paytm import kind as paytm_kind
from hundi.acquirers.payu import kind as payu_kind
from hundi.acquirers.payu import rules as payu_rules
from hundi.acquirers.pinelabs import kind as pinelabs_kind
from hundi.acquirers.port.answers import Redirect
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.kernel.clock import utc_now
from hundi.kernel.states import PaymentState, RefundState
from hundi.merchants.directory.rules import MerchantSettings
from hundi.payments.acquirer_words.actions import KeptWords
from hundi.payments.attempts.inquiries import actions as asking
from hundi.payments.methods.card import actions as cards
from hundi.payments.methods.redirect import actions as redirects
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.actions import PaymentContext
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds import store
from hundi.payments.refunds.actions import ItemToRefund
from hundi.payments.risk.actions import RiskControl
from tests.acquirers.billdesk import opened as billdesk_opened
from tests.acquirers.billdesk.standin import BillDesk
from tests.acquirers.ccavenue import opened as ccavenue_opened
from tests.acquirers.ccavenue.standin import CCAvenue
from tests.acquirers.easebuzz import standin as of_easebuzz
from tests.acquirers.juspay import standin as of_juspay
from tests.acquirers.juspay_upi import opened as juspay_upi_opened
from tests.acquirers.juspay_upi.standin import UpiStack
from tests.acquirers.paytm import opened as paytm_opened
from tests.acquirers.paytm.standin import Paytm
from tests.acquirers.payu import opened as payu_opened
from tests.acquirers.payu.standin import PayU
from tests.acquirers.pinelabs import standin as of_pine
from tests.acquirers.players import PLAYERS
from tests.acquirers.playing import Standin
from tests.acquirers.shared import CALLBACK
from tests.shop import VAULT, Shop, inquire_due, open_shop, refund_due

SOON, LATER = timedelta(seconds=10), timedelta(hours=1)


@dataclass
class Bank:
    """A stand-in, and what its customers and its bank do there."""

    server: Standin
    open: Callable[[AcquirerContext], Connector]
    visit: Callable[[Redirect], object]
    fail: Callable[[str], None]
    pay: Callable[[str], None]
    settle: Callable[[str], None]
    given: Callable[[str], list[str]]


def at_paytm() -> Bank:
    server = Paytm()
    return Bank(
        server,
        lambda context: paytm_kind.KIND.open("bank", paytm_opened.settings(server), context),
        lambda page: server.visit(page.url, page.fields),
        server.fail,
        server.pay,
        server.settle,
        lambda order: [each["amount"] for each in server.orders[order].refunds.values()],
    )


def at_billdesk() -> Bank:
    server = BillDesk()
    return Bank(
        server,
        lambda context: billdesk_kind.KIND.open("bank", billdesk_opened.settings(server), context),
        lambda page: server.visit(page.url, page.fields),
        server.fail,
        server.pay,
        server.settle,
        lambda order: [each["refund_amount"] for each in server.orders[order].refunds.values()],
    )


def at_ccavenue() -> Bank:
    server = CCAvenue()
    return Bank(
        server,
        lambda context: ccavenue_kind.KIND.open("bank", ccavenue_opened.settings(server), context),
        lambda page: server.visit(page.url, page.fields),
        server.end,
        server.pay,
        lambda reference: server.settle(ccavenue_rules.token(reference)),
        lambda order: [each["refund_amt"] for each in server.orders[order].refunds],
    )


def at_payu() -> Bank:
    server = PayU()
    return Bank(
        server,
        lambda context: payu_kind.KIND.open("bank", payu_opened.settings(server), context),
        lambda page: server.visit(page.fields),
        lambda reference: server.end(reference, "failed"),
        server.pay,
        lambda reference: server.settle(payu_rules.token("R", reference)),
        lambda order: [each["amt"] for each in server.transactions[order].actions.values()],
    )


def at_payu_with_a_charge() -> Bank:
    bank = at_payu()
    assert isinstance(bank.server, PayU)
    bank.server.charges, bank.server.charged_in = "23.60", frozenset({"transaction_amount"})
    return bank


def at_billdesk_with_a_surcharge() -> Bank:
    bank = at_billdesk()
    assert isinstance(bank.server, BillDesk)
    bank.server.surcharge = "23.60"
    return bank


def at_a_player(name: str, kind: AcquirerKind[Any], fields: Mapping[str, Any]) -> Bank:
    """Return an acquirer whose stand-in is of another hand. fields: settings but for addresses."""
    player = PLAYERS[name]()

    def opened(context: AcquirerContext) -> Connector:
        settings = msgspec.convert({**fields, **player.addresses()}, kind.settings)
        return kind.open("bank", settings, context)

    return Bank(
        player.stage,
        opened,
        lambda _page: None,
        player.fail,
        player.pay,
        lambda reference: player.end_refund("", reference),
        player.amounts_given_back,
    )


CONTACT = {"contact_email": "shop@example.in", "contact_phone": "9000000000"}


def at_easebuzz() -> Bank:
    keys = {"key": of_easebuzz.KEY, "salt": of_easebuzz.SALT, "environment": "production"}
    return at_a_player("easebuzz", easebuzz_kind.KIND, {**keys, **CONTACT})


def at_pinelabs() -> Bank:
    keys = {"client_id": of_pine.CLIENT_ID, "client_secret": of_pine.CLIENT_SECRET}
    return at_a_player("pinelabs", pinelabs_kind.KIND, {**keys, "environment": "production"})


def at_juspay() -> Bank:
    keys = {
        "merchant_id": of_juspay.MERCHANT_ID,
        "api_key": of_juspay.API_KEY,
        "client_id": of_juspay.CLIENT_ID,
        "environment": "production",
    }
    return at_a_player("juspay", juspay_kind.KIND, {**keys, **CONTACT})


def at_juspay_upi() -> Bank:
    server = UpiStack()
    server.encrypts, server.refunds_end = True, "01"
    return Bank(
        server,
        lambda context: juspay_upi_kind.KIND.open(
            "bank", juspay_upi_opened.settings(server), context
        ),
        lambda _page: None,
        server.fail,
        server.pay,
        server.end_refund,
        lambda _order: [each["refundAmount"] for each in server.refunds.values()],
    )


FEES = [at_payu_with_a_charge, at_billdesk_with_a_surcharge]


def back(attempt_id: int) -> str:
    return f"https://pay.example.in/back/{attempt_id}"


Opening = Callable[[Bank], Awaitable[Shop]]


@pytest.fixture
async def opening(db: Database) -> AsyncIterator[Opening]:
    opened: list[tuple[Bank, Connector]] = []

    async def shop_at(bank: Bank) -> Shop:
        await bank.server.open()
        connector = bank.open(AcquirerContext(CALLBACK, KeptWords(db)))
        opened.append((bank, connector))
        shop = await open_shop(db, MerchantSettings(channels=("upi", "pg", "nb")))
        risk = RiskControl(db, VAULT)
        registry = Registry([connector])
        shop.context = PaymentContext(
            db, shop.context.directory, registry, risk, LATER, timedelta(minutes=8)
        )
        return shop

    yield shop_at
    for bank, connector in opened:
        await connector.close()
        await bank.server.close()


async def given_back(
    shop: Shop, bank: Bank, view: PaymentView, reference: str, now: datetime
) -> None:
    """Give the whole of a paid order back, and see that it went back once."""
    (asked,) = await refunds.request(
        shop.context, shop.merchant, view.payment.payment_id, [ItemToRefund()], now
    )
    await refund_due(shop.context, now + 4 * SOON)
    bank.settle(f"{shop.merchant.merchant_id}-R{asked.refund_id}")
    await refund_due(shop.context, now + LATER)
    assert bank.given(reference) == ["1499.50"]
    (refund,) = await store.of_payment(shop.db, view.payment.merchant_id, view.payment.payment_id)
    assert refund.state is RefundState.DONE


@pytest.mark.parametrize(
    "at", [at_paytm, at_billdesk, at_ccavenue, at_payu, at_easebuzz, at_pinelabs, at_juspay, *FEES]
)
async def test_an_order_is_paid_on_its_page_after_a_try_that_failed_and_given_back(
    at: Callable[[], Bank], opening: Opening
) -> None:
    bank, now = at(), utc_now()
    shop = await opening(bank)
    view = await shop.order(now=now)
    page = await cards.pay_at_page(await shop.case(view.payment.payment_id, now), back)
    assert isinstance(page, Redirect)
    bank.visit(page)
    (attempt,) = (await shop.again(view)).attempts
    bank.fail(attempt.reference)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    assert await inquire_due(shop.context, now + SOON) == 1
    assert (await shop.again(view)).payment.state is not PaymentState.FAILED
    bank.pay(attempt.reference)
    for later in (2, 3):
        await asking.ask_now(shop.context, attempt.connector, attempt.reference, now + later * SOON)
        await inquire_due(shop.context, now + later * SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    assert (
        sum(paise for _, credit, paise in await shop.postings() if credit == "payable") == 149_950
    )

    await given_back(shop, bank, view, attempt.reference, now)


@pytest.mark.parametrize(
    ("at", "bank_code"),
    [
        (at_payu, "HDFC"),
        (at_paytm, ANY_BANK),
        (at_ccavenue, ANY_BANK),
        (at_easebuzz, ANY_BANK),
        (at_pinelabs, ANY_BANK),
        (at_juspay, ANY_BANK),
    ],
)
async def test_an_order_is_paid_by_net_banking_on_its_page(
    at: Callable[[], Bank], bank_code: str, opening: Opening
) -> None:
    bank, now = at(), utc_now()
    shop = await opening(bank)
    view = await shop.order(now=now)
    case = await shop.case(view.payment.payment_id, now)
    page = await redirects.start(case, "netbanking", bank_code, back)
    assert isinstance(page, Redirect)
    bank.visit(page)
    (attempt,) = (await shop.again(view)).attempts
    bank.pay(attempt.reference)
    for later in (1, 2):
        await asking.ask_now(shop.context, attempt.connector, attempt.reference, now + later * SOON)
        await inquire_due(shop.context, now + later * SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID


@pytest.mark.parametrize(
    ("at", "begins"),
    [
        (at_paytm, "upi://pay?pa=standin@paytm"),
        (at_juspay_upi, "upi://pay?pa=standin@axisbank"),
    ],
)
async def test_an_order_is_paid_by_the_acquirers_link_and_given_back(
    at: Callable[[], Bank], begins: str, opening: Opening
) -> None:
    bank, now = at(), utc_now()
    shop = await opening(bank)
    view = await shop.order(now=now)
    attempt = await upi.offer_qr(await shop.case(view.payment.payment_id, now))
    link = await upi.pay_link(shop.context, shop.merchant, view.payment.order_id, attempt)
    assert link is not None
    assert link.startswith(begins)
    bank.pay(attempt.reference)
    await asking.ask_now(shop.context, attempt.connector, attempt.reference, now)
    await inquire_due(shop.context, now + SOON)
    assert (await shop.again(view)).payment.state is PaymentState.PAID
    await given_back(shop, bank, view, attempt.reference, now)
