"""Settlements and payouts, as merchants read them: lists, one settlement, its items.

See docs/spec/payment-interfaces.md#settlement-operations.
"""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from hundi.api import replies
from hundi.api.context import GatewayContext
from hundi.api.endpoint import serve
from hundi.api.inbound import Inbound, Reply
from hundi.api.merchant.endpoint import MerchantRequest, merchant_endpoint
from hundi.infra.postgres.database import Record
from hundi.kernel.clock import ist
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.merchants.directory.api_keys import KeyScope
from hundi.money.payouts import store as payouts
from hundi.money.payouts.rules import UNDER_WAY, WAITING, PayoutState
from hundi.money.settlements.finding import store as finding
from hundi.wire.fields import signed_text_from_paise, text_from_paise
from hundi.wire.merchant.settlements import (
    PayoutData,
    SettlementData,
    SettlementItemData,
    SettlementItemsData,
    ShareData,
    parse_items,
    parse_list_payouts,
    parse_list_settlements,
    parse_settlement,
)

LIST = merchant_endpoint("settlement/list", KeyScope.READ)
STATUS = merchant_endpoint("settlement/status", KeyScope.READ)
ITEMS = merchant_endpoint("settlement/items", KeyScope.READ)
PAYOUTS = merchant_endpoint("payout/list", KeyScope.READ)
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
    **{each: str(each) for each in (PayoutState.DONE, PayoutState.HELD_BACK, *_FAILED)},
}
"""How a merchant reads a state: which people of the operator still have to release it is not its business."""


async def listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return settlements, newest first."""
    return await serve(gateway, inbound, LIST, _list)


async def status(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return a settlement with the shares in which it leaves."""
    return await serve(gateway, inbound, STATUS, _status)


async def items(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return a page of the items of a settlement."""
    return await serve(gateway, inbound, ITEMS, _items)


async def payout_listing(gateway: GatewayContext, inbound: Inbound) -> Reply:
    """Return payouts, newest first."""
    return await serve(gateway, inbound, PAYOUTS, _payouts)


def id_named(digits: str) -> int:
    """Return the id that a field names. Raises Refused (NO_RECORDS) for one that is longer than any."""
    if len(digits) > _ID_DIGITS_MAX:
        raise refuse(RefusalCode.NO_RECORDS)
    return int(digits)


def moment_text(at: datetime | None) -> str:
    """Return a moment as ISO 8601 on an Indian clock, "" for none."""
    return ist(at).isoformat(timespec="seconds") if at else ""


async def _list(context: MerchantRequest) -> dict[str, object]:
    before = min(parse_list_settlements(context.values), ID_ABOVE_ALL)
    found = await finding.page_of(context.gateway.db, context.sender.merchant_id, before, LISTED_MAX)
    shown = [msgspec.to_builtins(_settlement(each)) for each in found]
    return replies.success({"settlements": shown}, f"{len(shown)} settlements", context.request_id)


async def _status(context: MerchantRequest) -> dict[str, object]:
    named, owner = id_named(parse_settlement(context.values)), context.sender.merchant_id
    found = await finding.told(context.gateway.db, owner, named)
    if found is None:
        raise refuse(RefusalCode.NO_RECORDS)
    shares = [_share(each) for each in await finding.paid_shares_of(context.gateway.db, owner, named)]
    data = _settlement(found, tuple(shares))
    return replies.success(msgspec.to_builtins(data), "The settlement and its shares", context.request_id)


async def _items(context: MerchantRequest) -> dict[str, object]:
    asked, owner = parse_items(context.values), context.sender.merchant_id
    named = id_named(asked.settlement_id)
    cause, _, kind = asked.after.partition("-")
    rows = await finding.items_after(context.gateway.db, owner, named, (int(cause or 0), kind), ITEMS_MAX + 1)
    if not rows and await finding.told(context.gateway.db, owner, named) is None:
        raise refuse(RefusalCode.NO_RECORDS)
    shown = tuple(_item(each) for each in rows[:ITEMS_MAX])
    data = SettlementItemsData(items=shown, next=shown[-1].item_id if len(rows) > ITEMS_MAX else "")
    return replies.success(msgspec.to_builtins(data), f"{len(shown)} items", context.request_id)


async def _payouts(context: MerchantRequest) -> dict[str, object]:
    asked = parse_list_payouts(context.values)
    before = min(asked.before, ID_ABOVE_ALL)
    states = [str(each) for each, spoken in _SPOKEN.items() if spoken == asked.state]
    found = await payouts.page_of(context.gateway.db, context.sender.merchant_id, before, states, LISTED_MAX)
    shown = [msgspec.to_builtins(_payout(each)) for each in found]
    return replies.success({"payouts": shown}, f"{len(shown)} payouts", context.request_id)


def _settlement(row: Record, shares: tuple[ShareData, ...] = ()) -> SettlementData:
    return SettlementData(
        settlement_id=str(row["settlement_id"]),
        settlement_day=row["day"].isoformat(),
        kind=row["kind"],
        items=row["items"],
        carried_in_amount=signed_text_from_paise(row["carried_in_paise"]),
        gross_amount=text_from_paise(row["gross_paise"]),
        refunds_amount=signed_text_from_paise(row["refunds_paise"]),
        other_amount=signed_text_from_paise(row["other_paise"]),
        fee_amount=text_from_paise(row["fee_paise"]),
        tax_amount=text_from_paise(row["tax_paise"]),
        instant_fee_amount=text_from_paise(row["price_paise"]),
        instant_tax_amount=text_from_paise(row["price_tax_paise"]),
        reserve_held_amount=text_from_paise(row["reserve_held_paise"]),
        reserve_released_amount=text_from_paise(row["reserve_released_paise"]),
        net_amount=text_from_paise(row["net_paise"]),
        splits_amount=text_from_paise(row["splits_paise"]),
        carried_amount=signed_text_from_paise(row["carried_paise"]),
        utr=row["utr"],
        shares=shares,
    )


def _share(row: Record) -> ShareData:
    return ShareData(
        beneficiary=row["beneficiary"],
        amount=text_from_paise(row["amount_paise"]),
        payout_id=str(row["payout_id"] or ""),
        payout_state=_SPOKEN[PayoutState(row["state"])] if row["state"] else "",
        utr=row["utr"] or "",
    )


def _item(row: Record) -> SettlementItemData:
    return SettlementItemData(
        item_id=f"{row['cause_id']}-{row['kind']}",
        kind=row["kind"],
        ap_transactionid=str(row["payment_id"] or ""),
        orderid=row["order_id"],
        at=moment_text(row["at"]),
        gross_amount=signed_text_from_paise(row["gross_paise"]),
        fee_amount=text_from_paise(row["fee_paise"]),
        tax_amount=text_from_paise(row["tax_paise"]),
        net_amount=signed_text_from_paise(row["net_paise"]),
        fee_rule=row["rule"],
    )


def _payout(row: Record) -> PayoutData:
    state = PayoutState(row["state"])
    return PayoutData(
        payout_id=str(row["payout_id"]),
        settlement_id=str(row["settlement_id"]),
        beneficiary=row["beneficiary"],
        amount=text_from_paise(row["amount_paise"]),
        state=_SPOKEN[state],
        rail=row["rail"],
        account=row["last4"],
        utr=row["utr"],
        reason=row["bank_message"] if state in _FAILED else "",
        created_at=moment_text(row["created_at"]),
        sent_at=moment_text(row["sent_at"]),
        ended_at=moment_text(row["settled_at"]),
    )
