"""A dispute that somebody contests in the acquirer's own dashboard, and not here."""

from datetime import timedelta

from hundi.acquirers.port.disputes import (
    AcceptsDisputes,
    ContestsDisputes,
    DividesDisputes,
    Standing,
)
from hundi.kernel.records import replace
from hundi.kernel.states import DisputeState
from hundi.payments.disputes import rules
from hundi.payments.disputes.answers import rules as taking
from hundi.payments.disputes.answers.actions import DisputeReply
from tests.payments.disputes.played import (
    LATER,
    answered,
    decided,
    disputed_postings,
    raised,
    word,
    worked,
)
from tests.payments.refunds.test_actions import PAISE, holds, paid
from tests.shop import Shop


async def test_it_is_contested_once_and_nothing_is_sent(shop: Shop) -> None:
    view = await paid(shop)
    await raised(shop, view)
    for _ in range(2):
        stage = await decided(shop, view, Standing.UNDER_REVIEW)
    assert (stage.state, stage.answered_at, stage.sent_at) == ("under_review", LATER, LATER)
    assert (stage.accepted_paise, stage.note, stage.unsent) == (0, "", False)
    await worked(shop)
    assert (shop.bank.answered, shop.bank.evidence) == ([], {})
    assert await shop.told() == ["paid", "dispute_opened", "dispute_contested"]
    await holds(shop.db)
    lost = await decided(shop, view, Standing.LOST, PAISE)
    assert lost.state == "lost"
    assert await disputed_postings(shop) == [
        ("dispute_held", "disputed", PAISE),
        ("dispute_lost", "receivable:sandbox", PAISE),
    ]
    await holds(shop.db)


async def test_after_the_deadline_or_our_answer_the_word_changes_nothing(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    review = word(view, Standing.UNDER_REVIEW)
    for now in (stage.respond_by, stage.respond_by + timedelta(hours=1)):
        assert rules.after_word(stage, review, now) == stage
    expired = rules.moved(stage, DisputeState.EXPIRED, expired_at=stage.respond_by)
    assert rules.after_word(expired, review, LATER) == expired
    ours = await answered(shop, stage, DisputeReply())
    assert ours.state is DisputeState.ACCEPTING
    assert rules.after_word(ours, review, LATER) == ours


async def test_an_answer_needs_an_acquirer_that_takes_it(shop: Shop) -> None:
    stage = await raised(shop, await paid(shop))
    for accepted, answer, capability in (
        (0, "contest", ContestsDisputes),
        (1, "part", DividesDisputes),
        (PAISE - 1, "part", DividesDisputes),
        (PAISE, "accept", AcceptsDisputes),
    ):
        assert taking.kind_of(stage, accepted) == answer
        assert taking.ANSWERS[answer] is capability
    acquirers = shop.context.connectors.all()
    own = next(connector for connector in acquirers if connector.name == stage.connector)
    able = {answer for answer, need in taking.ANSWERS.items() if isinstance(own, need)}
    assert able
    assert taking.taken_here(stage, acquirers) == able
    elsewhere = replace(stage, connector="another")
    assert taking.taken_here(elsewhere, acquirers) == frozenset()
