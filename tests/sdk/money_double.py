"""What the gateway's double answers about settlements and payouts: one of each."""

from collections.abc import Mapping

import msgspec

from hundi.wire.merchant import notifications, terms
from hundi.wire.merchant import settlements as wire

SHARES = (
    wire.ShareData(
        beneficiary="primary",
        amount="548.85",
        payout_id="217383559059900",
        payout_state="done",
        utr="SIMBN22026112300001",
    ),
    wire.ShareData(beneficiary="WEAVER", amount="800.00"),
)
SETTLED = wire.SettlementData(
    settlement_id="217383559000000",
    settlement_day="2026-11-23",
    kind="daily",
    items=2,
    carried_in_amount="-10.00",
    gross_amount="1499.50",
    refunds_amount="100.00",
    other_amount="-5.25",
    fee_amount="30.00",
    tax_amount="5.40",
    instant_fee_amount="0.00",
    instant_tax_amount="0.00",
    reserve_held_amount="0.00",
    reserve_released_amount="0.00",
    net_amount="548.85",
    splits_amount="800.00",
    carried_amount="0.00",
    utr="SIMBN22026112300001",
    shares=SHARES,
)
ITEM = wire.SettlementItemData(
    item_id="217383559059812-payment",
    kind="payment",
    ap_transactionid="217383559059812",
    orderid="ORD-1001",
    at="2026-11-20T14:05:06+05:30",
    gross_amount="1499.50",
    fee_amount="30.00",
    tax_amount="5.40",
    net_amount="1464.10",
    fee_rule="cards",
)
GIVEN_BACK = msgspec.structs.replace(
    ITEM,
    item_id="217383559059813-refund_begun",
    kind="refund_begun",
    gross_amount="-100.00",
    fee_amount="0.00",
    tax_amount="0.00",
    net_amount="-100.00",
    fee_rule="none",
)
TOLD = notifications.NotificationData(
    webhook_id="ipn_10001_217383559059812_2",
    event="paid",
    orderid="ORD-1",
    ap_transactionid="217383559059812",
    state="delivered",
    created_at="2026-11-21T05:49:31+05:30",
    content_type="application/json",
    webhook_timestamp="1795000000",
    webhook_signature="v1,AAAA",
    body='{"a":1}',
)
PAID_OUT = wire.PayoutData(
    payout_id="217383559059900",
    settlement_id=SETTLED.settlement_id,
    beneficiary="primary",
    amount="548.85",
    state="done",
    rail="imps",
    account="9999",
    utr="SIMBN22026112300001",
    reason="",
    created_at="2026-11-23T00:31:00+05:30",
    sent_at="2026-11-23T10:02:03+05:30",
    ended_at="2026-11-23T10:02:05+05:30",
)

NEXT = terms.NextSettlementData(
    settlement_day="2026-11-24",
    due_at="2026-11-24T00:30:00+05:30",
    items=3,
    net_amount="500.00",
    splits_amount="0.00",
    carried_amount="-1.50",
    held=False,
)
PRICES = terms.PriceListData(
    plan_no=2,
    first_day="2026-11-01",
    prices=(
        terms.PriceData(rule="cards", channels=("pg",), up_to_amount="2000.00", percent="1.85", fixed_amount="0.00"),
        terms.PriceData(rule="otherwise", percent="2.00", fixed_amount="3.00", maximum_amount="150.00"),
    ),
)
ACCOUNT = terms.BankAccountData(
    beneficiary="primary",
    holder="Asha Stores",
    account="9999",
    ifsc="HDFC0000001",
    state="verified",
    added_at="2026-11-20T14:05:06+05:30",
)


def answered(path: str, fields: Mapping[str, object]) -> object:
    """Return `data` of the answer to an operation about money, None for another operation."""
    terms_told = {"settlement/next": NEXT, "api/fees": PRICES, "bankaccount/list": {"accounts": [ACCOUNT]}}
    terms_told["settlement/status"] = SETTLED
    asked_for = path.rstrip("/").split("/")[-2:]
    if asked_for == ["notification", "list"]:
        place = notifications.parse_list_notifications(fields)
        page = notifications.NotificationsData(notifications=() if place is None else (TOLD,), next="7-0-0")
        return msgspec.to_builtins(page)
    if (own := terms_told.get("/".join(asked_for))) is not None:
        return msgspec.to_builtins(own)
    match asked_for:
        case ["settlement", "list"]:
            _ = wire.parse_list_settlements(fields)
            listed = msgspec.structs.replace(SETTLED, shares=())
            return {"settlements": [msgspec.to_builtins(listed)]}
        case ["settlement", "items"]:
            asked = wire.parse_items(fields)
            page = (GIVEN_BACK,) if asked.after else (ITEM,)
            return msgspec.to_builtins(wire.SettlementItemsData(items=page, next="" if asked.after else ITEM.item_id))
        case ["payout", "list"]:
            asked_state = wire.parse_list_payouts(fields).state
            found = [PAID_OUT] if asked_state in {"", PAID_OUT.state} else []
            return {"payouts": msgspec.to_builtins(found)}
    return None
