"""A dispute that somebody contests in the acquirer's own dashboard, and not here."""

from datetime import timedelta

import pytest
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
from hundi.money.audit import actions as audit
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


async def test_after_the_end_or_our_answer_the_word_changes_nothing(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    review = word(view, Standing.UNDER_REVIEW)
    taking = word(view, Standing.TAKING)
    assert rules.after_word(stage, taking, LATER) == stage, "decided, and contested by nobody"
    expired = rules.moved(stage, DisputeState.EXPIRED, expired_at=stage.respond_by)
    assert rules.after_word(expired, review, LATER) == expired
    ours = await answered(shop, stage, DisputeReply())
    assert ours.state is DisputeState.ACCEPTING
    assert rules.after_word(ours, review, LATER) == ours


async def test_at_the_deadline_it_is_asked_for_a_last_time(shop: Shop) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    assert await worked(shop, stage.respond_by - timedelta(hours=24)) == 1
    assert shop.bank.count("inquire_dispute") == 1, "by the news alone"
    review = word(view, Standing.UNDER_REVIEW)
    shop.bank.raised[review.name] = review  # no callback tells it
    late = stage.respond_by + timedelta(seconds=1)
    assert await worked(shop, late) == 1
    (contested,) = await stages(shop, view)
    assert (contested.state, contested.answered_at, contested.unsent) == (
        "under_review",
        late,
        False,
    )
    assert shop.bank.answered == []
    told = ["paid", "dispute_opened", "dispute_due_soon", "dispute_contested"]
    assert await shop.told() == told
    await holds(shop.db)
    assert (await decided(shop, view, Standing.WON, now=late)).state == "won"
    assert await shop.told() == [*told, "dispute_won"]
    await holds(shop.db)


@pytest.mark.parametrize("standing", [Standing.OPEN, Standing.TAKING, Standing.LOST, None])
async def test_whatever_else_it_says_at_the_deadline_the_phase_expires(
    shop: Shop, standing: Standing | None
) -> None:
    view = await paid(shop)
    stage = await raised(shop, view)
    if standing is None:
        shop.bank.silent.add(stage.bank_case)
    else:
        said = word(view, standing, PAISE if standing is Standing.LOST else 0)
        shop.bank.raised[said.name] = said
    assert await worked(shop, stage.respond_by) == 1
    assert [each.state for each in await stages(shop, view)] == ["expired"]
    assert (await shop.told())[-1] == "dispute_expired"
    await holds(shop.db)


async def test_an_answer_of_ours_after_the_deadline_is_named(shop: Shop) -> None:
    stage = await raised(shop, await paid(shop))
    await answered(shop, stage, DisputeReply(0, "it came"))
    await worked(shop)
    await shop.db.execute("UPDATE dispute_stages SET respond_by = answered_at")
    report = await audit.audit(shop.db, [], LATER)
    assert [each.violation for each in report.checked if each.count] == ["dispute_differs"]


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
    assert {line["event"] for line in lines if line["log_level"] == "error"} == {
        "dispute_answer_not_taken"
    }
    (after,) = await stages(shop, view)
    assert (after.unsent, after.state) == (True, stage.state)
    assert after.bank_message == answer_rules.NOT_TAKEN
    assert bank.answered == []
    await holds(shop.db)
