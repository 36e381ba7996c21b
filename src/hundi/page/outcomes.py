"""The reasons of declines for customers, and the advice: one table by bank code; pure."""

from collections.abc import Mapping

from hundi.acquirers.port.answers import CANCELLED_CODE
from hundi.instruments.methods import METHODS, Flow
from hundi.kernel.states import AttemptState
from hundi.page.texts import DEFAULT_LANGUAGE, Say, speaker
from hundi.payments.attempts.rules import CARD_ISSUER_CODE, CARD_TYPE_CODE, OTHER_ACCOUNT_CODE
from hundi.payments.attempts.transfers.rules import OTHER_NETWORK_CODE
from hundi.payments.orders.rules import Attempt

WHY_BACK: Mapping[str, str] = {
    OTHER_ACCOUNT_CODE: "other_account",
    OTHER_NETWORK_CODE: "other_network",
}
"""Why money of the right amount goes back."""
# Bank code → (what happened, what to do), as keys of the texts. See docs/spec/domain.md#upi-codes,
# and for cards (DE39) docs/spec/domain.md#card-codes. 3DS-* says how a challenge ended, see
# docs/spec/domain.md#three-ds.
REASONS: Mapping[str, tuple[str, str]] = {
    "ZA": ("declined_by_you", "again"),
    "U19": ("declined_by_you", "again"),
    "Z9": ("declined_funds", "use_other"),
    "51": ("declined_funds", "use_other"),
    "Z8": ("declined_limit", "use_other"),
    "Z7": ("declined_limit", "use_other"),
    "U02": ("declined_limit", "use_other"),
    "61": ("declined_limit", "use_other"),
    "65": ("declined_limit", "use_other"),
    "L61": ("declined_limit", "use_other"),
    "L57": ("declined_credit", "use_other"),
    "ZM": ("declined_pin", "again"),
    "Z6": ("declined_pin", "contact_bank"),
    "55": ("declined_pin", "again"),
    "75": ("declined_pin", "contact_bank"),
    "U69": ("declined_expired_request", "again"),
    "54": ("declined_expired_card", "use_other"),
    "14": ("declined_number", "use_other"),
    "04": ("declined_blocked", "contact_bank"),
    "41": ("declined_blocked", "contact_bank"),
    "43": ("declined_blocked", "contact_bank"),
    "57": ("declined_blocked", "contact_bank"),
    "62": ("declined_blocked", "contact_bank"),
    "68": ("declined_bank_down", "later"),
    "91": ("declined_bank_down", "later"),
    "96": ("declined_bank_down", "later"),
    "15": ("declined_bank_down", "later"),
    "unreachable": ("unreachable", "later"),
    CARD_TYPE_CODE: ("declined_card_type", "use_other"),
    CARD_ISSUER_CODE: ("declined_card_issuer", "use_other"),
    CANCELLED_CODE: ("declined_cancelled", "again"),
    "3DS-N": ("declined_challenge", "again"),
    "3DS-U": ("declined_challenge", "use_other"),
    "3DS-A": ("declined_challenge", "use_other"),
    "3DS-R": ("declined_challenge", "use_other"),
}
ANY_OTHER = ("declined", "contact_bank")
NOT_REGISTERED = ("not_registered", "not_registered_do")
LEFT = ("left", "again")
DECLINED_THERE = "declined_there"
"""The text in place of `declined_by_you` for a customer outside a UPI app."""
WITHOUT_CARD: Mapping[str, str] = {
    "use_other": "use_other_account",
    "declined_blocked": "declined_account_blocked",
    "declined_limit": "declined_account_limit",
}
"""The texts for a customer who did not pay by card."""
IN_AN_APP: Mapping[str, str] = {"use_other": "use_other_app", "again": "again_app"}
"""The advice for a customer who paid in a UPI app to which the page can lead again."""


def refused_lines(attempt: Attempt, say: Say) -> tuple[str, str]:
    """Return (what happened, what to do) for a failed attempt."""
    what, advice = _refused_keys(attempt.method, attempt.state, attempt.bank_code)
    return say(what), say(advice)


def said_to_customers(method: str, state: str, bank_code: str) -> str:
    """Return what customers read, in English, of an attempt that was not paid."""
    if state == AttemptState.UNKNOWN:
        return ""
    return speaker(DEFAULT_LANGUAGE)(_refused_keys(method, state, bank_code)[0])


def _refused_keys(method: str, state: str, bank_code: str) -> tuple[str, str]:
    """Return the texts' keys of (what happened, what to do)."""
    if state == AttemptState.NOT_REGISTERED:
        return NOT_REGISTERED
    if state == AttemptState.EXPIRED:
        return LEFT
    what, advice = REASONS.get(bank_code, ANY_OTHER)
    if what == "declined_by_you" and not method.startswith("upi"):
        what = DECLINED_THERE
    if METHODS[method].flow is Flow.SCANNED:
        advice = IN_AN_APP.get(advice, advice)
    if not method.startswith("card"):
        what, advice = WITHOUT_CARD.get(what, what), WITHOUT_CARD.get(advice, advice)
    return what, advice
