"""When postings are ready, and how a settlement comes out: to the paisa, whatever the amounts."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.refusals import Refused
from hundi.money.calendar.rules import Calendar
from hundi.money.settlements import rules
from hundi.money.settlements.rules import (
    DEFAULT_TERMS,
    PRIMARY,
    BaseEvent,
    CarriedBalance,
    ItemSums,
    LinkedPart,
    SettlementKind,
    SettlementTerms,
)

BANKS = Calendar("IN", frozenset({date(2026, 11, 24)}))
DAILY = SettlementKind.DAILY
names = st.sampled_from(("A", "B", "C", "D"))
paise = st.integers(0, 10**9)
terms = st.builds(
    SettlementTerms,
    cut_off_minute=st.integers(1, 1_440),
    base_event=st.just(BaseEvent.SHIPMENT),
    base_days=st.integers(0, 20),
    working_days=st.integers(0, 10),
    minimum_paise=st.integers(1, 100_000),
    reserve_bps=st.integers(0, 10_000),
    instant_bps=st.one_of(st.none(), st.integers(0, 1_000)),
)
moments = st.datetimes(
    datetime(2026, 1, 1),  # noqa: DTZ001 (the strategy takes bounds without a zone)
    datetime(2027, 12, 31),  # noqa: DTZ001 (as above)
    timezones=st.just(UTC),
)


@st.composite
def part(draw: st.DrawFn) -> LinkedPart:
    base = draw(st.integers(1, 10**9))
    return LinkedPart(
        draw(st.integers(1, 9)),
        draw(names),
        draw(st.integers(0, base)),
        base,
        draw(st.integers(0, 2 * base)),
    )


takings = st.builds(
    ItemSums,
    items=st.integers(0, 9),
    gross_paise=paise,
    refunds_paise=st.integers(-(10**9), 10**9),
    other_paise=st.integers(-(10**9), 10**9),
    fee_paise=paise,
    tax_paise=paise,
)
befores = st.builds(
    CarriedBalance,
    carried_paise=st.integers(-(10**9), 10**9),
    linked_carried=st.dictionaries(names, st.integers(1, 10**9)),
    reserve_due_paise=paise,
)


@given(takings, st.lists(part(), max_size=6), befores, terms, st.sampled_from(SettlementKind))
def test_not_a_paisa_is_lost_whatever_is_settled(
    taken: ItemSums,
    parts: list[LinkedPart],
    before: CarriedBalance,
    agreed: SettlementTerms,
    kind: SettlementKind,
) -> None:
    found = rules.settle(taken, parts, before, agreed, kind)
    came = before.carried_paise + taken.gross_paise - taken.refunds_paise + taken.other_paise
    came += found.reserve_released_paise - found.reserve_held_paise
    came -= taken.fee_paise + taken.tax_paise + found.price_paise + found.price_tax_paise
    assert came == found.net_paise + found.splits_paise + found.carried_paise
    owed = sum(before.linked_carried.values()) + sum(each.due_paise for each in parts)
    assert owed == found.splits_paise + sum(found.linked_carried.values())
    assert all(amount > 0 for _, amount in found.shares)
    assert all(amount > 0 for amount in found.linked_carried.values())
    if found.shares:
        assert sum(amount for _, amount in found.shares) >= agreed.minimum_paise
        assert found.carried_paise == 0, "who pays out pays all"
    if found.net_paise:
        assert not found.linked_carried, "the merchant gets nothing while linked accounts wait"


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 10**12), max_size=8), st.floats(0, 1))
def test_an_amount_is_shared_out_whole_and_nobody_is_a_paisa_off(
    owed: dict[str, int], of_it: float
) -> None:
    total = sum(owed.values())
    amount = int(total * of_it)
    given_to = rules.distribute(amount, owed)
    assert sum(given_to.values()) == amount
    for name, due in owed.items():
        exact = amount * due // total if total else 0
        assert given_to[name] in {exact, exact + 1}
        assert given_to[name] <= due


def test_the_paise_that_are_left_go_to_the_largest_fractions() -> None:
    assert rules.distribute(100, {"A": 50, "B": 30, "C": 20}) == {"A": 50, "B": 30, "C": 20}
    assert rules.distribute(10, {"A": 1, "B": 5, "C": 8}) == {"A": 1, "B": 3, "C": 6}
    with pytest.raises(ValueError, match="cannot be shared out"):
        rules.distribute(11, {"A": 10})


@given(moments, terms)
def test_what_a_day_settles_came_in_before_its_run(at: datetime, agreed: SettlementTerms) -> None:
    """A settlement is as of the moment its day was due, and never takes what came later."""
    day = rules.paid_on(at, agreed)
    for ready in (
        rules.sale_ready_on(day, agreed, BANKS),
        rules.other_ready_on(day, agreed, BANKS),
    ):
        assert BANKS.is_working(ready)
        assert ready >= day
        assert rules.due_at(ready, agreed) > at


@given(moments, terms)
def test_the_day_that_is_due_is_the_newest_that_may_be_settled(
    now: datetime, agreed: SettlementTerms
) -> None:
    day = rules.day_due(now, agreed)
    assert rules.due_at(day, agreed) <= now < rules.due_at(day + timedelta(days=1), agreed)


def test_the_cut_off_divides_the_days() -> None:
    evening = SettlementTerms(cut_off_minute=17 * 60)
    before, after = (
        datetime(2026, 11, 20, 11, 29, tzinfo=UTC),
        datetime(2026, 11, 20, 11, 30, tzinfo=UTC),
    )
    assert (rules.paid_on(before, evening).day, rules.paid_on(after, evening).day) == (20, 21)
    midnight = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
    assert (
        rules.paid_on(midnight, DEFAULT_TERMS).day,
        rules.paid_on(midnight - timedelta(0, 1), DEFAULT_TERMS).day,
    ) == (
        21,
        20,
    )


def test_working_days_pass_by_weekends_and_holidays() -> None:
    friday, monday = date(2026, 11, 20), date(2026, 11, 23)
    assert rules.sale_ready_on(friday, DEFAULT_TERMS, BANKS) == date(2026, 11, 21), (
        "a third Saturday"
    )
    assert rules.sale_ready_on(monday, DEFAULT_TERMS, BANKS) == date(2026, 11, 25), (
        "the 24th is a holiday"
    )
    shipped = SettlementTerms(base_event=BaseEvent.SHIPMENT, base_days=2, working_days=2)
    assert rules.sale_ready_on(friday, shipped, BANKS) == date(2026, 11, 25), (
        "from Sunday on, Monday and Wednesday"
    )
    assert rules.sale_ready_on(friday, SettlementTerms(working_days=0), BANKS) == friday


def test_a_part_is_reduced_with_its_payment_and_never_raised() -> None:
    assert [
        LinkedPart(1, "A", 3_333, 10_000, left).due_paise for left in (12_000, 10_000, 5_000, 1, 0)
    ] == [
        3_333,
        3_333,
        1_666,
        0,
        0,
    ]


def test_the_primary_share_comes_first_and_ids_follow_the_day() -> None:
    found = rules.settle(
        ItemSums(1, 1_000),
        [LinkedPart(1, "A", 600, 1_000, 1_000)],
        CarriedBalance(),
        DEFAULT_TERMS,
        DAILY,
    )
    assert found.shares == ((PRIMARY, 400), ("A", 600))
    days = [date(2026, 11, 20) + timedelta(days=more) for more in range(3)]
    ids = [rules.id_of(day, kind) for day in days for kind in SettlementKind]
    assert ids == sorted(set(ids))
    assert all(rules.share_id_of(one, 99) < other for one, other in pairwise(ids[::2]))


@pytest.mark.parametrize(
    "wrong",
    [
        SettlementTerms(cut_off_minute=0),
        SettlementTerms(working_days=251),
        SettlementTerms(minimum_paise=0),
        SettlementTerms(reserve_bps=10_001, reserve_days=3),
        SettlementTerms(reserve_bps=5),
        SettlementTerms(reserve_days=5),
        SettlementTerms(base_days=2),
        SettlementTerms(instant_bps=1_001),
    ],
)
def test_terms_that_make_no_sense_are_refused(wrong: SettlementTerms) -> None:
    with pytest.raises(Refused):
        rules.check_terms(wrong)


def test_the_terms_of_a_moment_are_the_newest_before_it() -> None:
    first, second = (
        SettlementTerms(1, datetime(2026, 11, 1, tzinfo=UTC)),
        SettlementTerms(2, datetime(2026, 11, 9, tzinfo=UTC)),
    )
    found = [
        rules.terms_at((first, second), datetime(2026, 11, day, tzinfo=UTC)) for day in (1, 8, 9)
    ]
    assert found == [first, first, second]
    assert rules.terms_at((first,), datetime(2026, 10, 31, tzinfo=UTC)) is DEFAULT_TERMS
