"""What assistants propose beside refunds, done when a second person approved it."""

from dataclasses import dataclass
from typing import Any

from hundi.api.context import GatewayContext
from hundi.console.verb_pages import agreed_context
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.notifications.rules import parse_webhook_id
from hundi.staff.approvals.actions import ApprovalKind
from hundi.staff.approvals.rules import Approval
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbContext, VerbProblemError
from hundi.verbs.delivery import DeliveriesToReplay
from hundi.verbs.delivery import replay as replay_deliveries
from hundi.verbs.link import LinkToMake
from hundi.verbs.link import make as make_link
from hundi.verbs.verb import OperatorVerb


@dataclass(frozen=True, slots=True)
class ProposedLink:
    """A payment link that an assistant proposes. days: how many it can be paid."""

    amount_paise: int
    description: str
    days: int

    def parameters(self, merchant_id: int) -> LinkToMake:
        """Return the parameters of the verb that makes it."""
        return LinkToMake(
            merchant_id=merchant_id,
            amount=self.amount_paise,
            description=self.description,
            days=self.days,
        )


async def _make_proposed_link(gateway: GatewayContext, approval: Approval) -> str:
    context = await _context(gateway, make_link, approval)
    proposed = ProposedLink(**approval.payload)
    try:
        # The same approval makes the same link: its number is the link's reference.
        made = await make_link.act(context, proposed.parameters(approval.merchant_id))
    except VerbProblemError as problem:
        raise refuse(RefusalCode.STATE_FORBIDS, allowed=str(problem)) from None
    return f"The link was made: {made['address']}"


async def _resend_proposed(gateway: GatewayContext, approval: Approval) -> str:
    webhook_id = approval.payload["webhook_id"]
    key = parse_webhook_id(webhook_id)
    if key is None or key.merchant_id != approval.merchant_id:
        raise refuse(RefusalCode.NO_RECORDS, field="webhook_id", received=webhook_id[:64])
    context = await _context(gateway, replay_deliveries, approval)
    try:
        await replay_deliveries.act(context, DeliveriesToReplay(webhook_id=webhook_id))
    except VerbProblemError as problem:
        raise refuse(RefusalCode.STATE_FORBIDS, allowed=str(problem)) from None
    return f"The notification {webhook_id} is sent again."


async def _context(
    gateway: GatewayContext, verb: OperatorVerb[Any], approval: Approval
) -> VerbContext:
    maker = await people.select(gateway.db, approval.made_by)
    return agreed_context(gateway, verb, approval, maker)


PROPOSED_LINK: ApprovalKind[GatewayContext] = ApprovalKind(
    "assistant_link",
    "Payment link",
    Permission.LINKS_MAKE,
    Permission.LINKS_MAKE,
    _make_proposed_link,
)
PROPOSED_RESEND: ApprovalKind[GatewayContext] = ApprovalKind(
    "assistant_resend",
    "Notification to send again",
    Permission.DELIVERIES_REPLAY,
    Permission.DELIVERIES_REPLAY,
    _resend_proposed,
)
