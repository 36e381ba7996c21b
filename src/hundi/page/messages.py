"""Pages without a payment: refused start, unknown address, fault, explanation; pure."""

from hundi.api import replies
from hundi.kernel.refusals import Refusal, RefusalCode
from hundi.page.screens import MessageScreen, Reference, Tone
from hundi.page.texts import Say

WHY_REFUSED = {
    RefusalCode.NO_CHANNEL_SERVED: "refused_no_channel",
    RefusalCode.CHANNEL_NOT_ENABLED: "refused_no_way",
    RefusalCode.ORDER_ALREADY_PAID: "refused_paid",
    RefusalCode.ORDER_CONTENT_DIFFERS: "refused_differs",
    RefusalCode.TOKEN_EXPIRED: "refused_late",
    RefusalCode.TOO_MANY_REQUESTS: "busy_what",
}
"""Texts for customers about a payment that could not start, if they need more than the default."""
OFFER_FOOTER = "offer_powered"
"""The key of the text below an offer's page."""


def refused(refusal: Refusal, request_id: str, back: str, say: Say) -> MessageScreen:
    """Return why a payment could not start.

    back: the merchant's address, "" if unknown. The customer reads no words of the protocol: the
    shop's developer finds them under the reference, in the log of refused requests.
    """
    what = WHY_REFUSED.get(refusal.code, "refused_what")
    lines = (say(what), say("no_money"), say("refused_shop"))
    references = (
        Reference(say("refused_code"), replies.CODE_OF[refusal.code].wire),
        Reference(say("refused_reference"), request_id),
    )
    words = say("refused_back" if back else "refused_back_how")
    return MessageScreen(Tone.REFUSED, say("refused_title"), lines, references, back, words)


def unknown(say: Say) -> MessageScreen:
    """Return the page for an address without a payment."""
    return MessageScreen(Tone.INFO, say("unknown_title"), (say("unknown_what"), say("unknown_do")))


def stray(say: Say) -> MessageScreen:
    """Return the page for a person at an address without a page."""
    return MessageScreen(Tone.INFO, say("stray_title"), (say("stray_what"), say("stray_do")))


def moved(old: str, new: str, description: str, say: Say) -> MessageScreen:
    """Return the page for an address of version 3.

    old, new, description: the paths of the old page, of the new one, and of the OpenAPI document.
    """
    references = (
        Reference(say("moved_old"), old),
        Reference(say("moved_new"), new),
        Reference(say("moved_docs"), f"docs/payment.md, docs/old-kits.md, {description}"),
    )
    lines = say("no_money"), say("moved_shop"), say("moved_how"), say("moved_kits")
    return MessageScreen(Tone.REFUSED, say("moved_title"), lines, references)


def started_here(say: Say) -> MessageScreen:
    """Return the page for a person who opens the address to which shops post."""
    return MessageScreen(Tone.INFO, say("start_title"), (say("start_what"), say("start_do")))


def busy(seconds: int, say: Say) -> MessageScreen:
    """Return the page for a network that asks too often. seconds: when it may ask again."""
    return MessageScreen(
        Tone.INFO, say("busy_title"), (say("busy_what"), say("busy_do", seconds=seconds))
    )


def foreign(say: Say) -> MessageScreen:
    """Return the page for a form that another site posted."""
    return MessageScreen(
        Tone.REFUSED, say("foreign_title"), (say("foreign_what"), say("foreign_do"))
    )


def fault(request_id: str, say: Say) -> MessageScreen:
    """Return the page for a fault of ours; request_id finds it in our log."""
    references = (Reference(say("refused_reference"), request_id),)
    return MessageScreen(
        Tone.REFUSED, say("fault_title"), (say("fault_what"), say("fault_do")), references
    )


def no_offer(say: Say) -> MessageScreen:
    """Return the page for an address of no offer, or of one that its affiliate does not know."""
    return _without_offer(say("offer_none_title"), say("offer_none_what"), say("offer_none_do"))


def offer_later(say: Say) -> MessageScreen:
    """Return the page for an offer that cannot be shown now, for whatever reason."""
    return _without_offer(say("offer_later_title"), say("offer_later_what"), say("offer_later_do"))


def offer_closed(partner: str, say: Say) -> MessageScreen:
    """Return the page for an offer that may not be opened any more."""
    return _without_offer(
        say("offer_closed_title"), say("offer_closed_what"), say("offer_closed_do", partner=partner)
    )


def _without_offer(title: str, *lines: str) -> MessageScreen:
    return MessageScreen(Tone.INFO, title, lines, footer=OFFER_FOOTER)
