"""Settlements and payouts for merchants: lists, one settlement, its items.

See docs/spec/payment-interfaces.md#settlement-operations.
"""

from collections.abc import Mapping
from datetime import datetime

from hundi.api.merchant.endpoint import MerchantRequest
from hundi.api.merchant.operations import Answer, serving
from hundi.infra.postgres.database import Record
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.money.payouts import store as payouts
from hundi.money.payouts.rules import PAID, UNDER_WAY, WAITING, PayoutState
from hundi.money.settlements.finding import store as finding
from hundi.wire.merchant.settlements import (
    ITEMS,
    LIST,
    PAYOUTS,
    STATUS,
    Payout,
    Payouts,
    PayoutsBefore,
    Settlement,
    SettlementItem,
    SettlementItems,
    SettlementItemsAfter,
    SettlementName,
    Settlements,
    SettlementsBefore,
    SettlementShare,
)

LISTED_MAX = 50
"""Settlements, or payouts, of one page."""
ITEMS_MAX = 500
"""Items of one page."""
_ID_DIGITS_MAX = 15
ID_ABOVE_ALL = 10**_ID_DIGITS_MAX
_FAILED = {PayoutState.REFUSED, PayoutState.RETURNED, PayoutState.REVERSED}
_SPOKEN: Mapping[PayoutState, str] = {
    **dict.fromkeys(WAITING, "waiting"),
    **dict.fromkeys(UNDER_WAY, "sent"),
    **dict.fromkeys(PAID, "done"),
    **{each: str(each) for each in (PayoutState.HELD_BACK, *_FAILED)},
}
"""A payout's state as merchants read it.

It does not show whose approval at the operator is missing.
"""


def id_named(digits: str) -> int:
    """Return the id in a field.

    Raises Refused (NO_RECORDS) for one that is longer than any.
    """
    if len(digits) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    return int(digits)


def moment_text(at: datetime | None) -> str:
    """Return a time as ISO 8601 on an Indian clock, "" for none."""
    return ist(at).isoformat(timespec="seconds") if at else ""


async def _list(context: MerchantRequest, asked: SettlementsBefore) -> Answer[Settlements]:
    before = min(int(asked.before or 0), ID_ABOVE_ALL)
    found = await finding.page_of(
        context.gateway.db, context.sender.merchant_id, before, LISTED_MAX
    )
    return Answer(
        Settlements(settlements=tuple(map(_settlement, found))), f"{len(found)} settlements"
    )


async def _status(context: MerchantRequest, asked: SettlementName) -> Answer[Settlement]:
    named, owner = id_named(asked.settlement_id), context.sender.merchant_id
    found = await finding.settlement_of(context.gateway.db, owner, named)
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    shares = await finding.paid_shares_of(context.gateway.db, owner, named)
    return Answer(_settlement(found, tuple(map(_share, shares))), "The settlement and its shares")


async def _items(context: MerchantRequest, asked: SettlementItemsAfter) -> Answer[SettlementItems]:
    named, owner = id_named(asked.settlement_id), context.sender.merchant_id
    cause, _, kind = asked.after.partition("-")
    rows = await finding.items_after(
        context.gateway.db, owner, named, (int(cause or 0), kind), ITEMS_MAX + 1
    )
    if not rows and await finding.settlement_of(context.gateway.db, owner, named) is None:
        raise refuse(RefusalCode.NO_RECORDS)
    shown = tuple(map(_item, rows[:ITEMS_MAX]))
    page = SettlementItems(items=shown, next=shown[-1].item_id if len(rows) > ITEMS_MAX else "")
    return Answer(page, f"{len(shown)} items")


async def _payouts(context: MerchantRequest, asked: PayoutsBefore) -> Answer[Payouts]:
    before = min(int(asked.before or 0), ID_ABOVE_ALL)
    states = [str(each) for each, spoken in _SPOKEN.items() if spoken == asked.state]
    found = await payouts.page_of(
        context.gateway.db, context.sender.merchant_id, before, states, LISTED_MAX
    )
    return Answer(Payouts(payouts=tuple(map(_payout, found))), f"{len(found)} payouts")


def _settlement(row: Record, shares: tuple[SettlementShare, ...] = ()) -> Settlement:
    return Settlement(
        settlement_id=str(row["settlement_id"]),
        day=row["day"],
        kind=row["kind"],
        items=row["items"],
        carried_in_paise=row["carried_in_paise"],
        gross_paise=row["gross_paise"],
        refunds_paise=row["refunds_paise"],
        other_paise=row["other_paise"],
        fee_paise=row["fee_paise"],
        tax_paise=row["tax_paise"],
        instant_fee_paise=row["price_paise"],
        instant_tax_paise=row["price_tax_paise"],
        reserve_held_paise=row["reserve_held_paise"],
        reserve_released_paise=row["reserve_released_paise"],
        net_paise=row["net_paise"],
        splits_paise=row["splits_paise"],
        carried_paise=row["carried_paise"],
        utr=row["utr"],
        shares=shares,
    )


def _share(row: Record) -> SettlementShare:
    return SettlementShare(
        beneficiary=row["beneficiary"],
        amount_paise=row["amount_paise"],
        payout_id=str(row["payout_id"] or ""),
        payout_state=_SPOKEN[PayoutState(row["state"])] if row["state"] else "",
        utr=row["utr"] or "",
    )


def _item(row: Record) -> SettlementItem:
    return SettlementItem(
        item_id=f"{row['cause_id']}-{row['kind']}",
        kind=row["kind"],
        transaction_id=str(row["payment_id"] or ""),
        order_id=row["order_id"],
        at=row["at"],
        gross_paise=row["gross_paise"],
        fee_paise=row["fee_paise"],
        tax_paise=row["tax_paise"],
        net_paise=row["net_paise"],
        rule=row["rule"],
    )


def _payout(row: Record) -> Payout:
    state = PayoutState(row["state"])
    return Payout(
        payout_id=str(row["payout_id"]),
        settlement_id=str(row["settlement_id"]),
        beneficiary=row["beneficiary"],
        amount_paise=row["amount_paise"],
        state=_SPOKEN[state],
        rail=row["rail"],
        account=row["last4"],
        utr=row["utr"],
        reason=row["bank_message"] if state in _FAILED else "",
        created_at=row["created_at"],
        sent_at=row["sent_at"],
        ended_at=row["settled_at"],
    )


HANDLERS = {
    LIST: serving(LIST, _list),
    STATUS: serving(STATUS, _status),
    ITEMS: serving(ITEMS, _items),
    PAYOUTS: serving(PAYOUTS, _payouts),
}
