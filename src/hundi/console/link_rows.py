"""What a screen shows of a payment link."""

from typing import Any

from hundi.api.addresses import LINK_PAGE
from hundi.console.payments import words
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import rupees
from hundi.payments.links import rules
from hundi.payments.links.rules import Link, LinkState

_TONES = {LinkState.PAID: "paid", LinkState.PARTLY_PAID: "waiting", LinkState.OPEN: "waiting"}


def tone_of_link(state: str) -> str:
    """Return the colour of a link's tag."""
    return _TONES.get(LinkState(state), "")


def link_row(visit: ConsoleVisit, link: Link) -> dict[str, Any]:
    """Return a link as lists and pages show it."""
    state = rules.state_of(link, visit.now)
    return {
        "id": link.link_id,
        "reference": link.reference,
        "description": link.description,
        "amount": rupees(link.amount_paise),
        "paid": rupees(link.paid_paise),
        "left": rupees(link.left_paise),
        "state": words(state),
        "tone": tone_of_link(state),
        "until": link.expires_at,
        "address": visit.gateway.settings.payment_page_url + LINK_PAGE + link.address,
        "payable": state in rules.PAYABLE,
    }
