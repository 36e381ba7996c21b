"""Settlements and payouts by the SDK: what it sends, reads and does not believe."""

from datetime import UTC, date, datetime

import pytest

from hundi.sdk import NextSettlement, Payout, PriceList, Settlement, SettlementItems, errors
from hundi.wire.message import write_reply
from tests.sdk.both_clients import Call
from tests.sdk.gateway_double import GatewayDouble
from tests.sdk.money_double import ITEM, PAID_OUT, SETTLED


def test_a_settlement_is_read_to_the_paisa(call: Call) -> None:
    double = GatewayDouble()
    told = call(double, "settlement", SETTLED.settlement_id)
    assert isinstance(told, Settlement)
    assert (told.day, told.kind, told.items, told.utr) == (
        date(2026, 11, 23),
        "daily",
        2,
        SETTLED.utr,
    )
    assert (told.carried_in_paise, told.other_paise, told.refunds_paise) == (-1_000, -525, 10_000)
    came = told.carried_in_paise + told.gross_paise - told.refunds_paise + told.other_paise
    came -= told.fee_paise + told.tax_paise + told.instant_fee_paise + told.instant_tax_paise
    assert came + told.reserve_released_paise - told.reserve_held_paise == (
        told.net_paise + told.splits_paise + told.carried_paise
    )
    assert [(each.beneficiary, each.amount_paise, each.utr) for each in told.shares] == [
        ("primary", 54_885, SETTLED.utr),
        ("WEAVER", 80_000, ""),
    ]
    (listed,) = call(double, "settlements", before="217383559000001")  # type: ignore[misc]
    assert listed.shares == ()


def test_items_are_read_page_by_page(call: Call) -> None:
    double = GatewayDouble()
    first = call(double, "settlement_items", SETTLED.settlement_id)
    assert isinstance(first, SettlementItems)
    assert first.next == ITEM.item_id
    assert [(each.order_id, each.net_paise, each.at) for each in first.items] == [
        ("ORD-1001", 146_410, datetime(2026, 11, 20, 8, 35, 6, tzinfo=UTC))
    ]
    last = call(double, "settlement_items", SETTLED.settlement_id, after=first.next)
    assert isinstance(last, SettlementItems)
    assert (last.items[0].gross_paise, last.items[0].net_paise, last.next) == (-10_000, -10_000, "")


def test_payouts_are_read_with_their_utr(call: Call) -> None:
    double = GatewayDouble()
    (payout,) = call(double, "payouts", state="done")  # type: ignore[misc]
    assert isinstance(payout, Payout)
    assert (payout.utr, payout.amount_paise, payout.account) == (PAID_OUT.utr, 54_885, "9999")
    assert payout.ended_at == datetime(2026, 11, 23, 4, 32, 5, tzinfo=UTC)
    assert call(double, "payouts", state="returned") == ()


@pytest.mark.parametrize(
    ("name", "arguments", "named", "field"),
    [
        ("settlement", ("",), {}, "settlement_id"),
        ("settlement_items", ("7",), {"after": "first"}, "after"),
        ("payouts", (), {"state": "lost"}, "state"),
        ("settlements", (), {"before": "x"}, "before"),
    ],
)
def test_what_the_gateway_would_refuse_is_not_sent(
    call: Call, name: str, arguments: tuple[str, ...], named: dict[str, str], field: str
) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, name, *arguments, **named)
    assert (caught.value.field, double.paths) == (field, [])


def test_another_settlement_than_the_one_asked_for_is_a_mismatch(call: Call) -> None:
    with pytest.raises(errors.MismatchError):
        call(GatewayDouble(), "settlement", "7")


@pytest.mark.parametrize(
    "wrong", [{"net_amount": "1,5"}, {"net_amount": ""}, {"items": "two"}, {"settlement_day": "x"}]
)
def test_amounts_and_days_that_are_none_are_not_believed(call: Call, wrong: dict[str, str]) -> None:
    odd = write_reply(SETTLED) | wrong
    with pytest.raises(errors.UnreadableReplyError):
        call(GatewayDouble(odd=odd), "settlement", SETTLED.settlement_id)


def test_prices_accounts_and_the_next_day_are_read(call: Call) -> None:
    double = GatewayDouble()
    prices = call(double, "price_list")
    assert isinstance(prices, PriceList)
    cards, rest = prices.prices
    assert (prices.plan_no, prices.first_day) == (2, date(2026, 11, 1))
    assert (cards.channels, cards.up_to_paise, cards.basis_points, cards.maximum_paise) == (
        ("pg",),
        200_000,
        185,
        None,
    )
    assert (rest.channels, rest.fixed_paise, rest.maximum_paise) == ((), 300, 15_000)
    told = call(double, "next_settlement")
    assert isinstance(told, NextSettlement)
    assert (told.day, told.net_paise, told.carried_paise, told.held) == (
        date(2026, 11, 24),
        50_000,
        -150,
        False,
    )
    (account,) = call(double, "bank_accounts")  # type: ignore[misc]
    assert (account.beneficiary, account.account, account.state) == ("primary", "9999", "verified")
