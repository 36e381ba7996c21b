"""Tools that propose: each leaves a request in the console, which another person decides."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from hundi.assistants.reading import check_delivery
from hundi.assistants.replies import ProposalState
from hundi.assistants.tools import Reference, ToolCall, ToolParameters, tool
from hundi.assistants.words import outside, word
from hundi.console.assets import PREFIX
from hundi.console.assistant_acts import PROPOSED_LINK, PROPOSED_RESEND, ProposedLink
from hundi.console.refund_form import REFUND
from hundi.kernel.clock import business_day
from hundi.kernel.masking import masked
from hundi.kernel.money import Money, shown
from hundi.kernel.names import seen
from hundi.notifications.rules import parse_webhook_id
from hundi.notifications.status import store as deliveries
from hundi.payments.links import rules as links
from hundi.payments.links.rules import NewLink
from hundi.payments.orders.finding import store as finding
from hundi.payments.refunds.limits.rules import REFUNDABLE
from hundi.staff.approvals import actions as approvals
from hundi.staff.approvals import store
from hundi.staff.approvals.rules import Approval
from hundi.staff.assistant_keys.rules import AssistantScope
from hundi.verbs.context import VerbProblemError
from hundi.verbs.parameters import ID_MAX

OPEN_MAX = 50
"""Requests of a merchant that wait; with so many an assistant proposes nothing more."""
PAISE_MAX = 10**12
REASON_LENGTH_MAX = 300
DESCRIPTION_LENGTH_MAX = 100
_ACT_DIGITS = 15
Reason = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=REASON_LENGTH_MAX,
        description="Why; the person who decides reads it.",
    ),
]


class RefundProposal(ToolParameters, frozen=True, kw_only=True):
    """A refund to propose."""

    ap_transactionid: Annotated[int, Meta(ge=1, le=ID_MAX)]
    amount_paise: Annotated[int, Meta(ge=1, le=PAISE_MAX)]
    reason: Reason


class LinkProposal(ToolParameters, frozen=True, kw_only=True):
    """A payment link to propose."""

    amount_paise: Annotated[int, Meta(ge=1, le=PAISE_MAX)]
    description: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=DESCRIPTION_LENGTH_MAX,
            description="What it is for; the customer reads it.",
        ),
    ]
    days: Annotated[int, Meta(ge=1, le=links.LIFE_MAX.days)] = 30
    reason: Reason


class ResendProposal(ToolParameters, frozen=True, kw_only=True):
    """A notification to propose to send again."""

    webhook_id: Annotated[Reference, Meta(description="As list_deliveries names it.")]
    reason: Reason


class OneProposal(ToolParameters, frozen=True, kw_only=True):
    """One proposal."""

    proposal_id: Annotated[int, Meta(ge=1, le=ID_MAX)]


@tool(AssistantScope.REFUNDS_PROPOSE)
async def propose_refund(call: ToolCall, wanted: RefundProposal) -> ProposalState:
    """Propose a refund. No money moves: another person decides it in the console."""
    merchant_id = call.merchant_of(wanted)
    view = await finding.select_by_references(
        call.base.db, merchant_id, None, wanted.ap_transactionid, None
    )
    if view is None:
        message = f"merchant {merchant_id} has no payment {wanted.ap_transactionid}"
        raise VerbProblemError(message)
    payment = view.payment
    if payment.state not in REFUNDABLE:
        message = f"the payment is {payment.state}: there is nothing to refund"
        raise VerbProblemError(message)
    if wanted.amount_paise > payment.remaining.paise:
        message = f"{shown(payment.remaining)} of the payment remains"
        raise VerbProblemError(message)
    amount = shown(Money(wanted.amount_paise, payment.amount.currency))
    payload = {
        "payment_id": str(payment.payment_id),
        "order": payment.order_id,
        "amount_paise": wanted.amount_paise,
    }
    title = f"Refund of {amount} to order {payment.order_id}"
    return await _proposed(call, merchant_id, (REFUND.name, title, payload), wanted.reason)


@tool(AssistantScope.LINKS_PROPOSE)
async def propose_link(call: ToolCall, wanted: LinkProposal) -> ProposalState:
    """Propose a payment link. Nothing is made: another person decides it in the console."""
    merchant_id = call.merchant_of(wanted)
    await call.context.check_merchant(merchant_id)
    proposed = ProposedLink(wanted.amount_paise, masked(wanted.description), wanted.days)
    links.check(
        NewLink(
            reference="proposed",
            amount_paise=proposed.amount_paise,
            description=proposed.description,
            expires_at=call.now + timedelta(days=wanted.days),
        ),
        call.now,
    )
    title = f"Payment link of {shown(Money(proposed.amount_paise))}: {proposed.description}"
    return await _proposed(
        call, merchant_id, (PROPOSED_LINK.name, title, asdict(proposed)), wanted.reason
    )


@tool(AssistantScope.DELIVERIES_PROPOSE)
async def propose_resend(call: ToolCall, wanted: ResendProposal) -> ProposalState:
    """Propose to send a notification again. Another person decides it in the console."""
    merchant_id, webhook_id = call.merchant_of(wanted), wanted.webhook_id
    check_delivery(merchant_id, webhook_id)
    key = parse_webhook_id(webhook_id)
    if key is None or await deliveries.status_of(call.base.db, key) is None:
        message = f"merchant {merchant_id} has no such delivery, or it is in the archive"
        raise VerbProblemError(message)
    act = PROPOSED_RESEND.name, f"Send {webhook_id} again", {"webhook_id": webhook_id}
    return await _proposed(call, merchant_id, act, wanted.reason)


@tool(AssistantScope.PROPOSALS_READ)
async def show_proposal(call: ToolCall, wanted: OneProposal) -> ProposalState:
    """Show the state of a proposal of this key's person."""
    merchant_id = call.merchant_of(wanted)
    approval = await store.select(call.base.db, merchant_id, wanted.proposal_id)
    if approval is None or approval.made_by != call.caller.person.person_id:
        message = f"{call.caller.name} has no proposal {wanted.proposal_id} here"
        raise VerbProblemError(message)
    return _state_of(approval)


async def _proposed(
    call: ToolCall, merchant_id: int, act: tuple[str, str, Mapping[str, Any]], reason: str
) -> ProposalState:
    """Leave a request for another person; the same one of the same day is one. Raises Refused."""
    db = call.base.db
    kind, title, payload = act
    act_id = _act_id(call, merchant_id, kind, payload)
    standing = await approvals.of_act(db, merchant_id, kind, act_id, payload)
    if standing is None:
        if len(await store.select_open(db, merchant_id, OPEN_MAX)) >= OPEN_MAX:
            message = f"{OPEN_MAX} requests wait for a person already"
            raise VerbProblemError(message)
        approval_id = await approvals.ask(
            db,
            merchant_id,
            kind,
            title,
            payload,
            call.who,
            f"Proposed by an assistant: {masked(seen(reason))}",
            call.now,
            act_id,
        )
        standing = await store.select(db, merchant_id, approval_id)
        assert standing is not None
    return _state_of(standing)


def _act_id(call: ToolCall, merchant_id: int, kind: str, payload: Mapping[str, Any]) -> str:
    """Return the number of a proposal: a client that repeats a call makes no second one."""
    key, day = call.caller.key, business_day(call.now).isoformat()
    content = msgspec.json.encode((key.key_id, merchant_id, kind, payload, day), order="sorted")
    return str(int(hashlib.sha256(content).hexdigest(), 16))[:_ACT_DIGITS]


def _state_of(approval: Approval) -> ProposalState:
    return ProposalState(
        proposal_id=str(approval.approval_id),
        kind=word(approval.kind),
        title=outside(approval.title),
        state=word(approval.state),
        result=outside(approval.result),
        ends_at=approval.ends_at,
        decide_at=word(f"{PREFIX}{approval.merchant_id}/approvals/{approval.approval_id}"),
    )


TOOLS = (propose_refund, propose_link, propose_resend, show_proposal)
