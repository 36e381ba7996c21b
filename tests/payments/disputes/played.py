"""Disputes that tests raise, answer and have decided."""

from datetime import datetime, timedelta

from hundi.acquirers.port.disputes import DisputeWord, PhaseName, Standing
from hundi.kernel.money import Money
from hundi.kernel.states import Actor, DisputePhase
from hundi.payments.disputes import actions, jobs, store
from hundi.payments.disputes.answers import actions as answers
from hundi.payments.disputes.answers.actions import DisputeReply
from hundi.payments.disputes.rules import Stage
from hundi.payments.orders.rules import PaymentView
from tests.documents import pdf
from tests.payments.refunds.test_actions import PAISE
from tests.shop import NOW, VAULT, Shop

CHARGEBACK, RETRIEVAL = DisputePhase.CHARGEBACK, DisputePhase.RETRIEVAL
CASE = "CASE1"
PDF = pdf("bill of delivery")
LATER = NOW + timedelta(minutes=1)


def word(
    view: PaymentView,
    standing: Standing = Standing.OPEN,
    taken: int = 0,
    *,
    phase: DisputePhase = CHARGEBACK,
    paise: int = PAISE,
    case: str = CASE,
) -> DisputeWord:
    original, rrn = view.attempts[0].reference, "632512340001" if taken else ""
    name = PhaseName(case, phase)
    return DisputeWord(
        name, original, standing, Money(paise), "10.4", NOW + timedelta(days=3), "", taken, rrn
    )


async def raised(shop: Shop, view: PaymentView, **more: object) -> Stage:
    """Raise a phase at the bank, tell of it by callback, and return its stage."""
    said = word(view, **more)  # type: ignore[arg-type]
    shop.bank.raised[said.name] = said
    told = (said.name, said.original)
    assert await actions.handle_callback(shop.context, "sandbox", told, NOW)
    return (await stages(shop, view))[-1]


async def stages(shop: Shop, view: PaymentView) -> list[Stage]:
    return await store.of_payment(shop.db, shop.merchant.merchant_id, view.payment.payment_id)


async def worked(shop: Shop, now: datetime = LATER) -> int:
    return await jobs.disputes(shop.context, VAULT).once(now)


async def answered(shop: Shop, stage: Stage, given: DisputeReply, now: datetime = LATER) -> Stage:
    found = await answers.answer(
        shop.db, stage.merchant_id, stage.dispute_id, given, Actor.MERCHANT, now
    )
    return found.latest


async def documented(shop: Shop, stage: Stage, body: bytes = PDF, name: str = "bill.pdf") -> int:
    owner = stage.merchant_id
    found = await answers.add_evidence(shop.db, VAULT, owner, stage.dispute_id, name, body, LATER)
    return found.evidence_id


async def decided(
    shop: Shop,
    view: PaymentView,
    standing: Standing,
    taken: int = 0,
    now: datetime = LATER,
    *,
    case: str = CASE,
) -> Stage:
    said = word(view, standing, taken, case=case)
    shop.bank.raised[said.name] = said
    assert await actions.handle_callback(shop.context, "sandbox", (said.name, said.original), now)
    return (await stages(shop, view))[-1]


async def disputed_postings(shop: Shop) -> list[tuple[str, str, int]]:
    return sorted(each for each in await shop.postings() if each[0].startswith("dispute"))
