"""A dispute that somebody contests in the acquirer's own dashboard, and not here."""

from datetime import timedelta

from structlog.testing import capture_logs

from hundi.acquirers.port.disputes import (
    AcceptsDisputes,
    ContestsDisputes,
    DividesDisputes,
    Standing,
)
from hundi.acquirers.registry import Registry
from hundi.kernel.records import replace
from hundi.kernel.states import DisputeState
from hundi.payments.disputes import rules
from hundi.payments.disputes.answers import rules as answer_rules
from hundi.payments.disputes.answers.actions import DisputeReply
from tests.acquirer import WholeDisputesAcquirer
from tests.payments.disputes.played import (
    LATER,
    answered,
    decided,
    disputed_postings,
    raised,
    stages,
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
    taking = word(view, Standing.TAKING)
    assert rules.after_word(stage, taking, LATER) == stage, "decided, and contested by nobody"
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
        assert answer_rules.kind_of(stage, accepted) == answer
        assert answer_rules.ANSWERS[answer] is capability
    acquirers = shop.context.connectors.all()
    own = next(connector for connector in acquirers if connector.name == stage.connector)
    able = {answer for answer, need in answer_rules.ANSWERS.items() if isinstance(own, need)}
    assert able
    assert answer_rules.taken_here(stage, acquirers) == able
    elsewhere = replace(stage, connector="another")
    assert answer_rules.taken_here(elsewhere, acquirers) == frozenset()


async def test_an_answer_that_is_taken_no_more_is_named(shop: Shop) -> None:
    view = await paid(shop)
    stage = await answered(shop, await raised(shop, view), DisputeReply(1, "the rest arrived"))
    bank = WholeDisputesAcquirer()
    bank.raised = shop.bank.raised
    shop.context.connectors.take(Registry([bank]).members)
    with capture_logs() as lines:
        for minutes in (1, 30):
            await worked(shop, LATER + timedelta(minutes=minutes))
    assert {line["event"] for line in lines} >= {"dispute_answer_not_taken"}
    (after,) = await stages(shop, view)
    assert (after.unsent, after.state) == (True, stage.state)
    assert after.bank_message == answer_rules.NOT_TAKEN
    assert bank.answered == []
    await holds(shop.db)
