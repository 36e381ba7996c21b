"""Settlements and payouts by the SDK (docs/spec/payment-interfaces.md#settlement-operations)."""

from dataclasses import dataclass
from datetime import date, datetime

from hundi.sdk import errors, incoming
from hundi.sdk.calls import Calls, Steps
from hundi.sdk.incoming import Record
from hundi.sdk.outgoing import checked
from hundi.wire.merchant import settlements as wire

_LIST = "/gateway/pay/v4/api/settlement/list/"
_STATUS = "/gateway/pay/v4/api/settlement/status/"
_ITEMS = "/gateway/pay/v4/api/settlement/items/"
_PAYOUTS = "/gateway/pay/v4/api/payout/list/"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementShare:
    """What of a settlement goes to one bank account.

    beneficiary: "primary" for your own, or a linked account. payout_id, payout_state: of the newest try at paying it
    out, "" before there is one. utr: by which it arrived, "" until then.
    """

    beneficiary: str
    amount_paise: int
    payout_id: str
    payout_state: str
    utr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What you were owed on one day; whole paise, those that say so may be below zero.

    kind: "daily" or "instant". items: how many there are. refunds_paise, other_paise (disputes and corrections),
    carried_in_paise and carried_paise may be below zero. fee_paise, tax_paise: of the items. instant_fee_paise,
    instant_tax_paise: of settling at once. net_paise: to your own account; splits_paise: to linked ones.
    utr: of the transfer to your own account, "" until it arrived. shares: empty in a list.
    """

    settlement_id: str
    day: date | None
    kind: str
    items: int
    carried_in_paise: int
    gross_paise: int
    refunds_paise: int
    other_paise: int
    fee_paise: int
    tax_paise: int
    instant_fee_paise: int
    instant_tax_paise: int
    reserve_held_paise: int
    reserve_released_paise: int
    net_paise: int
    splits_paise: int
    carried_paise: int
    currency: str
    utr: str
    shares: tuple[SettlementShare, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementItem:
    """One item of a settlement: gross less fee and tax is net.

    kind: "payment", "capture", "refund_begun" and so on; gross and net are below zero where it cost you.
    transaction_id, order_id: "" where it is of no payment. rule: of your price plan.
    """

    item_id: str
    kind: str
    transaction_id: str
    order_id: str
    at: datetime | None
    gross_paise: int
    fee_paise: int
    tax_paise: int
    net_paise: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementItems:
    """A page of a settlement's items. next: the `after` of the next page, "" at the end."""

    items: tuple[SettlementItem, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Payout:
    """One try at paying a share of a settlement out.

    state: waiting, sent, done, refused, returned, reversed or held_back. account: the last four characters of its
    number. utr: once the bank told it. reason: the bank's words where it came to nothing.
    """

    payout_id: str
    settlement_id: str
    beneficiary: str
    amount_paise: int
    currency: str
    state: str
    rail: str
    account: str
    utr: str
    reason: str
    created_at: datetime | None
    sent_at: datetime | None
    ended_at: datetime | None


def listing(calls: Calls, before: str) -> Steps[tuple[Settlement, ...]]:
    """Return settlements, newest first."""
    payload = {"before": before} if before else {}
    _ = checked(wire.parse_list_settlements, payload)
    envelope = yield from calls.ask(_LIST, payload)
    listed = incoming.data(envelope, "settlement/list").get("settlements")
    return tuple(map(_read, incoming.records(listed, "settlement/list")))


def status(calls: Calls, settlement_id: str) -> Steps[Settlement]:
    """Return one settlement with its shares."""
    payload = {"settlement_id": settlement_id}
    _ = checked(wire.parse_settlement, payload)
    envelope = yield from calls.ask(_STATUS, payload)
    found = _read(incoming.data(envelope, "settlement/status"))
    if found.settlement_id != settlement_id.lstrip("0"):
        raise errors.MismatchError("settlement_id", settlement_id, found.settlement_id)
    return found


def items(calls: Calls, settlement_id: str, after: str) -> Steps[SettlementItems]:
    """Return a page of the items of a settlement."""
    payload = {"settlement_id": settlement_id} | ({"after": after} if after else {})
    _ = checked(wire.parse_items, payload)
    envelope = yield from calls.ask(_ITEMS, payload)
    data = incoming.data(envelope, "settlement/items")
    listed = incoming.records(data.get("items"), "settlement/items")
    return SettlementItems(items=tuple(map(_item, listed)), next=incoming.text(data, "next"))


def payouts(calls: Calls, state: str, before: str) -> Steps[tuple[Payout, ...]]:
    """Return payouts, newest first."""
    sent = {"state": state, "before": before}
    payload = {name: value for name, value in sent.items() if value}
    _ = checked(wire.parse_list_payouts, payload)
    envelope = yield from calls.ask(_PAYOUTS, payload)
    listed = incoming.data(envelope, "payout/list").get("payouts")
    return tuple(map(_payout, incoming.records(listed, "payout/list")))


def _amount(record: Record, name: str) -> int:
    return incoming.paise(incoming.demanded(record, name), name)


def _read(record: Record) -> Settlement:
    return Settlement(
        settlement_id=incoming.demanded(record, "settlement_id"),
        day=incoming.day(record, "settlement_day"),
        kind=incoming.demanded(record, "kind"),
        items=incoming.whole(record, "items"),
        carried_in_paise=incoming.signed_paise(record, "carried_in_amount"),
        gross_paise=_amount(record, "gross_amount"),
        refunds_paise=incoming.signed_paise(record, "refunds_amount"),
        other_paise=incoming.signed_paise(record, "other_amount"),
        fee_paise=_amount(record, "fee_amount"),
        tax_paise=_amount(record, "tax_amount"),
        instant_fee_paise=_amount(record, "instant_fee_amount"),
        instant_tax_paise=_amount(record, "instant_tax_amount"),
        reserve_held_paise=_amount(record, "reserve_held_amount"),
        reserve_released_paise=_amount(record, "reserve_released_amount"),
        net_paise=_amount(record, "net_amount"),
        splits_paise=_amount(record, "splits_amount"),
        carried_paise=incoming.signed_paise(record, "carried_amount"),
        currency=incoming.demanded(record, "iso_currency"),
        utr=incoming.text(record, "utr"),
        shares=tuple(map(_share, incoming.records(record.get("shares"), "settlement"))),
    )


def _share(record: Record) -> SettlementShare:
    return SettlementShare(
        beneficiary=incoming.demanded(record, "beneficiary"),
        amount_paise=_amount(record, "amount"),
        payout_id=incoming.text(record, "payout_id"),
        payout_state=incoming.text(record, "payout_state"),
        utr=incoming.text(record, "utr"),
    )


def _item(record: Record) -> SettlementItem:
    return SettlementItem(
        item_id=incoming.demanded(record, "item_id"),
        kind=incoming.demanded(record, "kind"),
        transaction_id=incoming.text(record, "ap_transactionid"),
        order_id=incoming.text(record, "orderid"),
        at=incoming.moment(incoming.demanded(record, "at"), "at"),
        gross_paise=incoming.signed_paise(record, "gross_amount"),
        fee_paise=_amount(record, "fee_amount"),
        tax_paise=_amount(record, "tax_amount"),
        net_paise=incoming.signed_paise(record, "net_amount"),
        rule=incoming.text(record, "fee_rule"),
    )


def _payout(record: Record) -> Payout:
    return Payout(
        payout_id=incoming.demanded(record, "payout_id"),
        settlement_id=incoming.demanded(record, "settlement_id"),
        beneficiary=incoming.demanded(record, "beneficiary"),
        amount_paise=_amount(record, "amount"),
        currency=incoming.demanded(record, "iso_currency"),
        state=incoming.demanded(record, "state"),
        rail=incoming.text(record, "rail"),
        account=incoming.text(record, "account"),
        utr=incoming.text(record, "utr"),
        reason=incoming.text(record, "reason"),
        created_at=incoming.moment(incoming.text(record, "created_at"), "created_at"),
        sent_at=incoming.moment(incoming.text(record, "sent_at"), "sent_at"),
        ended_at=incoming.moment(incoming.text(record, "ended_at"), "ended_at"),
    )
