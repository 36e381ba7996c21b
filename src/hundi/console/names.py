"""One name for each method of paying and each event, in every list, page and story."""

from collections.abc import Mapping

from hundi.console.lists import words
from hundi.instruments.methods import CHANNEL_OF_METHOD, CHANNELS, METHODS
from hundi.kernel.events import Kind

_HOW: Mapping[str, str] = {
    "upi_qr": "QR",
    "upi_link": "link",
    "upi_collect": "request",
    "upi_autopay": "AutoPay",
    "card_page": "on a page",
    "card_direct": "direct",
    "card_moto": "by mail or telephone",
    "card_mandate": "mandate",
    "emi_page": "on a page",
    "emi_direct": "direct",
    "enach_debit": "debit",
}
"""How a method pays, beside the name of its channel."""
METHOD_NAMES: Mapping[str, str] = {
    method: f"{CHANNEL_OF_METHOD[method].name} {_HOW.get(method, '')}".strip() for method in METHODS
}
"""The names of the methods of attempts."""
EVENT_NAMES: Mapping[str, str] = {str(each): words(each) for each in Kind}
"""The names of the events of which servers are told."""


def method_name(code: str) -> str:
    """Return the name of an attempt's method, or of a channel by its code."""
    if code in METHOD_NAMES:
        return METHOD_NAMES[code]
    return CHANNELS[code].name if code in CHANNELS else words(code)
