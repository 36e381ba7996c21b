"""The messages about settlements and payouts in `encdata`, and `data` of their replies.

See docs/spec/payment-interfaces.md#settlement-operations.
"""

import re
from dataclasses import dataclass

import msgspec

from hundi.wire import fields
from hundi.wire.fields import FieldError
from hundi.wire.merchant.values import Values, refuse_page_fields, required, text

PAYOUT_STATES = ("waiting", "sent", "done", "refused", "returned", "reversed", "held_back")
CURSOR = r"[0-9]{1,15}-[a-z_]{1,40}"
_CURSOR = re.compile(CURSOR + r"\Z")


@dataclass(frozen=True, slots=True)
class ItemsRequest:
    """Which items of a settlement to list: after one of them, "" from the first."""

    settlement_id: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class ListPayoutsRequest:
    """Which payouts to list: in one state ("" for all), before one of them (0 for the newest)."""

    state: str = ""
    before: int = 0


class ShareData(msgspec.Struct, frozen=True, kw_only=True):
    """What of a settlement goes to one bank account.

    beneficiary: `primary`, or a linked account's identifier. payout_id, payout_state: of the newest try at paying it
    out, "" before there is one. utr: by which it arrived, "" until then.
    """

    beneficiary: str
    amount: str
    payout_id: str = ""
    payout_state: str = ""
    utr: str = ""


class SettlementData(msgspec.Struct, frozen=True, kw_only=True):
    """One settlement; amounts are rupees with two places, those that can be below zero with a sign.

    settlement_day: ISO 8601. kind: daily or instant. fee_amount, tax_amount: of its items; instant_fee_amount,
    instant_tax_amount: of settling at once. carried_in_amount: what the settlement before left, carried_amount: what
    this one leaves. utr: of the transfer to the merchant's own account, "" until it arrived. shares: empty in a list.
    """

    settlement_id: str
    settlement_day: str
    kind: str
    items: int
    carried_in_amount: str
    gross_amount: str
    refunds_amount: str
    other_amount: str
    fee_amount: str
    tax_amount: str
    instant_fee_amount: str
    instant_tax_amount: str
    reserve_held_amount: str
    reserve_released_amount: str
    net_amount: str
    splits_amount: str
    carried_amount: str
    iso_currency: str = "INR"
    utr: str
    shares: tuple[ShareData, ...] = ()


class SettlementItemData(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a settlement: gross less fee and tax is net.

    item_id: its place in the list. kind: payment, capture, refund_begun and so on. ap_transactionid, orderid: "" where
    it is of no payment, or of one in the archive. at: ISO 8601, India.
    """

    item_id: str
    kind: str
    ap_transactionid: str
    orderid: str
    at: str
    gross_amount: str
    fee_amount: str
    tax_amount: str
    net_amount: str
    fee_rule: str


class SettlementItemsData(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a settlement's items. next: the `after` of the next page, "" where there is none."""

    items: tuple[SettlementItemData, ...]
    next: str


class PayoutData(msgspec.Struct, frozen=True, kw_only=True):
    """One try at paying out.

    state: of PAYOUT_STATES. account: the last four characters of its number. utr: once the bank told it.
    reason: the bank's words where it refused it or sent it back. Times are ISO 8601, India, "" before they came.
    """

    payout_id: str
    settlement_id: str
    beneficiary: str
    amount: str
    iso_currency: str = "INR"
    state: str
    rail: str
    account: str
    utr: str
    reason: str
    created_at: str
    sent_at: str
    ended_at: str


def parse_list_settlements(values: Values) -> int:
    """Return the settlement before which the page begins, 0 for the newest. Raises FieldError."""
    refuse_page_fields(values, "before")
    return _before(values)


def parse_settlement(values: Values) -> str:
    """Return which settlement is meant. Raises FieldError."""
    refuse_page_fields(values, "settlement_id")
    return fields.digits(required(values, "settlement_id"), "settlement_id")


def parse_items(values: Values) -> ItemsRequest:
    """Return which items of which settlement to list. Raises FieldError."""
    refuse_page_fields(values, "settlement_id, after")
    settlement_id, after = fields.digits(required(values, "settlement_id"), "settlement_id"), text(values, "after")
    if after and not _CURSOR.match(after):
        raise FieldError("after", after, "an item_id of this list")
    return ItemsRequest(settlement_id, after)


def parse_list_payouts(values: Values) -> ListPayoutsRequest:
    """Return which payouts to list. Raises FieldError."""
    refuse_page_fields(values, "state, before")
    state = text(values, "state")
    return ListPayoutsRequest(state and fields.one_of(state, "state", PAYOUT_STATES), _before(values))


def _before(values: Values) -> int:
    before = text(values, "before")
    return int(fields.digits(before, "before")) if before else 0
