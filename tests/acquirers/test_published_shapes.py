"""Every field that an acquirer published is in what its stand-in says of the same."""

import hashlib
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tests.acquirers.cashfree import published_mandates as cashfree_mandates
from tests.acquirers.cashfree.standin_subscriptions import Subscriptions
from tests.acquirers.cashfree.world import World
from tests.acquirers.cashfree_payouts import published as cashfree_payouts
from tests.acquirers.cashfree_payouts.standin import CashfreePayouts
from tests.acquirers.juspay import published as juspay
from tests.acquirers.juspay.standin import Juspay
from tests.acquirers.juspay.test_standin import SESSION
from tests.acquirers.phonepe import published_mandates as phonepe_mandates
from tests.acquirers.phonepe.standin_autopay import AutoPay, Cycle, Mandate
from tests.acquirers.phonepe.test_standin_autopay import TERMS
from tests.acquirers.razorpay import published_mandates as razorpay_mandates
from tests.acquirers.razorpay.standin_books import Books
from tests.acquirers.razorpay.standin_mandates import Mandates, Token
from tests.acquirers.razorpay.test_standin_recurring import TOKENS
from tests.acquirers.razorpayx import published as razorpayx
from tests.acquirers.razorpayx.standin import ACCOUNT_NUMBER, RazorpayX
from tests.acquirers.razorpayx.test_standin import BENEFICIARY


def lacking(published: Any, made: Any, path: str = "") -> Iterator[str]:
    """Say which published fields are not in what was made."""
    if isinstance(published, list) and published:
        if isinstance(made, list) and made:
            yield from lacking(published[0], made[0], f"{path}[]")
        else:
            yield f"{path}[]"
    elif isinstance(published, dict):
        for name, value in published.items():
            here = f"{path}.{name}".lstrip(".")
            if not isinstance(made, dict) or name not in made:
                yield here
            else:
                yield from lacking(value, made[name], here)


async def test_razorpayx() -> None:
    async with RazorpayX.running() as x:
        x.new_account(paise=1_000_000)
        x.new_account("LITE1", 10_000, "razorpayx_lite")
        contact = x.books.add_contact(BENEFICIARY["contact"])
        fund_account = x.books.add_fund_account(contact["id"], BENEFICIARY)
        asked = {"account_number": ACCOUNT_NUMBER, "amount": 100, "currency": "INR"}
        asked |= {"mode": "IMPS", "purpose": "payout", "reference_id": "1"}
        payout = x.payouts.create(asked, fund_account, composite=False)
        document = x.payouts.settle(payout).document()
        # "error" is deprecated, says errors/x/payout-status-details.md.
        assert set(lacking(razorpayx.PROCESSED, document)) == {"error"}
        assert not set(lacking(razorpayx.FAILED, document)) - {"error"} - {"error.description"}
        assert set(lacking(razorpayx.DEBIT, x.books.transactions[-1])) == set()
        balances = [each.document() for each in x.books.accounts.values()]
        assert not list(lacking(razorpayx.BALANCES["items"], balances))
        check = x.checks.create(
            {"source_account_number": "LITE1", "reference_id": "1", "fund_account": BENEFICIARY}
        )
        x.checks.complete(check["id"])
        assert not list(lacking(razorpayx.CHECKED, check))
        told = [each.said for each in x.events()]
        reversed_one = next(each for each in told if each["event"] == "payout.processed")
        assert set(lacking(razorpayx.PAYOUT_REVERSED, reversed_one)) == {
            "payload.payout.entity.error"
        }
        older = {"amount", "currency", "created_at"}
        kind = "payload.fund_account.validation.entity"
        assert set(lacking(razorpayx.CHECK_COMPLETED, told[-1])) == {f"{kind}.{e}" for e in older}


async def test_cashfree_payouts() -> None:
    async with CashfreePayouts.running(paise=1_000_000) as server:
        to = {
            "beneficiary_id": "JOHN_1",
            "beneficiary_name": "John Doe",
            "beneficiary_instrument_details": {
                "bank_account_number": "7766671501729",
                "bank_ifsc": "SBIN0000003",
            },
        }
        server.books.add_beneficiary(to)
        details = {"beneficiary_id": "JOHN_1"}
        asked = {"transfer_id": "1", "transfer_amount": Decimal(1), "beneficiary_details": details}
        made = server.transfers.create(asked)
        assert not list(lacking(cashfree_payouts.RECEIVED, made.document()))
        server.transfers.send_on(made)
        server.transfers.settle(made)
        assert not list(lacking(cashfree_payouts.COMPLETED, made.document()))
        server.checks.start(
            {"user_id": "u", "bank_account": "7766671501729", "ifsc": "SBIN0000003", "name": "J"}
        )
        server.checks.complete("u")
        sent, acknowledged, checked = (each.said for each in server.events())
        assert not list(lacking(cashfree_payouts.SENT, sent))
        dated = {"data.added_on", "data.updated_on"}
        assert set(lacking(cashfree_payouts.ACKNOWLEDGED, acknowledged)) == dated
        assert not list(lacking(cashfree_payouts.VALID, checked))


def test_razorpay_mandates() -> None:
    kept = Mandates(Books(), lambda: 1_795_000_000)
    for method, published in (
        ("upi", razorpay_mandates.UPI_TOKEN),
        ("emandate", razorpay_mandates.ENACH_TOKEN),
    ):
        token = Token("token_1", "cust_1", method, TOKENS[method], 1_795_000_000)
        assert not list(lacking(published, token.document()))
        kept.tokens[token.id] = token
    order = kept.books.create_order({"amount": 1000, "currency": "INR"})
    kept.notify(order, {"notification": {"token_id": "token_1"}})
    event, told = kept.books.told[-1]
    assert event == "order.notification.delivered"
    assert not list(lacking(razorpay_mandates.NOTIFICATION, told["notification"]))


def test_cashfree_mandates() -> None:
    kept = Subscriptions(World("secret"))
    asked = {
        "subscription_id": "m1",
        "customer_details": {"customer_email": "a@b.in", "customer_phone": "9999999999"},
        "plan_details": {"plan_name": "P", "plan_type": "ON_DEMAND", "plan_max_amount": 500},
    }
    made = kept.create(asked)
    first = {"subscription_id": "m1", "subscription_session_id": made.session, "payment_id": "0"}
    kept.pay(first | {"payment_type": "AUTH", "payment_method": {"upi": {"channel": "link"}}})
    kept.approve("m1")
    notice = kept.notify(
        {
            "subscription_id": "m1",
            "payment_id": "1",
            "notification_id": "n",
            "payment_amount": 10,
        }
    )
    assert not list(lacking(cashfree_mandates.NOTICE, notice))
    told = json.loads(kept.world.take_webhooks()[0].body)
    customer = {"data.authorization_details.payment_method.upi.upi_id"}
    assert set(lacking(cashfree_mandates.STATUS_CHANGED, told)) == customer


def test_phonepe_mandates() -> None:
    pair = f"{phonepe_mandates.USERNAME}:{phonepe_mandates.PASSWORD}"
    assert hashlib.sha256(pair.encode()).hexdigest() == phonepe_mandates.HEADER
    play = AutoPay()
    mandate = Mandate(TERMS, "OMS1", "0", hosted=False, expire_at=1)
    play.mandates[mandate.id] = mandate
    setup_flow = {**TERMS, "type": "SUBSCRIPTION_SETUP", "subscriptionId": "OMS1"}
    play.cycles["0"] = Cycle("0", "OMO1", 200, mandate, setup_flow, 1, "PENDING")
    play.approve(mandate.id)
    flow = {"type": "SUBSCRIPTION_REDEMPTION", "merchantSubscriptionId": mandate.id}
    flow |= {"redemptionRetryStrategy": "CUSTOM", "autoDebit": True}
    play.cycles["1"] = Cycle("1", "OMO2", 100, mandate, flow, 1, "PENDING")
    play.deliver("1")
    play.put(mandate.id, "CANCELLED")
    set_up, notified, cancelled = (json.loads(body) for _headers, body in play.webhooks)
    assert not list(lacking(phonepe_mandates.SET_UP, set_up))
    assert not list(lacking(phonepe_mandates.NOTIFIED, notified))
    assert not list(lacking(phonepe_mandates.CANCELLED, cancelled))


async def test_juspay() -> None:
    async with Juspay.running() as server:
        order = server.new_order(SESSION, "1000101", Decimal(2))
        server.pay("1000101")
        assert not list(lacking(juspay.CHARGED, order))


def test_a_field_that_lacks_is_found() -> None:
    assert list(lacking({"a": {"b": 1}, "c": [{"d": 1}]}, {"a": {}, "c": [{}]})) == ["a.b", "c[].d"]
