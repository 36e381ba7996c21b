"""The calendar of subscriptions, what may be asked for, and what follows a try."""

from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.mandates import MandateTerms, NoticeGiven
from hundi.instruments.mandates import NOTICE, RETRIES_MAX, in_window
from hundi.kernel.clock import INDIA, business_day, ist
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.states import AttemptState, PaymentState
from hundi.kernel.states import DebitState as D
from hundi.kernel.states import SubscriptionPeriod as Period
from hundi.kernel.states import SubscriptionState as S
from hundi.payments.subscriptions.debits.rules import (
    DEBIT_MOVES,
    after_try,
    debit_moved,
    debit_time,
    is_over,
    noticed,
    too_late,
)
from hundi.payments.subscriptions.rules import (
    NOTICE_GRACE,
    NOTICE_SPARE,
    SUBSCRIPTION_MOVES,
    ApprovalTerms,
    Debit,
    Subscription,
    bounds_of,
    bounds_refusal,
    day_of,
    first_to_resume,
    moved,
    notice_due,
    planned_at,
    plans_at,
    terms_refusal,
)
from tests.payments.stages import AMOUNT, NOW, attempt, view

TERMS = ApprovalTerms(
    amount=Money(49_900),
    maximum=Money(1_000_00),
    period=Period.MONTH,
    frequency=1,
    starts_on=date(2026, 12, 31),
    debits_max=12,
    retries_max=2,
)
RUNNING = Subscription(
    merchant_id=12345,
    subscription_id=900,
    order_id="PLAN-1",
    state=S.ACTIVE,
    amount=TERMS.amount,
    max_paise=TERMS.maximum.paise,
    period=Period.MONTH,
    frequency=1,
    starts_on=TERMS.starts_on,
    debits_max=12,
    retries_max=2,
    valid_until=TERMS.valid_until,
    created_at=NOW,
    due_at=None,
    mandate_reference="12345-1",
    channel="upi",
    activated_at=NOW,
)
SENT = Debit(
    merchant_id=12345,
    debit_id=5,
    subscription_id=900,
    period_no=1,
    amount=Money(AMOUNT),
    state=D.SENT,
    planned_at=NOW,
    created_at=NOW - timedelta(days=2),
    due_at=NOW,
    noticed_at=NOW - timedelta(days=2),
    payment_id=901,
    tries=1,
)
days = st.dates(date(2024, 1, 1), date(2036, 12, 31))
moments = st.datetimes(datetime(2024, 1, 1), datetime(2036, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001
scheduled = st.builds(
    lambda period, frequency, start: replace(
        RUNNING, period=period, frequency=frequency, starts_on=start
    ),
    st.sampled_from([Period.DAY, Period.WEEK, Period.MONTH, Period.YEAR]),
    st.integers(1, 40),
    days,
)


def test_a_month_that_is_too_short_gets_its_last_day_and_the_next_one_the_31st_again() -> None:
    found = [day_of(TERMS, number) for number in range(1, 7)]
    assert found == [
        date(2026, 12, 31),
        date(2027, 1, 31),
        date(2027, 2, 28),
        date(2027, 3, 31),
        date(2027, 4, 30),
        date(2027, 5, 31),
    ]


def test_29_february_is_28_in_a_common_year_and_29_again_in_a_leap_year() -> None:
    yearly = replace(TERMS, period=Period.YEAR, starts_on=date(2028, 2, 29))
    assert [day_of(yearly, number) for number in (1, 2, 5)] == [
        date(2028, 2, 29),
        date(2029, 2, 28),
        date(2032, 2, 29),
    ]
    assert day_of(replace(TERMS, starts_on=date(2027, 12, 30)), 3) == date(2028, 2, 29)


@given(scheduled, st.integers(1, 30))
def test_periods_follow_each_other_without_a_gap_or_a_double(
    subscription: Subscription, number: int
) -> None:
    this, following = day_of(subscription, number), day_of(subscription, number + 1)
    assert day_of(subscription, 1) == subscription.starts_on
    match subscription.period:
        case Period.DAY:
            assert (following - this).days == subscription.frequency
        case Period.WEEK:
            assert (following - this).days == 7 * subscription.frequency
            assert following.weekday() == subscription.starts_on.weekday()
        case _:
            months = subscription.frequency * (12 if subscription.period is Period.YEAR else 1)
            assert (following.year - this.year) * 12 + following.month - this.month == months
            assert following.day == min(
                subscription.starts_on.day, monthrange(following.year, following.month)[1]
            )


@given(moments)
def test_a_debit_is_moved_into_the_next_window_of_the_network_and_no_further(
    moment: datetime,
) -> None:
    found = in_window("upi", moment)
    assert found >= moment
    assert in_window("upi", found) == found
    if business_day(moment) >= date(2025, 8, 1):
        local = ist(found).time()
        assert local < time(10) or time(13) <= local < time(17) or local >= time(21, 30)
        assert found - moment <= timedelta(hours=4, minutes=30)
    else:
        assert found == moment


@given(scheduled, moments)
def test_a_debit_never_comes_sooner_than_a_day_after_its_notice(
    subscription: Subscription, noticed: datetime
) -> None:
    planned = planned_at(subscription, 1)
    found = debit_time(RUNNING, planned, noticed)
    assert found >= noticed + NOTICE
    assert found >= planned
    assert in_window("upi", found) == found


@given(scheduled, moments)
def test_a_debit_is_missed_when_its_notice_leaves_it_no_day_before_the_next(
    subscription: Subscription, noticed: datetime
) -> None:
    planned, following = planned_at(subscription, 1), planned_at(subscription, 2)
    late = too_late(subscription, 1, debit_time(RUNNING, planned, noticed))
    if noticed + NOTICE >= following:
        assert late
    if noticed + NOTICE + NOTICE_GRACE <= planned:
        assert not late


def test_a_notice_in_time_leaves_an_hour_for_a_silent_bank() -> None:
    due = notice_due(RUNNING, 1)
    assert (
        due
        == planned_at(RUNNING, 1) - NOTICE - NOTICE_SPARE
        == datetime(2026, 12, 30, 5, 0, tzinfo=INDIA)
    )
    assert debit_time(RUNNING, planned_at(RUNNING, 1), due + timedelta(minutes=55)) == planned_at(
        RUNNING, 1
    )


def test_there_is_no_notice_beyond_the_last_period() -> None:
    assert notice_due(RUNNING, 12) is not None
    assert notice_due(RUNNING, 13) is None
    assert plans_at(replace(RUNNING, next_period=13)) is None


@given(scheduled, moments)
def test_what_passed_in_a_pause_is_left_out(subscription: Subscription, now: datetime) -> None:
    endless = replace(subscription, debits_max=None, valid_until=date(2100, 1, 1))
    number = first_to_resume(endless, now)
    due = notice_due(endless, number)
    assert due is not None
    assert due >= now
    if number > endless.next_period:
        before = notice_due(endless, number - 1)
        assert before is not None
        assert before < now


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"amount": Money(1_000_01)}, "sb_amount"),
        ({"starts_on": date(2026, 11, 19)}, "sb_nextrundate"),
        ({"starts_on": date(2029, 1, 1)}, "sb_nextrundate"),
        ({"debits_max": 998, "frequency": 366, "period": Period.YEAR}, "sb_recurringcount"),
    ],
)
def test_terms_beyond_the_rules_are_refused_by_the_name_of_their_field(
    changed: dict[str, object], field: str
) -> None:
    refusal = terms_refusal(replace(TERMS, **changed), NOW)  # type: ignore[arg-type]
    assert refusal is not None
    assert refusal.field == field
    assert refusal.received
    assert refusal.allowed


def test_insurance_may_debit_more_and_the_rule_names_its_source() -> None:
    channels = ("upi", "pg", "enach")
    usual, insurance = (
        bounds_of(TERMS, Money(9_900), channels, mcc, NOW) for mcc in ("5411", "6300")
    )
    most = {code: each.most_paise for code, each in usual.items()}
    assert most == {"upi": 15_000_00, "pg": 15_000_00, "enach": 1_00_00_000_00}
    assert {code: each.most_paise for code, each in insurance.items()} == most | {
        "upi": 1_00_000_00,
        "pg": 1_00_000_00,
    }
    assert [code for code, each in usual.items() if 98_00 in each] == ["upi", "pg"]
    refusal = bounds_refusal(replace(TERMS, maximum=Money(1_00_00_000_01)), usual)
    assert refusal.field == "sb_maxamount"
    assert "enach from ₹99.00 up to ₹1,00,00,000.00 (NPCI" in refusal.allowed
    assert "pg up to ₹15,000.00 (RBI, 16 June 2022" in refusal.allowed


def test_a_mandate_is_valid_a_month_longer_than_its_last_debit_and_thirty_years_at_most() -> None:
    assert TERMS.valid_until == date(2027, 12, 30)
    assert replace(TERMS, debits_max=None).valid_until == date(2056, 12, 31)


def test_a_declined_try_is_followed_by_another_one_as_often_as_allowed() -> None:
    declined = view(PaymentState.FAILED, replace(attempt(AttemptState.FAILED), settled_at=NOW))
    after = after_try(RUNNING, SENT, declined, MandateTerms(), NOW)
    assert after is not None
    assert (after.state, after.due_at, after.settled_at) == (
        D.RETRYING,
        in_window("upi", NOW + timedelta(days=1)),
        None,
    )
    last = after_try(RUNNING, replace(SENT, tries=3), declined, MandateTerms(), NOW)
    assert last is not None
    assert (last.state, last.due_at, last.settled_at) == (D.FAILED, None, NOW)
    many = after_try(
        replace(RUNNING, retries_max=99),
        replace(SENT, tries=RETRIES_MAX + 1),
        declined,
        MandateTerms(),
        NOW,
    )
    assert many is not None
    assert many.state is D.FAILED


def test_an_acquirer_may_take_fewer_tries_and_only_for_a_time() -> None:
    declined = view(PaymentState.FAILED, replace(attempt(AttemptState.FAILED), settled_at=NOW))
    hourly = MandateTerms(retries_max=1, retry_gap=timedelta(hours=2))
    until = replace(SENT, tries=1, debit_until=NOW + timedelta(hours=23))
    after = after_try(RUNNING, until, declined, hourly, NOW)
    assert after is not None
    assert (after.state, after.due_at) == (D.RETRYING, in_window("upi", NOW + timedelta(hours=2)))
    for debit, terms in ((replace(until, tries=2), hourly), (until, MandateTerms())):
        last = after_try(RUNNING, debit, declined, terms, NOW)
        assert last is not None
        assert last.state is D.FAILED
    assert not is_over(RUNNING, until, NOW)
    assert is_over(RUNNING, until, NOW + timedelta(hours=23))


def test_a_debit_is_planned_for_when_its_acquirer_takes_it() -> None:
    planned = planned_at(RUNNING, 1)
    later, end = planned + timedelta(hours=3), planned + timedelta(hours=50)
    told = NoticeGiven("NTC-1", later, end)
    after = noticed(RUNNING, SENT, told, planned, NOW)
    assert (after.planned_at, after.due_at) == (later, later)
    assert (after.notice_name, after.debit_until, after.noticed_at) == ("NTC-1", end, NOW)
    assert noticed(RUNNING, SENT, NoticeGiven(), planned, NOW).planned_at == planned


def test_a_cancelled_subscription_has_no_further_try() -> None:
    declined = view(PaymentState.FAILED, replace(attempt(AttemptState.FAILED), settled_at=NOW))
    after = after_try(moved(RUNNING, S.CANCELLED, NOW), SENT, declined, MandateTerms(), NOW)
    assert after is not None
    assert after.state is D.FAILED


def test_a_late_decision_is_waited_for_and_one_that_never_came_ends_the_questions() -> None:
    at_bank = view(PaymentState.IN_PROCESS, attempt(AttemptState.PENDING))
    assert after_try(RUNNING, SENT, at_bank, MandateTerms(), NOW) is None
    silent = replace(attempt(AttemptState.UNKNOWN), inquire_at=NOW)
    assert after_try(RUNNING, SENT, view(PaymentState.UNKNOWN, silent), MandateTerms(), NOW) is None
    after = after_try(
        RUNNING,
        SENT,
        view(PaymentState.UNKNOWN, replace(silent, inquire_at=None)),
        MandateTerms(),
        NOW,
    )
    assert after is not None
    assert after.state is D.FAILED


def test_a_paid_order_is_a_done_debit_also_after_its_last_try_failed() -> None:
    paid = view(PaymentState.PAID, attempt(AttemptState.PAID))
    for state in (D.SENT, D.RETRYING, D.FAILED):
        after = after_try(RUNNING, replace(SENT, state=state), paid, MandateTerms(), NOW)
        assert after is not None
        assert after.state is D.DONE


@given(st.sampled_from(S), st.sampled_from(S))
def test_a_subscription_moves_by_its_table_only(before: S, after: S) -> None:
    subscription = replace(RUNNING, state=before)
    if after in SUBSCRIPTION_MOVES[before]:
        found = moved(subscription, after, NOW)
        assert (found.ended_at is not None) == (after in {S.CANCELLED, S.COMPLETED, S.FAILED})
        assert found.due_at == (NOW if after is S.CANCELLED else plans_at(found))
    else:
        with pytest.raises(AssertionError, match="may not become"):
            moved(subscription, after, NOW)


@given(st.sampled_from(D), st.sampled_from(D))
def test_a_debit_moves_by_its_table_only(before: D, after: D) -> None:
    debit = replace(SENT, state=before)
    if after is before or after in DEBIT_MOVES[before]:
        found = debit_moved(debit, after, NOW, NOW)
        assert (found.settled_at is not None) == (after in {D.DONE, D.FAILED, D.SKIPPED, D.MISSED})
    else:
        with pytest.raises(AssertionError, match="may not become"):
            debit_moved(debit, after, NOW)
