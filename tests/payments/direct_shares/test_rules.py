"""Which answer changes a direct share how; what is taken back of it adds up."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import ShareMade
from hundi.kernel.inquiries import LAST_FOR, LAST_GAP, UNANSWERED_GAP
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.payments.direct_shares import rules
from hundi.payments.direct_shares.reversals import rules as reversals
from hundi.payments.direct_shares.reversals.rules import ReversalState, ShareReversal
from hundi.payments.direct_shares.rules import (
    SHARE_MOVES,
    DirectShare,
    DirectShareState,
    ShareAnswer,
    ShareGaps,
)
from tests.payments.stages import NOW

S = DirectShareState
DAY = timedelta(days=1)
GAPS = ShareGaps((3, 5), (60,), 60)
SHARE = DirectShare(
    merchant_id=12345,
    share_id=215_000_000_000_001,
    payment_id=900,
    request_id="1",
    identifier="WEAVER",
    attempt_id=1,
    connector="sandbox",
    party="acc_weaver",
    base_paise=100_000,
    amount_paise=80_000,
    state=S.WAITING,
    created_at=NOW,
    due_at=NOW,
)
SENT = rules.sent(SHARE, 100_000, NOW).after
REVERSAL = ShareReversal(
    12345, 215_000_000_000_002, SHARE.share_id, 20_000, ReversalState.SENT, NOW, NOW
)
MADE = ShareMade(Money(80_000), "trf_1")


@pytest.mark.parametrize(
    ("state", "answer", "after"),
    [
        (S.SENT, MADE, "done"),
        (S.UNKNOWN, MADE, "done"),
        (S.SENT, Declined("no"), "refused"),
        (S.UNKNOWN, Declined("no"), "refused"),
        (S.SENT, Unknown(), "unknown"),
        (S.SENT, NothingThere(), "unknown"),
        (S.UNKNOWN, NothingThere(), "unknown"),
        (S.SENT, ShareMade(Money(79_999), "trf_1"), "unknown"),
        (S.DONE, Declined("no"), "done"),
        (S.DONE, Unknown(), "done"),
    ],
)
def test_each_answer_has_one_effect(state: S, answer: ShareAnswer, after: str) -> None:
    change = rules.after_answer(replace(SENT, state=state), answer, GAPS, NOW)
    assert change is not None
    assert change.after.state == after
    assert after == state or S(after) in SHARE_MOVES[state]
    assert bool(change.postings) == (after != state and after in {"done", "refused"})


@pytest.mark.parametrize("state", [S.WAITING, S.CANCELLED])
def test_an_answer_about_what_was_not_sent_or_has_ended_changes_nothing(state: S) -> None:
    assert rules.after_answer(replace(SENT, state=state), MADE, GAPS, NOW) is None


def test_a_refusal_after_an_earlier_call_decides_a_day_later() -> None:
    again = rules.sent_again(SENT, NOW + timedelta(minutes=5)).after
    for after, state in ((rules.REPEAT_GRACE - timedelta(seconds=1), "unknown"), (DAY, "refused")):
        change = rules.after_answer(again, Declined("busy"), GAPS, NOW + after)
        assert change is not None
        assert (change.after.state, change.after.code) == (state, "busy")


def test_a_refused_share_that_was_made_is_posted_once() -> None:
    change = rules.after_answer(SENT, Declined("no"), GAPS, NOW)
    assert change is not None
    refused = replace(change.after, revision=3)
    late = rules.after_answer(refused, MADE, GAPS, NOW + DAY)
    assert late is not None
    assert (late.after.state, late.after.late_at) == ("refused", NOW + DAY)
    (posting,) = late.postings
    assert (posting.debit, posting.amount.paise) == ("payable", 80_000)
    assert rules.after_answer(late.after, MADE, GAPS, NOW + DAY) is None


def test_inquiries_that_webhooks_ask_for_use_up_no_schedule() -> None:
    done = rules.after_answer(SENT, MADE, GAPS, NOW)
    assert done is not None
    hastened = replace(done.after, inquiries=40)
    change = rules.after_answer(hastened, MADE, GAPS, NOW + timedelta(seconds=5))
    assert change is not None
    assert change.after.due_at == NOW + timedelta(seconds=60)


def test_an_inquiry_without_an_answer_uses_up_no_schedule() -> None:
    refused = rules.after_answer(SENT, Declined("no"), GAPS, NOW)
    made = rules.after_answer(SENT, MADE, GAPS, NOW)
    assert refused is not None
    assert made is not None
    look = NOW + timedelta(hours=1, minutes=5)
    assert _due(refused.after, Unknown(), look) == look + UNANSWERED_GAP
    assert _due(refused.after, NothingThere(), look) == look + timedelta(hours=6)
    for ended, last in (
        (refused.after, NOW + timedelta(seconds=sum(rules.REFUSED_GAPS_S))),
        (made.after, NOW + timedelta(seconds=sum(GAPS.settled_s))),
    ):
        assert _due(ended, Unknown(), last) == last + LAST_GAP
        assert _due(ended, Unknown(), last + LAST_FOR) is None
        assert _due(ended, NothingThere(), last) is None


def _due(share: DirectShare, answer: ShareAnswer, now: datetime) -> datetime | None:
    change = rules.after_answer(share, answer, GAPS, now)
    assert change is not None
    return change.after.due_at


def test_a_refused_share_that_was_made_with_another_amount_says_so() -> None:
    refused = rules.after_answer(SENT, Declined("no"), GAPS, NOW)
    assert refused is not None
    change = rules.after_answer(refused.after, ShareMade(Money(79_999), "trf_1"), GAPS, NOW)
    assert change is not None
    assert (change.after.state, change.after.late_at, change.postings) == (S.REFUSED, None, ())
    assert change.after.message == "the acquirer speaks of 79999 paise"
    assert change.after.due_at is not None


def test_a_move_outside_the_table_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="may not become waiting"):
        rules.moved(SENT, S.WAITING)


def test_only_what_is_not_there_after_the_grace_is_sent_again() -> None:
    over = NOW + timedelta(seconds=60)
    assert rules.sends_again(SENT, NothingThere(), GAPS, over)
    assert not rules.sends_again(SENT, NothingThere(), GAPS, over - timedelta(seconds=1))
    assert not rules.sends_again(SENT, Unknown(sent=False), GAPS, over)


@pytest.mark.parametrize(
    ("state", "answer", "again"),
    [
        (ReversalState.SENT, NothingThere(), True),
        (ReversalState.UNKNOWN, Unknown(), False),
        (ReversalState.UNKNOWN, Declined("no"), False),
        (ReversalState.OWED, Declined("no"), True),
        (ReversalState.OWED, NothingThere(), True),
        (ReversalState.OWED, Approved(Money(20_000), "r1"), False),
        (ReversalState.OWED, Unknown(), False),
    ],
)
def test_a_reversal_is_sent_again_only_where_nothing_was_taken(
    state: ReversalState, answer: reversals.ReversalAnswer, *, again: bool
) -> None:
    late = NOW + timedelta(days=2)
    reversal = replace(REVERSAL, state=state)
    assert reversals.reverses_again(reversal, answer, GAPS, late) is again


@pytest.mark.parametrize(
    ("answer", "after"),
    [
        (Approved(Money(20_000), "r1"), "done"),
        (Approved(Money(19_999), "r1"), "unknown"),
        (Declined("no"), "owed"),
        (Unknown(), "unknown"),
    ],
)
def test_each_answer_about_a_reversal_has_one_effect(
    answer: reversals.ReversalAnswer, after: str
) -> None:
    assert reversals.reversal_after(REVERSAL, answer, NOW).state == after


@given(st.integers(1, 10**12), st.data())
def test_whatever_is_refunded_step_by_step_no_more_is_taken_back_than_was_given(
    base: int, data: st.DataObject
) -> None:
    amount = data.draw(st.integers(1, base))
    left_at_first = data.draw(st.integers(1, base))
    change = rules.sent(replace(SHARE, base_paise=base, amount_paise=amount), left_at_first, NOW)
    share, taken, left = change.after, 0, left_at_first
    moved = sum(each.amount.paise for each in change.postings)
    assert moved + share.sent_paise == amount, "what is not sent goes back"
    for _ in range(3):
        left = data.draw(st.integers(0, left))
        taken += reversals.to_reverse(share, left, taken)
    assert 0 <= taken <= share.sent_paise
    if left == 0 and share.sent_paise:
        assert taken == share.sent_paise


@given(st.data())
def test_parts_that_a_refund_carries_are_never_more_than_the_refund(data: st.DataObject) -> None:
    base = data.draw(st.integers(2, 10**9))
    first = data.draw(st.integers(1, base - 1))
    amounts = [first, data.draw(st.integers(1, base - first))]
    shares = [
        replace(SENT, share_id=number, base_paise=base, amount_paise=paise, sent_paise=paise)
        for number, paise in enumerate(amounts, 1)
    ]
    taken, left = {share.share_id: 0 for share in shares}, base
    for is_last in (False, False, False, True):
        refund = left if is_last else data.draw(st.integers(0, left))
        left -= refund
        before = [(share, taken[share.share_id]) for share in shares]
        parts = reversals.carried(before, left, refund)
        assert sum(paise for _, paise in parts) <= refund
        for share, paise in parts:
            assert paise > 0
            taken[share.share_id] += paise
    assert list(taken.values()) == amounts, "the whole refund takes the whole of each part"
