"""Disputes on a real database.

Opened once, answered once, ended by the bank's word alone, every paisa in the books.
"""

import asyncio
from collections import deque
from datetime import timedelta

import msgspec
import pytest

from hundi.acquirers.port.answers import Declined, Unknown
from hundi.acquirers.port.disputes import Standing
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.kernel.states import CompletionKind, DisputePhase, DisputeState, RefundState
from hundi.merchants.directory import actions as merchants
from hundi.payments.archive import actions as archive
from hundi.payments.archive.rules import ArchivePolicy
from hundi.payments.disputes import actions, store
from hundi.payments.disputes.answers.actions import DisputeReply
from hundi.payments.refunds import actions as refunds
from hundi.payments.refunds import store as refund_store
from hundi.payments.refunds.actions import ItemToRefund
from tests.documents import pdf
from tests.payments.captures.test_actions import authorised, end
from tests.payments.disputes.played import (
    LATER,
    PDF,
    RETRIEVAL,
    answered,
    decided,
    disputed_postings,
    documented,
    raised,
    stages,
    word,
    worked,
)
from tests.payments.refunds.test_actions import PAISE, ask, holds, in_parts, paid
from tests.recording import RECORDED
from tests.shop import NOW, Shop, refund_due


async def test_a_dispute_is_opened_contested_with_documents_and_won(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    assert (stage.state, stage.held_paise, stage.dispute_id) == ("open", PAISE, stage.stage_id)
    assert await disputed_postings(shop) == [("dispute_held", "disputed", PAISE)]
    await holds(shop.db)
    evidence_id = await documented(shop, stage)
    assert await documented(shop, stage) == evidence_id, "the same document is kept once"
    await answered(shop, stage, DisputeReply(0, "signed for by the customer"))
    assert await worked(shop) == 1
    (sent,) = shop.bank.answered
    assert (sent.reference, sent.accepted, sent.note) == (
        stage.reference,
        Money(0),
        "signed for by the customer",
    )
    assert [(each.content, each.note) for each in shop.bank.evidence.values()] == [
        (PDF, "signed for by the customer")
    ]
    (under_review,) = await stages(shop, view)
    assert (under_review.state, under_review.sent_at) == ("under_review", LATER)
    won = await decided(shop, view, Standing.WON)
    assert (won.state, won.due_at) == ("won", None)
    assert await disputed_postings(shop) == [
        ("dispute_held", "disputed", PAISE),
        ("dispute_won", "payable", PAISE),
    ]
    assert await shop.told() == ["paid", "dispute_opened", "dispute_contested", "dispute_won"]
    facts = await shop.db.fetchval("SELECT facts FROM deliveries WHERE kind = 'dispute_won'")
    assert (facts["dispute"]["state"], facts["dispute"]["held_paise"]) == ("won", PAISE)
    await holds(shop.db)
    assert (await ask(shop, view)).refusal is None, "what was won can be refunded"


@pytest.mark.parametrize(
    ("accepted", "standing", "taken", "state", "posted"),
    [
        (None, Standing.LOST, PAISE, "accepted", [("dispute_lost", "receivable:sandbox", PAISE)]),
        (0, Standing.LOST, PAISE, "lost", [("dispute_lost", "receivable:sandbox", PAISE)]),
        (
            50_000,
            Standing.LOST,
            50_000,
            "partly_accepted",
            [
                ("dispute_lost", "receivable:sandbox", 50_000),
                ("dispute_won", "payable", PAISE - 50_000),
            ],
        ),
        (0, Standing.CLOSED, 0, "closed", [("dispute_won", "payable", PAISE)]),
    ],
)
async def test_the_banks_word_ends_a_dispute(
    shop: Shop,
    accepted: int | None,
    standing: Standing,
    taken: int,
    state: str,
    posted: list[tuple[str, str, int]],
) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    await answered(shop, stage, DisputeReply(accepted, "why"))
    await worked(shop)
    ended = await decided(shop, view, standing, taken)
    assert (ended.state, ended.taken_paise) == (state, taken)
    assert await disputed_postings(shop) == [("dispute_held", "disputed", PAISE), *posted]
    await holds(shop.db)
    again = await decided(shop, view, Standing.WON)
    assert again == ended, "what has ended stays as it is"
    answer = await ask(shop, view, None)
    assert (answer.refusal is None) is (taken < PAISE)
    assert answer.paise == PAISE - taken
    await holds(shop.db)


async def test_told_twice_at_once_it_is_opened_once(shop: Shop) -> None:
    view = await paid(shop)
    said = word(view)
    shop.bank.raised[said.name] = said
    told = (said.name, said.original)
    callbacks = (actions.handle_callback(shop.context, "sandbox", told, NOW) for _ in range(4))
    assert await asyncio.gather(*callbacks, actions.look(shop.context, NOW)) == [
        True,
        True,
        True,
        True,
        1,
    ]
    assert len(await stages(shop, view)) == 1
    assert await disputed_postings(shop) == [("dispute_held", "disputed", PAISE)]
    await holds(shop.db)


async def test_refunds_and_disputes_at_once_never_exceed_what_was_captured(shop: Shop) -> None:
    in_parts(shop)
    for _ in range(6):
        view = await paid(shop)
        said = word(view, case=f"CASE{view.payment.payment_id}", paise=100_000)
        shop.bank.raised[said.name] = said
        told = (said.name, said.original)
        await asyncio.gather(
            refunds.request(
                shop.context, shop.merchant, view.payment.payment_id, [ItemToRefund(100_000)], NOW
            ),
            actions.handle_callback(shop.context, "sandbox", told, NOW),
        )
        (stage,) = await stages(shop, view)
        after = await shop.again(view)
        assert after.payment.refunded_paise + stage.held_paise in {100_000, PAISE}
    await holds(shop.db)


async def test_a_payment_under_dispute_is_not_refunded(shop: Shop) -> None:
    in_parts(shop)
    view = await paid(shop)
    await raised(shop, view, paise=50_000)
    answer = await ask(shop, view, 1)
    assert answer.refusal is not None
    assert answer.refusal.code is RefusalCode.UNDER_DISPUTE
    await decided(shop, view, Standing.LOST, 50_000)
    assert (await ask(shop, view, PAISE - 50_000 + 1)).refusal is not None
    assert (await ask(shop, view, PAISE - 50_000)).refusal is None
    await holds(shop.db)


async def test_what_was_refunded_is_not_held_as_well(shop: Shop) -> None:
    in_parts(shop)
    view = await paid(shop)
    await ask(shop, view, 100_000)
    stage = await raised(shop, view)
    assert (stage.amount.paise, stage.held_paise) == (PAISE, PAISE - 100_000)
    # What the bank took beyond what is held is for people: nothing is settled by ourselves.
    after = await decided(shop, view, Standing.LOST, PAISE)
    assert (after.state, after.settled_at) == ("open", None)
    assert "the bank took 149950" in after.bank_message
    await holds(shop.db)


async def test_a_retrieval_moves_nothing_and_is_followed_by_a_chargeback(shop: Shop) -> None:
    view = await paid(shop)
    first = await raised(shop, view, phase=RETRIEVAL)
    assert (first.held_paise, await disputed_postings(shop)) == (0, [])
    await documented(shop, first)
    await answered(shop, first, DisputeReply(0))
    await worked(shop)
    said = word(view, Standing.CLOSED, phase=RETRIEVAL)
    shop.bank.raised[said.name] = said
    assert await actions.look(shop.context, LATER) == 1, (
        "a lost callback is made up for by a look at the list"
    )
    second = await raised(shop, view)
    before, after = await stages(shop, view)
    assert (before.state, after.state, after.dispute_id) == ("closed", "open", first.stage_id)
    assert second.held_paise == PAISE
    await holds(shop.db)


async def test_a_deadline_is_reminded_of_and_then_missed(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    assert await worked(shop, NOW + timedelta(hours=47)) == 0
    assert await worked(shop, stage.respond_by - timedelta(hours=24)) == 1
    assert await worked(shop, stage.respond_by - timedelta(hours=1)) == 0
    late = stage.respond_by + timedelta(seconds=1)
    assert await worked(shop, late) == 1
    (expired,) = await stages(shop, view)
    assert expired.state is DisputeState.EXPIRED
    with pytest.raises(Refused) as refused:
        await answered(shop, stage, DisputeReply(0, "too late"), late)
    assert refused.value.refusal.code is RefusalCode.DISPUTE_OVER
    assert await worked(shop, late) == 1, "the bank is asked at once"
    assert (await stages(shop, view))[0].state == "expired", "that it says nothing decides nothing"
    said = word(view, Standing.LOST, PAISE)
    shop.bank.raised[said.name] = said
    assert await worked(shop, late + timedelta(minutes=1)) == 1
    assert (await stages(shop, view))[0].state == "lost"
    assert await shop.told() == [
        "paid",
        "dispute_opened",
        "dispute_due_soon",
        "dispute_expired",
        "dispute_lost",
    ]
    await holds(shop.db)


async def test_silence_decides_nothing_and_an_answer_is_sent_until_it_arrives(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    shop.bank.decides = deque([Unknown(sent=False), Unknown(), Declined("12", "too late")])
    await answered(shop, stage, DisputeReply(None))
    now = LATER
    for _ in range(4):
        await worked(shop, now)
        now += timedelta(minutes=1)
    (after,) = await stages(shop, view)
    assert (after.state, after.bank_message) == ("accepting", "12 too late")
    assert {each.reference for each in shop.bank.answered} == {stage.reference}
    assert len(shop.bank.answered) == 3
    await holds(shop.db)


async def test_the_same_answer_again_is_the_same_and_another_is_refused(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    first = await answered(shop, stage, DisputeReply(0, "why"))
    assert await answered(shop, stage, DisputeReply(0, "why"), LATER + timedelta(hours=1)) == first
    for other in (DisputeReply(None), DisputeReply(0, "because")):
        with pytest.raises(Refused) as refused:
            await answered(shop, stage, other)
        assert refused.value.refusal.code is RefusalCode.DISPUTE_OVER
    with pytest.raises(Refused):
        await documented(shop, stage)


@pytest.mark.parametrize(
    "given",
    [
        DisputeReply(PAISE + 1),
        DisputeReply(-1),
        DisputeReply(0),
        DisputeReply(0, "x" * 1_001),
        DisputeReply(5),
    ],
)
async def test_a_bad_answer_is_refused(shop: Shop, given: DisputeReply) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    with pytest.raises(Refused) as refused:
        await answered(shop, stage, given)
    assert refused.value.refusal.code is RefusalCode.FIELD_INVALID
    await holds(shop.db)


async def test_a_phase_takes_so_many_documents(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    for number in range(10):
        await documented(shop, stage, pdf(f"bill {number}"))
    with pytest.raises(Refused) as refused:
        await documented(shop, stage, PDF)
    assert refused.value.refusal.received == "11 documents"


async def test_a_dispute_is_charged_once_with_its_tax(shop: Shop) -> None:
    def charged(before):
        return msgspec.structs.replace(before, dispute_fee_paise=50_003)

    await merchants.change_settings(shop.db, shop.merchant.merchant_id, charged, NOW, RECORDED)
    context = replace(shop.context, directory=shop.fresh_directory())
    shop.context = context
    view = await paid(shop)
    await raised(shop, view, phase=RETRIEVAL)
    assert await disputed_postings(shop) == []
    said = word(view, Standing.CLOSED, phase=RETRIEVAL)
    shop.bank.raised[said.name] = said
    await actions.look(shop.context, LATER)
    stage = await raised(shop, view)
    assert (stage.fee_paise, stage.tax_paise) == (50_003, 9_001)
    assert await disputed_postings(shop) == [
        ("dispute_fee", "fee_income", 50_003),
        ("dispute_held", "disputed", PAISE),
        ("dispute_tax", "tax_payable", 9_001),
    ]
    await decided(shop, view, Standing.WON)
    third = await raised(shop, view, phase=DisputePhase.PRE_ARBITRATION)
    assert (third.fee_paise, third.held_paise) == (0, PAISE)
    await holds(shop.db)


async def test_what_the_bank_captured_and_did_not_tell_yet_is_disputed_later(shop: Shop) -> None:
    view = await authorised(shop)
    said = word(view)
    shop.bank.raised[said.name] = said
    told = (said.name, said.original)
    assert not await actions.handle_callback(shop.context, "sandbox", told, NOW), "it is told again"
    await asyncio.gather(
        end(shop, view, CompletionKind.CAPTURE, 100_000),
        actions.handle_callback(shop.context, "sandbox", told, NOW),
    )
    assert await actions.handle_callback(shop.context, "sandbox", told, NOW)
    (stage,) = await stages(shop, view)
    assert (stage.amount.paise, stage.held_paise) == (PAISE, 100_000)
    await holds(shop.db)


async def test_an_archived_payment_comes_back_to_be_disputed_and_stays(shop: Shop) -> None:
    view = await paid(shop)
    await shop.db.execute("UPDATE deliveries SET state = 'no_endpoint'")
    found = await store.of_payment(shop.db, shop.merchant.merchant_id, view.payment.payment_id)
    assert found == []
    stage = await raised(shop, view)
    await decided(shop, view, Standing.WON)
    policy = ArchivePolicy(timedelta(days=1), timedelta(0))
    moved = await archive.archive(
        shop.db, policy, NOW + timedelta(days=400), lambda _what, _done: None
    )
    assert moved.moved == 0, "a disputed payment stays"
    assert stage.payment_id == view.payment.payment_id


async def test_an_answer_that_nobody_gave_is_not_sent(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    await shop.db.execute(
        "UPDATE dispute_stages SET state = 'accepting', answered_at = opened_at, "
        "accepted_paise = amount_paise, "
        "due_at = opened_at WHERE stage_id = $1",
        stage.stage_id,
    )
    await worked(shop)
    assert shop.bank.answered == []


async def test_a_refund_that_failed_leaves_its_part_to_a_dispute(shop: Shop) -> None:
    in_parts(shop)
    view = await paid(shop)
    shop.bank.refunds = deque([Declined("57", "no")])
    await ask(shop, view, 100_000)
    await refund_due(shop.context, NOW)
    (refund,) = await refund_store.of_payment(
        shop.db, shop.merchant.merchant_id, view.payment.payment_id
    )
    assert refund.state is RefundState.FAILED
    assert (await raised(shop, view)).held_paise == PAISE
    await holds(shop.db)
