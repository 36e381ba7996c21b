"""How authorisations end, on a real database.

Once, whatever meets, whoever is silent, and with every paisa posted.
"""

import asyncio
from collections import deque
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown, Voided
from hundi.kernel.money import Money
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import Actor, CompletionKind, CompletionState, PaymentKind
from hundi.merchants.directory import actions as merchants
from hundi.merchants.directory.rules import CAPTURE_WITHIN_HOURS
from hundi.money.audit import actions as audit
from hundi.payments.attempts.actions import payable
from hundi.payments.attempts.authentication import actions as authentication
from hundi.payments.captures import actions, store
from hundi.payments.captures.actions import CompletionRequest, CompletionResult, complete
from hundi.payments.captures.rules import SENT_GRACE, Completion
from hundi.payments.methods.card import actions as cards
from hundi.payments.orders.rules import PaymentView
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds.actions import ItemToRefund
from tests.payments.stages import after_all
from tests.recording import RECORDED
from tests.shop import CARD, NOW, Shop, complete_due

PAISE = 149_950
CAPTURE, VOID = CompletionKind.CAPTURE, CompletionKind.VOID
LATER = NOW + SENT_GRACE + timedelta(seconds=1)


async def authorised(shop: Shop) -> PaymentView:
    """Return an order whose amount the card's bank holds."""
    view = await shop.order(PAISE, kind=PaymentKind.AUTHORISE)
    assert view.payment.channels == ("pg",), "only cards hold an amount"
    await cards.pay(await shop.case(view.payment.payment_id), CARD, lambda each: f"http://g/{each}")
    view = await shop.again(view)
    await authentication.finish_card(shop.context, shop.merchant, view.attempts[-1].attempt_id, NOW)
    view = await shop.again(view)
    assert (view.payment.state, view.payment.captured_paise) == ("authorised", 0)
    return view


async def end(
    shop: Shop,
    view: PaymentView,
    kind: CompletionKind,
    paise: int | None = None,
    now: datetime = NOW,
) -> CompletionResult:
    request = CompletionRequest(kind, Actor.MERCHANT, paise)
    return await complete(shop.context, shop.merchant, view.payment.payment_id, request, now)


async def endings(shop: Shop, view: PaymentView) -> list[Completion]:
    return await store.of_payment(shop.db, view.payment.merchant_id, view.payment.payment_id)


async def refused(
    shop: Shop, view: PaymentView, kind: CompletionKind, paise: int | None = None
) -> RefusalCode:
    with pytest.raises(Refused) as refusal:
        await end(shop, view, kind, paise)
    return refusal.value.refusal.code


async def holds(shop: Shop) -> None:
    report = await audit.audit(shop.db, [], await after_all(shop.db))
    assert report.holds, [each for each in report.checked if each.count]


@pytest.mark.parametrize("paise", [None, PAISE, 100_000, 1])
async def test_a_capture_collects_and_posts_what_was_asked(shop: Shop, paise: int | None) -> None:
    view = await authorised(shop)
    assert await shop.postings() == [], "a hold is nobody's money yet"
    ended = await end(shop, view, CAPTURE, paise)
    captured = paise or PAISE
    assert (ended.view.payment.state, ended.view.payment.captured_paise) == ("captured", captured)
    assert (ended.completion.state, ended.completion.rrn) == (CompletionState.DONE, "632512347777")
    assert await shop.postings() == [("capture", "payable", captured)]
    assert await shop.told() == ["authorised", "captured"]
    await holds(shop)


async def test_a_void_gives_all_back_and_posts_nothing(shop: Shop) -> None:
    view = await authorised(shop)
    ended = await end(shop, view, VOID)
    assert (ended.view.payment.state, ended.view.payment.captured_paise) == ("voided", 0)
    assert await shop.postings() == []
    assert await shop.told() == ["authorised", "voided"]
    await holds(shop)


@pytest.mark.parametrize("first", [CAPTURE, VOID])
@pytest.mark.parametrize("second", [CAPTURE, VOID])
async def test_an_authorisation_ends_once(
    shop: Shop, first: CompletionKind, second: CompletionKind
) -> None:
    view = await authorised(shop)
    await end(shop, view, first)
    assert await refused(shop, view, second) is RefusalCode.STATE_FORBIDS
    assert len(await endings(shop, view)) == 1
    await holds(shop)


async def test_more_than_was_authorised_is_not_captured(shop: Shop) -> None:
    view = await authorised(shop)
    assert await refused(shop, view, CAPTURE, PAISE + 1) is RefusalCode.MORE_THAN_REMAINS
    assert await endings(shop, view) == []


async def test_what_is_paid_in_one_step_is_neither_captured_nor_voided(shop: Shop) -> None:
    view = await shop.order(PAISE)
    for kind in CompletionKind:
        assert await refused(shop, view, kind) is RefusalCode.STATE_FORBIDS


async def test_of_many_captures_voids_and_refunds_at_once_one_wins(shop: Shop) -> None:
    view = await authorised(shop)

    async def attempt(kind: CompletionKind) -> Any:
        try:
            return (await end(shop, view, kind)).completion
        except Refused as refusal:
            return refusal.refusal.code

    async def void() -> Any:
        (answer,) = await refunds.request(
            shop.context, shop.merchant, view.payment.payment_id, [ItemToRefund()], NOW
        )
        return answer.refusal

    came = await asyncio.gather(
        *(attempt(kind) for kind in (CAPTURE, VOID) * 10), *(void() for _ in range(5))
    )
    winners = {
        each.kind
        for each in came[:20]
        if isinstance(each, Completion) and each.state is CompletionState.DONE
    }
    assert len(winners) == 1, "the same wish may meet itself, another one is refused"
    (standing,) = [each for each in await endings(shop, view) if each.state is CompletionState.DONE]
    after = await shop.again(view)
    assert after.payment.state == {CAPTURE: "captured", VOID: "voided"}[standing.kind]
    assert shop.bank.count("capture") + shop.bank.count("void") == 1
    await holds(shop)


async def test_a_bank_that_refuses_leaves_the_authorisation_and_it_may_be_asked_again(
    shop: Shop,
) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Declined("61", "More than was authorised")])
    assert await refused(shop, view, CAPTURE) is RefusalCode.BANK_REFUSED
    assert (await shop.again(view)).payment.state == "authorised"
    await holds(shop)
    assert (
        await end(shop, view, CAPTURE, now=NOW + timedelta(seconds=1))
    ).view.payment.state == "captured"
    assert [each.state for each in await endings(shop, view)] == ["failed", "done"]
    await holds(shop)


TAKEN, RELEASED = Approved(Money(PAISE), "632512347777"), Voided("632512348888")


@pytest.mark.parametrize(
    ("kind", "said", "state"),
    [
        (CAPTURE, RELEASED, "voided"),
        (CAPTURE, Approved(Money(PAISE - 1), "632512347777"), "captured"),
        (VOID, TAKEN, "captured"),
    ],
)
async def test_a_no_to_a_hold_that_ended_otherwise_brings_its_end_to_light(
    shop: Shop, kind: CompletionKind, said: Approved | Voided, state: str
) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Declined("21", "No action taken")])
    shop.bank.inquiries = deque([said])
    assert await refused(shop, view, kind) is RefusalCode.BANK_REFUSED
    assert ((await shop.again(view)).payment.state, (await endings(shop, view))[0].state) == (
        state,
        "failed",
    )
    await holds(shop)


@pytest.mark.parametrize(
    ("kind", "said", "state"), [(CAPTURE, TAKEN, "captured"), (VOID, RELEASED, "voided")]
)
async def test_a_no_to_what_the_bank_has_done_already_is_a_yes(
    shop: Shop, kind: CompletionKind, said: Approved | Voided, state: str
) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Declined("21", "Already done")])
    shop.bank.inquiries = deque([said])
    ended = await end(shop, view, kind)
    assert (ended.view.payment.state, ended.completion.state) == (state, "done")
    assert ended.completion.rrn == said.rrn
    assert await shop.told() == ["authorised", state]
    await holds(shop)


async def test_a_call_that_never_left_may_be_made_again_at_once(shop: Shop) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Unknown(sent=False)])
    assert await refused(shop, view, VOID) is RefusalCode.BANK_UNREACHABLE
    assert (await end(shop, view, CAPTURE)).view.payment.state == "captured"
    await holds(shop)


async def test_silence_is_asked_about_and_the_same_wish_meanwhile_is_the_same_ending(
    shop: Shop,
) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Unknown()])
    ended = await end(shop, view, CAPTURE, 100_000)
    assert (ended.view.payment.state, ended.completion.state) == ("authorised", "unknown")
    assert (
        await end(shop, view, CAPTURE, 100_000)
    ).completion.completion_id == ended.completion.completion_id
    assert await refused(shop, view, CAPTURE, 99_999) is RefusalCode.STATE_FORBIDS
    assert await refused(shop, view, CAPTURE) is RefusalCode.STATE_FORBIDS, (
        "all of it is another wish"
    )
    assert await refused(shop, view, VOID) is RefusalCode.STATE_FORBIDS
    shop.bank.inquiries = deque([Approved(Money(100_000), "632512347777")])
    assert await complete_due(shop.context, NOW + timedelta(seconds=5)) == 1
    after = await shop.again(view)
    assert (after.payment.state, after.payment.captured_paise, shop.bank.count("capture")) == (
        "captured",
        100_000,
        1,
    )
    assert await shop.told() == ["authorised", "captured"]
    await holds(shop)


async def test_a_lost_call_is_made_again_once_the_bank_still_holds_after_the_grace(
    shop: Shop,
) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Unknown()])
    await end(shop, view, CAPTURE)
    shop.bank.inquiries = deque([Approved(Money(PAISE), "632512345678", authorised_only=True)])
    await complete_due(shop.context, NOW + timedelta(seconds=5))
    assert ((await shop.again(view)).payment.state, shop.bank.count("capture")) == ("authorised", 1)
    await complete_due(shop.context, LATER)
    assert ((await shop.again(view)).payment.state, shop.bank.count("capture")) == ("captured", 2)
    await holds(shop)


@pytest.mark.parametrize(
    ("asked", "said", "state", "captured"),
    [
        (CAPTURE, Voided("632512348888"), "voided", 0),
        (VOID, Approved(Money(PAISE), "632512347777"), "captured", PAISE),
        (CAPTURE, Approved(Money(PAISE + 1), "632512347777"), "authorised", 0),
        (CAPTURE, Approved(Money(PAISE, "USD"), "632512347777"), "authorised", 0),
        (CAPTURE, NothingThere(), "authorised", 0),
        (VOID, Unknown("01"), "authorised", 0),
    ],
)
async def test_the_banks_word_about_the_hold_decides_the_payment(
    shop: Shop, asked: CompletionKind, said: Any, state: str, captured: int
) -> None:
    view = await authorised(shop)
    shop.bank.completions = deque([Unknown()])
    await end(shop, view, asked)
    shop.bank.inquiries = deque([said])
    await complete_due(shop.context, NOW + timedelta(seconds=5))
    after = await shop.again(view)
    assert (after.payment.state, after.payment.captured_paise) == (state, captured)
    await holds(shop)


async def test_a_worker_that_dies_between_intention_and_call_leaves_it_to_the_next(
    shop: Shop,
) -> None:
    view = await authorised(shop)
    held = view.success
    assert held is not None
    request = CompletionRequest(CAPTURE, Actor.MERCHANT)
    begun = await actions._begin(shop.context, view, request, NOW)  # noqa: SLF001 (the moment before the crash)
    assert begun is not None
    shop.bank.inquiries = deque([Approved(Money(PAISE), "632512345678", authorised_only=True)])
    await complete_due(shop.context, LATER)
    assert (await shop.again(view)).payment.state == "captured"
    assert shop.bank.calls[-1] == ("capture", held.reference)
    await holds(shop)


async def test_what_nobody_captures_in_time_is_given_back_by_itself(shop: Shop) -> None:
    view = await authorised(shop)
    late = NOW + timedelta(hours=CAPTURE_WITHIN_HOURS)
    assert await complete_due(shop.context, late - timedelta(seconds=1)) == 0
    assert await complete_due(shop.context, late) == 1
    assert (await shop.again(view)).payment.state == "voided"
    (ending,) = await endings(shop, view)
    assert (ending.kind, ending.actor) == (VOID, "gateway")
    await holds(shop)


async def test_a_merchant_chooses_its_time_and_a_refused_void_is_tried_again_an_hour_later(
    shop: Shop,
) -> None:
    merchant_id = shop.merchant.merchant_id
    await merchants.change_settings(
        shop.db,
        merchant_id,
        lambda before: msgspec.structs.replace(before, capture_within_hours=1),
        NOW,
        RECORDED,
    )
    view = await authorised(shop)
    shop.bank.completions = deque([Declined("91", "Issuer down")])
    hour = timedelta(hours=1)
    await complete_due(shop.context, NOW + hour)
    await complete_due(shop.context, NOW + hour + timedelta(minutes=59))
    assert ((await shop.again(view)).payment.state, shop.bank.count("void")) == ("authorised", 1)
    await complete_due(shop.context, NOW + hour + hour + timedelta(seconds=1))
    assert ((await shop.again(view)).payment.state, shop.bank.count("void")) == ("voided", 2)
    await holds(shop)


async def test_a_partial_capture_is_refunded_up_to_what_was_captured(shop: Shop) -> None:
    view = await authorised(shop)
    await end(shop, view, CAPTURE, 100_000)
    requests = ItemToRefund(100_001), ItemToRefund()
    too_much, all_of_it = await refunds.request(
        shop.context, shop.merchant, view.payment.payment_id, requests, NOW
    )
    assert too_much.refusal is not None
    assert too_much.refusal.code is RefusalCode.MORE_THAN_REMAINS
    assert all_of_it.paise == 100_000
    await holds(shop)


async def test_a_card_without_its_holder_is_paid_by_one_call_and_no_challenge(shop: Shop) -> None:
    await merchants.change_settings(
        shop.db,
        shop.merchant.merchant_id,
        lambda before: msgspec.structs.replace(before, moto=True),
        NOW,
        RECORDED,
    )
    by_phone = await shop.fresh_directory().get(shop.merchant.merchant_id)
    assert by_phone is not None
    view = await shop.order(PAISE, kind=PaymentKind.MOTO)
    payment_id = view.payment.payment_id
    with pytest.raises(Refused) as off:
        await cards.pay(await shop.case(payment_id), CARD, lambda each: f"http://g/{each}")
    assert off.value.refusal.code is RefusalCode.CHANNEL_NOT_ENABLED, (
        "switched off since the page was opened"
    )
    await cards.pay(
        await payable(shop.context, by_phone, payment_id, NOW),
        CARD,
        lambda each: f"http://g/{each}",
    )
    after = await shop.again(view)
    assert (after.payment.state, after.payment.method, after.attempts[0].method) == (
        "paid",
        "pg",
        "card_moto",
    )
    assert [verb for verb, _ in shop.bank.calls] == ["charge_moto"]
    assert await shop.postings() == [("payment", "payable", PAISE)]
    await holds(shop)
