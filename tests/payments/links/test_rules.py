"""Payment links: what one may be, what may be paid of it, and how orders are counted."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.kernel.masking import masked
from hundi.kernel.money import Money
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused
from hundi.payments.links import rules
from hundi.payments.links.rules import Link, LinkOrder, LinkState, NewLink
from hundi.payments.orders.rules import Buyer
from tests.page.views import view

NOW = datetime(2026, 11, 23, 5, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=2)


def asked(**changes) -> NewLink:
    return replace(NewLink("INV-7", 150_000, "Two silk sarees", LATER), **changes)


def link(**changes) -> Link:
    return replace(rules.new_link(7, 215_000_000_000_001, asked(), "Asha", NOW), **changes)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"reference": "a b"}, "reference"),
        ({"reference": ""}, "reference"),
        ({"amount_paise": 0}, "amount"),
        ({"amount_paise": 10**12}, "amount"),
        ({"description": " "}, "description"),
        ({"description": "x" * 201}, "description"),
        ({"description": "a\nb"}, "description"),
        ({"minimum_paise": 99}, "minimum"),
        ({"minimum_paise": 150_001}, "minimum"),
        ({"expires_at": NOW}, "expires_at"),
        ({"expires_at": NOW + timedelta(days=367)}, "expires_at"),
        ({"surplus": "lose"}, "surplus"),
        ({"buyer": Buyer(email="asha")}, "email"),
        ({"buyer": Buyer(email="5555341244441115@canary.example")}, "email"),
        ({"buyer": Buyer(phone="5555341244441115")}, "phone"),
        ({"buyer": Buyer(phone="+3782 84610 293841")}, "phone"),
        ({"buyer": Buyer(phone="call me")}, "phone"),
    ],
)
def test_what_a_link_cannot_be(changes: dict, field: str) -> None:
    with pytest.raises(Refused) as refused:
        rules.check(asked(**changes), NOW)
    assert (refused.value.refusal.code, refused.value.refusal.field) == (
        RefusalCode.FIELD_INVALID,
        field,
    )


def test_a_link_as_asked_for_can_be_made() -> None:
    rules.check(asked(), NOW)
    rules.check(asked(buyer=Buyer(email="asha@example.in", phone="+91 98765 43210")), NOW)
    rules.check(asked(minimum_paise=100, surplus="keep", expires_at=NOW + timedelta(days=366)), NOW)


def test_codes_are_long_and_differ() -> None:
    codes = {link().code for _ in range(50)}
    assert len(codes) == 50
    assert all(rules.parse_address(f"7.{code}") == (7, code) for code in codes)
    assert rules.parse_address(f"7.{codes.pop()}.ta")


def test_no_address_has_the_form_of_a_persons_number() -> None:
    """Behind this merchant's eight digits one code in a thousand would have it, by chance."""
    merchant_id = 80_896_540
    assert masked(f"{merchant_id}.4603mr1hddhvzmg4") == "[aadhaar]mr1hddhvzmg4"
    made = (rules.new_link(merchant_id, 1, asked(), "Asha", NOW) for _ in range(10_000))
    addresses = [f"{merchant_id}.{each.code}" for each in made]
    assert [each for each in addresses if masked(each) != each] == []


@pytest.mark.parametrize(
    "text",
    ["", "7", "7.", "07.0123456789abcdef", "7.0123456789ABCDEF", "7.0123456789abcde", "7.x/y"],
)
def test_what_is_no_address(text: str) -> None:
    assert rules.parse_address(text) is None


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, LinkState.OPEN),
        ({"paid_paise": 1}, LinkState.PARTLY_PAID),
        ({"paid_paise": 150_000}, LinkState.PAID),
        ({"paid_paise": 150_000, "cancelled_at": NOW}, LinkState.PAID),
        ({"paid_paise": 1, "cancelled_at": NOW}, LinkState.CANCELLED),
        ({"expires_at": NOW}, LinkState.EXPIRED),
    ],
)
def test_where_a_link_stands(changes: dict, state: LinkState) -> None:
    assert rules.state_of(link(**changes), NOW) is state


@pytest.mark.parametrize(
    ("changes", "paise", "may"),
    [
        ({}, None, 150_000),
        ({}, 150_000, 150_000),
        ({"minimum_paise": 50_000}, 50_000, 50_000),
        ({"minimum_paise": 50_000}, None, 150_000),
        ({"minimum_paise": 50_000, "paid_paise": 120_000}, 30_000, 30_000),
        ({"minimum_paise": 50_000, "paid_paise": 120_000}, None, 30_000),
    ],
)
def test_what_may_be_paid_now(changes: dict, paise: int | None, may: int) -> None:
    assert rules.amount_now(link(**changes), paise, NOW) == may


@pytest.mark.parametrize(
    ("changes", "paise", "code"),
    [
        ({}, 149_999, RefusalCode.FIELD_INVALID),
        ({"minimum_paise": 50_000}, 49_999, RefusalCode.FIELD_INVALID),
        ({"minimum_paise": 50_000}, 150_001, RefusalCode.FIELD_INVALID),
        ({"minimum_paise": 50_000, "paid_paise": 120_000}, 29_999, RefusalCode.FIELD_INVALID),
        ({"paid_paise": 150_000}, None, RefusalCode.STATE_FORBIDS),
        ({"expires_at": NOW}, None, RefusalCode.STATE_FORBIDS),
        ({"cancelled_at": NOW}, None, RefusalCode.STATE_FORBIDS),
    ],
)
def test_what_may_not_be_paid(changes: dict, paise: int | None, code: RefusalCode) -> None:
    with pytest.raises(Refused) as refused:
        rules.amount_now(link(**changes), paise, NOW)
    assert refused.value.refusal.code is code


def test_an_order_carries_its_link_and_nobody_elses_order_does() -> None:
    order = rules.order_of(link(), LinkOrder(7, 215_000_000_000_001, 3, 50_000, NOW))
    assert (order.amount, order.custom_var) == (Money(50_000), "215000000000001")
    payment = replace(view().payment, order_id=order.order_id, content_hash=order.content_hash)
    assert rules.link_of(payment) == 215_000_000_000_001
    assert rules.link_of(replace(payment, content_hash=bytes(32))) is None
    assert rules.link_of(replace(payment, order_id="link-215000000000001-4")) is None
    assert rules.link_of(view().payment) is None


def test_one_paid_after_the_cancellation_is_all_surplus() -> None:
    ended = link(cancelled_at=NOW)
    assert rules.count(ended, 150_000, NOW + timedelta(seconds=1)) == rules.LinkCount(0, 150_000)
    assert rules.count(ended, 150_000, NOW) == rules.LinkCount(150_000, 0)


@given(st.lists(st.integers(1, 200_000), max_size=12), st.sampled_from(rules.SURPLUS))
def test_nothing_is_lost_whatever_is_paid(amounts: list[int], surplus: rules.Surplus) -> None:
    standing = link(surplus=surplus)
    back = 0
    for each in amounts:
        counted = rules.count(standing, each, NOW)
        assert counted.counted_paise + counted.back_paise == each
        back += counted.back_paise
        standing = replace(standing, paid_paise=standing.paid_paise + counted.counted_paise)
    assert standing.paid_paise + back == sum(amounts)
    if surplus == "refund":
        assert standing.paid_paise == min(standing.amount_paise, sum(amounts))
    else:
        assert back == 0


def test_an_old_order_is_looked_at_ever_more_seldom_and_then_no_more() -> None:
    at, looks = NOW, 0
    while (later := rules.next_look(NOW, at)) is not None:
        assert later > at
        at, looks = later, looks + 1
    assert looks < 100
    assert at - NOW > rules.LOOKS_END
