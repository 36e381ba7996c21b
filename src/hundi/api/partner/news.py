"""Notifications to a partner's server about its leads.

See docs/spec/partner-interfaces.md#lead-news.
"""

import msgspec

from hundi.kernel.clock import ist
from hundi.notifications.rules import Delivery, Recipient, Rendered
from hundi.partners.directory.rules import Partner
from hundi.partners.leads.rules import LeadFacts
from hundi.wire.partner.envelope import encode
from hundi.wire.partner.leads import news


def recipient_of(partner: Partner) -> Recipient:
    """Return a partner as the recipient of notifications.

    A suspended one gets none until it is resumed.
    """
    url = "" if partner.suspended else partner.settings.lead_callback
    return Recipient(url=url, keys=partner.keys.valid("webhook_key"), render=render)


def render(delivery: Delivery) -> Rendered:
    """Return the body of one notification, from the facts at its event.

    Each redelivery sends the same.
    """
    facts = msgspec.convert(delivery.facts, LeadFacts)
    told = news(
        event=delivery.kind,
        affiliate=facts.affiliate,
        lead_id=delivery.key.payment_id,
        state=facts.state,
        reason=facts.reason,
        merchant_id=facts.merchant_id,
        at=ist(delivery.created_at).isoformat(timespec="seconds"),
    )
    return Rendered("application/json", encode(told))
