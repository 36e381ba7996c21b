"""Holds that an order cannot keep, or that came too late.

Given back, and asked about until they were.
"""

from collections import deque
from datetime import datetime, timedelta

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, BankCallback, Declined, NothingThere, Unknown
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState, PaymentKind
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import CAPTURE_WITHIN_HOURS
from hundi.money.audit import actions as audit
from hundi.payments.attempts.answers import actions as answers
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.attempts.rules import SENT_GRACE
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders import actions as payments
from hundi.payments.orders.rules import Attempt, PaymentView
from tests.recording import RECORDED
from tests.shop import CARD, NOW, Shop, complete_due, inquire_due

PAISE = 149_950
HELD = Approved(Money(PAISE), "632512345678", authorised_only=True)
TOO_MUCH = Approved(Money(PAISE + 1), "632512345678", authorised_only=True)
OVER = NOW + timedelta(hours=2)


async def charge(shop: Shop) -> PaymentView:
    """Return an order to authorise, its card charged with whatever the bank says to it."""
    view = await shop.order(PAISE, kind=PaymentKind.AUTHORISE)
    await cards.pay(await shop.case(view.payment.payment_id), CARD, lambda each: f"http://g/{each}")
    view = await shop.again(view)
    await authentication.finish_card(shop.context, shop.merchant, view.attempts[-1].attempt_id, NOW)
    return await shop.again(view)


async def held_late(shop: Shop) -> PaymentView:
    """Return an order whose bank declined, and two hours later says that it holds the amount."""
    shop.bank.authorisations = deque([Declined("51", "Insufficient funds")])
    shop.bank.inquiries = deque([NothingThere()])
    view = await charge(shop)
    await inquire_due(shop.context, OVER)
    await payments.close(shop.context, shop.merchant.merchant_id, view.payment.payment_id, OVER)
    assert (await shop.again(view)).payment.state == "failed"
    await answers.handle_callback(
        shop.context,
        "sandbox",
        BankCallback("cb-late", (await at(shop, view)).reference, HELD),
        OVER,
    )
    assert (await shop.again(view)).payment.state == "authorised"
    return view


async def at(shop: Shop, view: PaymentView) -> Attempt:
    return (await shop.again(view)).attempts[-1]


async def holds(shop: Shop, now: datetime) -> None:
    report = await audit.audit(shop.db, [], now)
    assert report.holds, [each for each in report.checked if each.count]


async def test_a_hold_of_another_amount_is_given_back_at_once(shop: Shop) -> None:
    shop.bank.authorisations = deque([TOO_MUCH])
    view = await charge(shop)
    assert (shop.bank.count("void"), (await at(shop, view)).state) == (1, AttemptState.FAILED)
    assert (await at(shop, view)).inquire_at is None
    assert (await shop.postings(), await shop.told()) == ([], [])
    await holds(shop, NOW)


@pytest.mark.parametrize("said", [Unknown(), Unknown(sent=False), Declined("91", "Issuer down")])
async def test_a_release_that_did_not_come_about_is_asked_for_again(
    shop: Shop, said: Unknown | Declined
) -> None:
    shop.bank.authorisations = deque([TOO_MUCH])
    shop.bank.completions = deque([said])
    view = await charge(shop)
    assert (await at(shop, view)).inquire_at is not None
    shop.bank.inquiries = deque([TOO_MUCH])
    await inquire_due(shop.context, NOW + timedelta(hours=1))
    assert (shop.bank.count("void"), (await at(shop, view)).state) == (2, AttemptState.FAILED)
    await holds(shop, NOW + timedelta(hours=1))


@pytest.mark.parametrize("unheard", [1, 2, 3])
async def test_a_second_hold_is_given_back_and_the_first_stands(shop: Shop, unheard: int) -> None:
    shop.bank.authorisations = deque([Unknown()])
    view = await charge(shop)
    await inquire_due(shop.context, NOW + SENT_GRACE)
    assert (await at(shop, view)).state is AttemptState.EXPIRED, "the bank knew nothing of it"
    again = NOW + SENT_GRACE + timedelta(seconds=5)
    await cards.pay(
        await shop.case(view.payment.payment_id, again), CARD, lambda each: f"http://g/{each}"
    )
    await authentication.finish_card(
        shop.context, shop.merchant, (await at(shop, view)).attempt_id, again
    )
    first, second = (await shop.again(view)).attempts
    shop.bank.completions = deque([Unknown()] * unheard)
    await answers.handle_callback(
        shop.context, "sandbox", BankCallback("cb-1", first.reference, HELD), again
    )
    assert (await shop.again(view)).attempts[0].inquire_at is not None, (
        "nobody said that it was given back"
    )
    shop.bank.inquiries = deque([HELD])
    for hours in range(unheard):
        await inquire_due(shop.context, again + timedelta(hours=12 + hours))
    assert [each for each in shop.bank.calls if each[0] == "void"] == [
        ("void", first.reference)
    ] * (unheard + 1)
    first, second = (await shop.again(view)).attempts
    assert (first.state, first.inquire_at, second.state) == (
        AttemptState.EXPIRED,
        None,
        AttemptState.AUTHORISED,
    )
    assert (await shop.told())[-1] == "authorised"
    await holds(shop, again + timedelta(hours=12 + unheard))


async def test_a_late_hold_of_a_merchant_who_keeps_none_is_given_back(shop: Shop) -> None:
    await merchants.change_settings(
        shop.db,
        shop.merchant.merchant_id,
        lambda kept: msgspec.structs.replace(kept, late_success="refund"),
        NOW,
        RECORDED,
    )
    shop.context = replace(shop.context, directory=shop.fresh_directory())
    view = await held_late(shop)
    assert await complete_due(shop.context, OVER) == 1
    assert ((await shop.again(view)).payment.state, shop.bank.count("void")) == ("voided", 1)
    await holds(shop, OVER)


async def test_a_late_hold_has_its_whole_time_from_when_the_bank_said_so(shop: Shop) -> None:
    view = await held_late(shop)
    assert await complete_due(shop.context, NOW + timedelta(hours=CAPTURE_WITHIN_HOURS)) == 0
    assert await complete_due(shop.context, OVER + timedelta(hours=CAPTURE_WITHIN_HOURS)) == 1
    assert (await shop.again(view)).payment.state == "voided"
