"""What the gateway's double answers about settlements and payouts: one of each."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime

from hundi.wire.merchant.notifications import (
    AnnouncedNotification,
    AnnouncedPage,
    NotificationsAfter,
)
from hundi.wire.merchant.settlements import (
    Payout,
    Payouts,
    PayoutsBefore,
    Settlement,
    SettlementItem,
    SettlementItems,
    SettlementItemsAfter,
    Settlements,
    SettlementsBefore,
    SettlementShare,
)
from hundi.wire.merchant.terms import BankAccount, BankAccounts, NextSettlement, Price, PriceList
from hundi.wire.message import read_request, write_reply
from hundi.wire.strict_json import JsonValue

SHARES = (
    SettlementShare(
        beneficiary="primary",
        amount_paise=54_885,
        payout_id="217383559059900",
        payout_state="done",
        utr="SIMBN22026112300001",
    ),
    SettlementShare(beneficiary="WEAVER", amount_paise=80_000),
)
SETTLED = Settlement(
    settlement_id="217383559000000",
    day=date(2026, 11, 23),
    kind="daily",
    items=2,
    carried_in_paise=-1_000,
    gross_paise=149_950,
    refunds_paise=10_000,
    other_paise=-525,
    fee_paise=3_000,
    tax_paise=540,
    instant_fee_paise=0,
    instant_tax_paise=0,
    reserve_held_paise=0,
    reserve_released_paise=0,
    net_paise=54_885,
    splits_paise=80_000,
    carried_paise=0,
    utr="SIMBN22026112300001",
    shares=SHARES,
)
ITEM = SettlementItem(
    item_id="217383559059812-payment",
    kind="payment",
    transaction_id="217383559059812",
    order_id="ORD-1001",
    at=datetime(2026, 11, 20, 8, 35, 6, tzinfo=UTC),
    gross_paise=149_950,
    fee_paise=3_000,
    tax_paise=540,
    net_paise=146_410,
    rule="cards",
)
GIVEN_BACK = replace(
    ITEM,
    item_id="217383559059813-refund_begun",
    kind="refund_begun",
    gross_paise=-10_000,
    fee_paise=0,
    tax_paise=0,
    net_paise=-10_000,
    rule="none",
)
TOLD = AnnouncedNotification(
    webhook_id="ipn_10001_217383559059812_2",
    event="paid",
    order_id="ORD-1",
    transaction_id="217383559059812",
    state="delivered",
    created_at=datetime(2026, 11, 21, 0, 19, 31, tzinfo=UTC),
    content_type="application/json",
    timestamp="1795000000",
    signature="v1,AAAA",
    text='{"a":1}',
)
PAID_OUT = Payout(
    payout_id="217383559059900",
    settlement_id=SETTLED.settlement_id,
    beneficiary="primary",
    amount_paise=54_885,
    state="done",
    rail="imps",
    account="9999",
    utr="SIMBN22026112300001",
    reason="",
    created_at=datetime(2026, 11, 22, 19, 1, tzinfo=UTC),
    sent_at=datetime(2026, 11, 23, 4, 32, 3, tzinfo=UTC),
    ended_at=datetime(2026, 11, 23, 4, 32, 5, tzinfo=UTC),
)

NEXT = NextSettlement(
    day=date(2026, 11, 24),
    due_at=datetime(2026, 11, 23, 19, 0, tzinfo=UTC),
    items=3,
    net_paise=50_000,
    splits_paise=0,
    carried_paise=-150,
    held=False,
)
PRICES = PriceList(
    plan_no=2,
    first_day=date(2026, 11, 1),
    prices=(
        Price(rule="cards", channels=("pg",), up_to_paise=200_000, basis_points=185, fixed_paise=0),
        Price(rule="otherwise", basis_points=200, fixed_paise=300, maximum_paise=15_000),
    ),
)
ACCOUNT = BankAccount(
    beneficiary="primary",
    holder="Asha Stores",
    account="9999",
    ifsc="HDFC0000001",
    state="verified",
    added_at=datetime(2026, 11, 20, 8, 35, 6, tzinfo=UTC),
)
TERMS = {
    "settlement/next": NEXT,
    "api/fees": PRICES,
    "bankaccount/list": BankAccounts(accounts=(ACCOUNT,)),
    "settlement/status": SETTLED,
}


def answered(path: str, fields: Mapping[str, JsonValue]) -> object:
    """Return `data` of the answer to an operation about money, None for another operation."""
    asked_for = path.rstrip("/").split("/")[-2:]
    if (own := TERMS.get("/".join(asked_for))) is not None:
        return write_reply(own)
    match asked_for:
        case ["notification", "list"]:
            place = read_request(NotificationsAfter, fields).place
            return write_reply(
                AnnouncedPage(notifications=() if place is None else (TOLD,), next="7-0-0")
            )
        case ["settlement", "list"]:
            _ = read_request(SettlementsBefore, fields)
            return write_reply(Settlements(settlements=(replace(SETTLED, shares=()),)))
        case ["settlement", "items"]:
            after = read_request(SettlementItemsAfter, fields).after
            page = (GIVEN_BACK,) if after else (ITEM,)
            return write_reply(SettlementItems(items=page, next="" if after else ITEM.item_id))
        case ["payout", "list"]:
            state = read_request(PayoutsBefore, fields).state
            return write_reply(
                Payouts(payouts=(PAID_OUT,) if state in {"", PAID_OUT.state} else ())
            )
    return None
