"""Cashfree Easy Split: parts of payments for vendors, which Cashfree settles.

Source: cashfree/cashfree-pg (docs/EasySplitAPI.md, a600a39) and the pages of Easy Split. A split
has no number and takes no reference: the report of an order finds a part by its vendor, of whom an
order has one part. A refund takes the vendors' parts with it (`refund_splits`). An adjustment could
take them later, but cannot be looked up, and is not used.
"""

from decimal import Decimal
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import msgspec

from hundi.acquirers.cashfree import refunds, rules
from hundi.acquirers.cashfree.orders import CashfreeOrders, no_answer
from hundi.acquirers.cashfree.words import (
    TEXT_MAX,
    CashfreeAnswer,
    CashfreeRefund,
    Id,
    Text,
    decoded,
    in_paise,
    in_rupees,
    refusal,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Unknown
from hundi.acquirers.port.splits import (
    PartyStanding,
    PartyState,
    ReversalOrder,
    ShareMade,
    ShareOrder,
)

SHARE_GAPS_S = (10, 60, 300, 900, 3_600, 14_400, 43_200)
SETTLED_GAPS_S = (43_200, 86_400, 86_400, 86_400, 172_800, 345_600, 604_800)
"""Cashfree settles vendors a working day after the payment, or as their schedule says."""
SHARE_GRACE_S = 600
"""Longer than the two minutes after a payment in which Cashfree takes no split of it."""
ROWS_AT_ONCE = 100
PAGES_MAX = 10
REPORT = "/split/order/vendor/recon"
_STATES = {
    "ACTIVE": PartyState.ACTIVE,
    "BLOCKED": PartyState.SUSPENDED,
    "DELETED": PartyState.CLOSED,
}
"""Every other status waits for Cashfree, or for particulars."""
_NO_MORE = frozenset(
    {
        "api_request_failed",
        "split_already_finalized",
        "splits_exceed_order_amount",
        "vendor_not_active",
        "vendor_not_found",
    }
)
"""Refusals that a repeat meets again. What else is refused may be taken later."""
_GIVEN = "vendor_commission"
_NONE = frozenset({"", "N/A"})


class EasySplitVendor(msgspec.Struct, frozen=True):
    """A vendor."""

    vendor_id: Text
    status: Text


class EasySplitMade(msgspec.Struct, frozen=True):
    """The answer to a split. status: OK."""

    status: Text


class EasySplitRow(msgspec.Struct, frozen=True):
    """A row of an order's report: its payment, or what a vendor got or gave back, in rupees."""

    entity_type: Text
    merchant_order_id: Text
    amount: Decimal | None = None
    currency: Text = "INR"
    entity_id: Id | None = None
    merchant_vendor_id: Text | None = None
    sale_type: Text | None = None
    vendor_settlement_utr: Text | None = None


class EasySplitRows(msgspec.Struct, frozen=True):
    """A page of an order's report."""

    data: tuple[EasySplitRow, ...]
    cursor: Text | None = None


class CashfreeEasySplit:
    """The connector's calls about shares."""

    share_gaps_s = SHARE_GAPS_S
    settled_gaps_s = SETTLED_GAPS_S
    share_grace_s = SHARE_GRACE_S
    _orders: CashfreeOrders

    async def inquire_party(self, party: str) -> PartyStanding | NothingThere | Unknown:
        """Return how a vendor stands."""
        client = self._orders.client
        answer = await client.ask(client.look(f"/easy-split/vendors/{quote(party, safe='')}"))
        if isinstance(answer, Unknown):
            return answer
        vendor = decoded(answer, EasySplitVendor)
        if vendor is None:
            missing = rules.not_found(answer.status, refusal(answer))
            return NothingThere() if missing else no_answer(answer)
        if vendor.vendor_id != party:
            return Unknown(message="the acquirer answered about another vendor")
        state = _STATES.get(vendor.status, PartyState.PENDING)
        return PartyStanding(state, vendor.status[:TEXT_MAX])

    async def give_share(self, order: ShareOrder) -> ShareMade | Declined | Unknown:
        """Split a paid order; the caller has asked before any repeat."""
        order_id = await self._orders.order_id(order.original)
        if order_id is None:
            return Unknown(message="the acquirer has no order of this reference so far", sent=False)
        path = f"/easy-split/orders/{quote(order_id, safe='')}/split"
        part = {"vendor_id": order.party, "amount": in_rupees(order.amount)}
        request = {"split": [part], "disable_split": False}
        answer = await self._orders.client.ask(
            self._orders.call("POST", path, request, order.reference)
        )
        if isinstance(answer, Unknown):
            return answer
        found = await self.inquire_share(order)
        if not isinstance(found, NothingThere):
            return found
        if decoded(answer, EasySplitMade) is not None:
            return Unknown(message="the acquirer took the split, and its report lacks it so far")
        return _refusal(answer)

    async def inquire_share(
        self, order: ShareOrder
    ) -> ShareMade | Declined | Unknown | NothingThere:
        """Return how a share stands, found in the report of its order by its vendor."""
        order_id = await self._orders.order_id(order.original)
        if order_id is None:
            return NothingThere()
        rows = await self._rows(order_id)
        if isinstance(rows, NothingThere | Unknown):
            return rows
        return _share(rows, order)

    async def inquire_reversal(
        self, order: ReversalOrder
    ) -> Approved | Declined | Unknown | NothingThere:
        """Return what the refund that carries a reversal took of its vendor."""
        order_id = await self._orders.order_id(order.share.original)
        if order_id is None:
            return NothingThere()
        refund_id = refunds.refund_id(order.refund)
        refund = await self._orders.refund_of(order_id, refund_id)
        if not isinstance(refund, CashfreeRefund):
            return refund
        if (refund.refund_id, refund.order_id) != (refund_id, order_id):
            return Unknown(message="the acquirer answered about another refund")
        return refunds.part_taken(refund, order.share.party, order.amount)

    async def _rows(self, order_id: str) -> list[EasySplitRow] | NothingThere | Unknown:
        """Return every row of an order's report."""
        client, rows, cursor = self._orders.client, list[EasySplitRow](), None
        for _ in range(PAGES_MAX):
            answer = await client.ask(client.question(REPORT, report_question(order_id, cursor)))
            if isinstance(answer, Unknown):
                return answer
            page = decoded(answer, EasySplitRows)
            if page is None:
                missing = rules.not_found(answer.status, refusal(answer))
                return NothingThere() if missing else no_answer(answer)
            rows += page.data
            cursor = page.cursor if page.data else None
            if not cursor:
                return rows
        return Unknown("many", "the acquirer's report of the order has no end")


def report_question(order_id: str, cursor: str | None) -> dict[str, Any]:
    """Return the request for a page of an order's report."""
    filters = {"start_date": None, "end_date": None, "order_ids": [order_id]}
    return {"filters": filters, "pagination": {"limit": ROWS_AT_ONCE, "cursor": cursor}}


def _share(rows: list[EasySplitRow], order: ShareOrder) -> ShareMade | NothingThere | Unknown:
    """Return the part of a vendor; two of them are for people to look at."""
    given = [
        row
        for row in rows
        if row.entity_type == _GIVEN
        and row.merchant_vendor_id == order.party
        and row.sale_type == "CREDIT"
    ]
    if not given:
        return NothingThere()
    if len(given) > 1:
        return Unknown("made_twice", "Cashfree has two parts of one vendor in one order")
    (row,) = given
    amount = in_paise(row.amount, row.currency)
    if amount != order.amount:
        return Unknown("another", "the acquirer has another part of this vendor in the order")
    utr = row.vendor_settlement_utr or ""
    name = str(row.entity_id or "")[:TEXT_MAX]
    return ShareMade(order.amount, name, "" if utr in _NONE else utr[:TEXT_MAX])


def _refusal(answer: CashfreeAnswer) -> Declined | Unknown:
    """Return why a split was refused of which the report has nothing."""
    why = refusal(answer)
    told = rules.refused(answer.status, why)
    if why is None or (isinstance(told, Unknown) and not told.sent):
        return told
    final = why.code in _NO_MORE and answer.status < HTTPStatus.INTERNAL_SERVER_ERROR
    told_words = (why.code[:TEXT_MAX], why.message[:TEXT_MAX])
    return Declined(*told_words) if final else Unknown(*told_words)
