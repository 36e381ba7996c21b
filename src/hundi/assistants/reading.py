"""Tools that read: payments, settlements, disputes, refused requests, deliveries, health."""

from datetime import date
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hundi.api.merchant.explained import Explained
from hundi.assistants import replies
from hundi.assistants.replies import (
    DeliveryList,
    DeliveryStory,
    DisputeStory,
    GatewayHealth,
    MerchantDisputes,
    PaymentList,
    PaymentStory,
    RefusalList,
    SettlementList,
    SettlementStory,
)
from hundi.assistants.tools import Most, Reference, ToolCall, ToolParameters, rows_in, tool
from hundi.assistants.words import outside, row_of, word
from hundi.console.queries import requests
from hundi.console.queries.requests import RequestFilters
from hundi.console.requests import reason_facts
from hundi.kernel.ids import parse_reference
from hundi.kernel.states import DisputeState, PaymentState
from hundi.notifications.rules import DeliveryState, parse_webhook_id
from hundi.staff.assistant_keys.rules import AssistantScope
from hundi.staff.people.rules import OPERATOR
from hundi.status import store as status
from hundi.status.rules import ComponentGroup, ComponentState, key_of
from hundi.verbs import delivery, dispute, payment, settlement
from hundi.verbs.context import VerbProblemError
from hundi.verbs.parameters import ID_MAX

ROWS_OF_STORY_MAX = 20
"""Rows of one part of a payment, a settlement or a delivery."""


class PaymentsWanted(ToolParameters, frozen=True, kw_only=True):
    """Filters of payments."""

    state: PaymentState | None = None
    since: Annotated[date | None, Meta(description="From this Indian business day on.")] = None
    until: Annotated[date | None, Meta(description="Up to this day, which is included.")] = None
    most: Most = 20


class OnePayment(ToolParameters, frozen=True, kw_only=True):
    """One payment."""

    reference: Annotated[Reference, Meta(description="ap_transactionid, order id or RRN.")]


class SettlementsWanted(ToolParameters, frozen=True, kw_only=True):
    """How many settlements."""

    most: Most = 20


class OneSettlement(ToolParameters, frozen=True, kw_only=True):
    """One settlement."""

    settlement: Annotated[Reference, Meta(description="As list_settlements names it.")]


class DisputesWanted(ToolParameters, frozen=True, kw_only=True):
    """Filters of disputes."""

    state: DisputeState | None = None
    most: Most = 20


class OneDispute(ToolParameters, frozen=True, kw_only=True):
    """One dispute."""

    dispute_id: Annotated[int, Meta(ge=1, le=ID_MAX)]


class RefusalsWanted(ToolParameters, frozen=True, kw_only=True):
    """Filters of refused requests."""

    reference: Annotated[
        str, Meta(max_length=64, description='The request id of one reply; "" for the newest.')
    ] = ""
    most: Most = 10


class DeliveriesWanted(ToolParameters, frozen=True, kw_only=True):
    """Filters of deliveries."""

    state: DeliveryState | None = None
    ap_transactionid: Annotated[int, Meta(ge=1, le=ID_MAX)] | None = None
    most: Most = 20


class OneDelivery(ToolParameters, frozen=True, kw_only=True):
    """One delivery."""

    webhook_id: Annotated[Reference, Meta(description="As list_deliveries names it.")]


class HealthWanted(ToolParameters, frozen=True, kw_only=True):
    """What is asked about health."""


@tool(AssistantScope.PAYMENTS_READ)
async def list_payments(call: ToolCall, wanted: PaymentsWanted) -> PaymentList:
    """List payments, newest first, by state and days. Amounts are in paise."""
    filters = payment.PaymentsToList(
        merchant_id=call.merchant_of(wanted),
        state=wanted.state,
        since=wanted.since,
        until=wanted.until,
        most=wanted.most,
    )
    rows = rows_in(await payment.list_of.act(call.context, filters))
    listed = [row_of(replies.ListedPayment, row) for row in rows]
    return PaymentList(payments=listed, is_cut=len(rows) == wanted.most)


@tool(AssistantScope.PAYMENTS_READ)
async def show_payment(call: ToolCall, wanted: OnePayment) -> PaymentStory:
    """Show a payment by its number, order id or RRN, with its attempts and refunds."""
    named = payment.NamedPayment(merchant_id=call.merchant_of(wanted), reference=wanted.reference)
    story: Any = await payment.show.act(call.context, named)
    attempts, refunds = story["attempts"], story["refunds"]
    return PaymentStory(
        payment=row_of(replies.PaymentFactsShown, story["payment"]),
        attempts=[row_of(replies.ShownAttempt, row) for row in attempts[-ROWS_OF_STORY_MAX:]],
        refunds=[row_of(replies.ShownRefund, row) for row in refunds[-ROWS_OF_STORY_MAX:]],
        is_cut=max(len(attempts), len(refunds)) > ROWS_OF_STORY_MAX,
    )


@tool(AssistantScope.SETTLEMENTS_READ)
async def list_settlements(call: ToolCall, wanted: SettlementsWanted) -> SettlementList:
    """List settlements, newest first. Amounts are in paise; net_paise is what is paid out."""
    whose = settlement.SettlementsToList(merchant=call.merchant_of(wanted))
    rows = rows_in(await settlement.list_of.act(call.context, whose))
    listed = [row_of(replies.ListedSettlement, row) for row in rows[: wanted.most]]
    return SettlementList(settlements=listed, is_cut=len(rows) > wanted.most)


@tool(AssistantScope.SETTLEMENTS_READ)
async def show_settlement(call: ToolCall, wanted: OneSettlement) -> SettlementStory:
    """Show a settlement with what each payment, refund and dispute added to it."""
    merchant_id = call.merchant_of(wanted)
    settlement_key = parse_reference(wanted.settlement)
    if settlement_key is None or settlement_key[0] != merchant_id:
        message = f"merchant {merchant_id} has no such settlement"
        raise VerbProblemError(message)
    named = settlement.NamedSettlement(settlement=wanted.settlement)
    story: Any = await settlement.show.act(call.context, named)
    rows = story["rows"]
    return SettlementStory(
        settlement=row_of(replies.ListedSettlement, story),
        utr=word(story["utr"]),
        rows=[row_of(replies.ShownSettlementRow, row) for row in rows[:ROWS_OF_STORY_MAX]],
        is_cut=len(rows) > ROWS_OF_STORY_MAX,
    )


@tool(AssistantScope.DISPUTES_READ)
async def list_disputes(call: ToolCall, wanted: DisputesWanted) -> MerchantDisputes:
    """List disputes, newest first: what customers' banks claim back, and until when to answer."""
    filters = dispute.DisputesToList(
        merchant_id=call.merchant_of(wanted), state=wanted.state, most=wanted.most
    )
    rows = rows_in(await dispute.list_of.act(call.context, filters))
    listed = [row_of(replies.ListedDispute, row) for row in rows]
    return MerchantDisputes(disputes=listed, is_cut=len(rows) == wanted.most)


@tool(AssistantScope.DISPUTES_READ)
async def show_dispute(call: ToolCall, wanted: OneDispute) -> DisputeStory:
    """Show the phases of a dispute."""
    named = dispute.NamedDispute(merchant_id=call.merchant_of(wanted), dispute_id=wanted.dispute_id)
    story: Any = await dispute.show.act(call.context, named)
    phases = story["stages"][-ROWS_OF_STORY_MAX:]
    return DisputeStory(phases=[row_of(replies.ListedDispute, row) for row in phases])


@tool(AssistantScope.REFUSALS_READ)
async def list_refusals(call: ToolCall, wanted: RefusalsWanted) -> RefusalList:
    """Explain refused requests: why each was refused, and which settings would accept it."""
    merchant_id, db = call.merchant_of(wanted), call.base.db
    references = [wanted.reference]
    if not wanted.reference:
        rows = await requests.select_page(db, merchant_id, RequestFilters(), "", wanted.most)
        references = [row["reference"] for row in rows]
    details = [await requests.select_one(db, merchant_id, each) for each in references]
    if wanted.reference and details == [None]:
        message = f"merchant {merchant_id} has no refused request with this reference"
        raise VerbProblemError(message)
    listed = [_explained(row) for row in details if row is not None]
    is_cut = not wanted.reference and len(listed) == wanted.most
    return RefusalList(refusals=listed, is_cut=is_cut)


def _explained(row: Any) -> replies.ExplainedRefusal:  # noqa: ANN401 (a database row)
    explained = msgspec.convert(row["explained"], Explained)
    reason = reason_facts(row["code"])
    return row_of(
        replies.ExplainedRefusal,
        {
            **dict(row),
            "response_code": reason["wire"],
            "says": reason["said"],
            "helps": reason["helps"],
            "field": explained.field,
            "received": explained.received,
            "allowed": explained.allowed,
            "mistake": explained.found,
            "settings": [outside(command) for command in explained.settings],
        },
    )


@tool(AssistantScope.DELIVERIES_READ)
async def list_deliveries(call: ToolCall, wanted: DeliveriesWanted) -> DeliveryList:
    """List deliveries of notifications to the merchant's server, newest first."""
    filters = delivery.DeliveriesToList(
        recipient=str(call.merchant_of(wanted)),
        state=wanted.state,
        payment=wanted.ap_transactionid,
    )
    result: Any = await delivery.list_of.act(call.context, filters)
    rows = rows_in(result)
    return DeliveryList(
        deliveries=[row_of(replies.ListedDelivery, row) for row in rows[: wanted.most]],
        failing=outside(result.remark),
        is_cut=len(rows) > wanted.most,
    )


@tool(AssistantScope.DELIVERIES_READ)
async def show_delivery(call: ToolCall, wanted: OneDelivery) -> DeliveryStory:
    """Show the tries of a delivery, with what the merchant's server answered."""
    check_delivery(call.merchant_of(wanted), wanted.webhook_id)
    named = delivery.NamedDelivery(webhook_id=wanted.webhook_id)
    rows = rows_in(await delivery.show.act(call.context, named))
    tries = [row_of(replies.ShownTry, {**row, "number": row["try"]}) for row in rows]
    shown = tries[-ROWS_OF_STORY_MAX:]
    return DeliveryStory(tries=shown, is_cut=len(tries) > len(shown))


def check_delivery(merchant_id: int, webhook_id: str) -> None:
    """Raise VerbProblemError unless a delivery is to this merchant."""
    key = parse_webhook_id(webhook_id)
    if key is None or key.merchant_id != merchant_id:
        message = f"merchant {merchant_id} has no such delivery"
        raise VerbProblemError(message)


@tool(AssistantScope.HEALTH_READ)
async def show_health(call: ToolCall, wanted: HealthWanted) -> GatewayHealth:
    """Show which parts of the gateway and methods of payment do not work fully now."""
    del wanted
    spells = await status.going_on(call.base.db)
    hidden = "" if call.caller.key.merchant_id == OPERATOR else key_of(ComponentGroup.ACQUIRER, "")
    troubled = [
        replies.TroubledPart(word(spell.component), word(spell.state), spell.began_at)
        for spell in spells.values()
        if spell.state is not ComponentState.OPERATIONAL
        and not (hidden and spell.component.startswith(hidden))
    ]
    return GatewayHealth(troubled=troubled, looked_at=await status.looked_at(call.base.db))


TOOLS = (
    *(list_payments, show_payment, list_settlements, show_settlement),
    *(list_disputes, show_dispute, list_refusals),
    *(list_deliveries, show_delivery, show_health),
)
