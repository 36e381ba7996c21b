"""The messages about settlements, payouts and notifications as JSON Schema."""

from typing import Any

import msgspec

from hundi.api.description import fields as f
from hundi.api.description.fields import Schema, message
from hundi.wire.merchant.notifications import CURSOR as NOTIFICATION_CURSOR
from hundi.wire.merchant.notifications import NotificationsData
from hundi.wire.merchant.settlements import (
    CURSOR,
    PAYOUT_STATES,
    PayoutData,
    SettlementData,
    SettlementItemsData,
)
from hundi.wire.merchant.terms import BankAccountData, NextSettlementData, PriceListData

_SETTLEMENT_ID = f.written("A settlement, as the list names it", r"^[0-9]{1,20}$", "217383559000000")
_BEFORE = f.described(f.TRANSACTION_ID, "The last id that you have: the page begins after it")

MONEY_REQUESTS: dict[str, Schema] = {
    "ListSettlementsRequest": message("Settlements, newest first", (), before=_BEFORE),
    "SettlementRequest": message("Which settlement", ("settlement_id",), settlement_id=_SETTLEMENT_ID),
    "SettlementItemsRequest": message(
        "Which settlement's items, oldest first",
        ("settlement_id",),
        settlement_id=_SETTLEMENT_ID,
        after=f.written("The item_id after which the page begins", f"^{CURSOR}$", "217383559059812-payment"),
    ),
    "ListPayoutsRequest": message(
        "Payouts, newest first", (), state=f.one_of("In one state", *PAYOUT_STATES), before=_BEFORE
    ),
    "ListNotificationsRequest": message(
        "Notifications, in the order of their events",
        (),
        after=f.written(
            "The next of the page before; without it the place that is now", f"^{NOTIFICATION_CURSOR}$", "5017-0-0"
        ),
    ),
    "OwnTermsRequest": message("Nothing: what counts for the sender itself", ()),
}
_TERMS = (NextSettlementData, PriceListData, BankAccountData)
_REPLY_TYPES: tuple[Any, ...] = (
    SettlementData,
    SettlementItemsData,
    PayoutData,
    NotificationsData,
    *_TERMS,
)


def money_replies() -> dict[str, Schema]:
    """Return the schemas of the replies' `data`, by the types' names."""
    _, components = msgspec.json.schema_components(_REPLY_TYPES, ref_template="#/components/schemas/{name}")
    lists = {
        "SettlementsData": ("settlements", "SettlementData"),
        "PayoutsData": ("payouts", "PayoutData"),
        "BankAccountsData": ("accounts", "BankAccountData"),
    }
    return components | {name: _list_of(*of) for name, of in lists.items()}


def _list_of(field: str, item: str) -> Schema:
    listed = {"type": "array", "items": f.ref(item)}
    return {"type": "object", "required": [field], "properties": {field: listed}}
