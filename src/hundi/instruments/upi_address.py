"""UPI address rules: the form of an address, and where a customer may type one."""

import re
from datetime import date
from enum import StrEnum

from hundi.instruments.card import holds_number

LENGTH_MAX = 255
# Unknown handles are accepted: lists of them go out of date (docs/spec/domain.md#vpa).
_ADDRESS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}@[A-Za-z][A-Za-z0-9]{1,63}")

# NPCI ended collect requests to merchants on this day, but for the exemptions below
# (docs/spec/domain.md#upi-collect).
COLLECT_ENDED_ON = date(2026, 2, 28)
COLLECT_EXEMPT_MCC = frozenset({"6012", "6211"})


class UpiClient(StrEnum):
    """The environment of the payment page, for the UPI rules."""

    DESKTOP_WEB = "desktop_web"
    """A browser on a computer: intent links do not work there, a QR does."""
    MOBILE_WEB = "mobile_web"
    """A browser on a phone or tablet."""
    IOS_APP = "ios_app"
    """A web view inside an iOS app."""
    ANDROID_APP = "android_app"
    """A web view inside an Android app."""


COLLECT_EXEMPT_CLIENTS = frozenset({UpiClient.MOBILE_WEB, UpiClient.IOS_APP})
_APPLE = re.compile(r"iPhone|iPad|iPod")


def read(text: str) -> str | None:
    """Return a UPI address in lower case, in which addresses are compared; None if malformed.

    A card number as its name was typed into the wrong field: the address would be stored, and sent
    to the merchant.
    """
    trimmed = text.strip()
    if (
        len(trimmed) > LENGTH_MAX
        or _ADDRESS.fullmatch(trimmed) is None
        or holds_number(trimmed.partition("@")[0])
    ):
        return None
    return trimmed.lower()


def client_of(user_agent: str) -> UpiClient:
    """Return the class of a User-Agent.

    An unknown one counts as a computer, the strictest class.
    """
    if _APPLE.search(user_agent):
        return UpiClient.MOBILE_WEB if "Safari/" in user_agent else UpiClient.IOS_APP
    if "Android" in user_agent:
        return UpiClient.ANDROID_APP if "; wv)" in user_agent else UpiClient.MOBILE_WEB
    return UpiClient.DESKTOP_WEB


def on_phone(client: UpiClient) -> bool:
    """Return whether a `upi://` link can open an app on this device."""
    return client is not UpiClient.DESKTOP_WEB


def collect_allowed(mcc: str, *, merchant_allows: bool, client: UpiClient, on: date) -> bool:
    """Return whether "enter UPI id" may be offered: by the merchant and by the network.

    on: the Indian business day.
    """
    if not merchant_allows:
        return False
    return on < COLLECT_ENDED_ON or mcc in COLLECT_EXEMPT_MCC or client in COLLECT_EXEMPT_CLIENTS
