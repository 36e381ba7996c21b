"""What a partner is, which settings it may have, and how often it may call; pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, TypeAlias, get_args

import msgspec

from hundi.kernel.names import is_name, name_words
from hundi.kernel.records import replace
from hundi.kernel.refusals import RefusalCode, Refused, refuse

NAME_LENGTH_MAX = 100
INTERFACES = (
    "aadhaar-xml",
    "aadhaar-verification",
    "gst-verification",
    "gst-calculator",
    "card-details",
    "leads",
    "offers",
    "pos-entries",
)
"""The interfaces that a partner may be allowed to call, by the last part of their address."""
Rotatable: TypeAlias = Literal[
    "api_key", "processor_key", "secret", "card_token", "gateway_key", "webhook_key"
]
ROTATABLE: tuple[Rotatable, ...] = get_args(Rotatable)
LeadLengths = Literal["notes", "strict"]
CARD_TOKEN_LENGTH = 10
CALLS_A_MINUTE = 3_000
CALLS_A_MINUTE_MAX = 10_000_000
"""Calls of one partner at one interface (docs/spec/partner-interfaces.md#limits)."""
LOOKUPS_A_MINUTE = 60
LOOKUPS_A_DAY = 2_000
"""Lookups of people and businesses, counted across processes: too few to copy a register.

See docs/spec/partner-interfaces.md#limits.
"""
CALLS_KEPT_FOR = timedelta(days=90)
COUNTS_KEPT_FOR = timedelta(days=2)
COUPONS_MAX = 100
DAYS_MAX = 3_650
_AFFILIATE = re.compile(r"[A-Z0-9]{4,10}\Z")
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.\-\[\]:]+(/[!-~]*)?\Z")
_PROGRAMME = re.compile(r"[A-Z0-9_-]{1,32}\Z")
_GATEWAY_KEY = re.compile(r"[!-~]{8,200}\Z")


class PartnerSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """An operator's choices for a partner; every field has a default that works.

    interfaces: what it may call. calls_a_minute, lookups_a_minute, lookups_a_day: limits. live:
    GST, cards and identity checks are answered by the live provider, not the simulated registers.
    card_programme: whose cards it may see; its own affiliate code when empty. lead_lengths: whether
    a length beyond the specification's is a note of a lead, or refuses it. lead_callback: the
    partner's address for news of its leads; empty: none. offers_callback: the address that is asked
    about a unique id. offers_coupons: shown for small amounts. offers_expiry_days: life of coupons
    when the callback names none. offers_open_days: how long a page stays open.
    """

    interfaces: tuple[str, ...] = INTERFACES
    calls_a_minute: int = CALLS_A_MINUTE
    lookups_a_minute: int = LOOKUPS_A_MINUTE
    lookups_a_day: int = LOOKUPS_A_DAY
    live: bool = False
    card_programme: str = ""
    lead_lengths: LeadLengths = "notes"
    lead_callback: str = ""
    offers_callback: str = ""
    offers_coupons: int = 1
    offers_expiry_days: int = 30
    offers_open_days: int = 30


class PartnerKeys(msgspec.Struct, frozen=True):
    """Every secret of one partner.

    secret: for checksums and the cipher of leads. gateway_key: compared with the header of lead
    creation when it is not "". webhook_key: signs the notifications to the partner's server. older:
    previous keys by name, valid until they are retired.
    """

    api_key: str
    processor_key: str
    secret: str
    card_token: str
    gateway_key: str = ""
    webhook_key: str = ""
    older: Mapping[Rotatable, str] = {}

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "PartnerKeys(****)"

    def valid(self, name: Rotatable) -> tuple[str, ...]:
        """Return the valid keys of a name, newest first.

        None where the partner has no such key.
        """
        return tuple(filter(None, (getattr(self, name), self.older.get(name))))

    def only(self, name: Rotatable, key: str) -> "PartnerKeys":
        """Return the keys with only one of a name."""
        if name not in self.older and key == getattr(self, name):
            return self
        older = {each: text for each, text in self.older.items() if each != name}
        return msgspec.structs.replace(self, **{name: key, "older": older})

    def rotated(self, name: Rotatable, fresh: str) -> "PartnerKeys":
        """Return the keys with a new one; the previous one stays valid."""
        before: str = getattr(self, name)
        previous: dict[Rotatable, str] = {name: before} if before else {}
        return msgspec.structs.replace(self.only(name, fresh), older={**self.older, **previous})


@dataclass(frozen=True, slots=True)
class Partner:
    """One partner as every interface sees it.

    by_older: the names of older keys that this call used.
    """

    affiliate: str
    state: Literal["active", "suspended"]
    name: str
    settings: PartnerSettings
    keys: PartnerKeys = field(repr=False)
    created_at: datetime
    by_older: tuple[Rotatable, ...] = ()

    @property
    def card_programme(self) -> str:
        """Return the programme whose cards this partner may see."""
        return self.settings.card_programme or self.affiliate

    @property
    def suspended(self) -> bool:
        """Return whether the operator has stopped this partner."""
        return self.state == "suspended"

    def using(self, name: Rotatable, key: str) -> "Partner":
        """Return the partner as it called: with only the key of a name that it used."""
        keys = self.keys.only(name, key)
        if keys is self.keys:
            return self
        older = () if key == getattr(self.keys, name) else (name,)
        return replace(self, keys=keys, by_older=self.by_older + older)


def _wrong(name: str, received: object, allowed: str) -> Refused:
    return refuse(
        RefusalCode.FIELD_INVALID, field=name, received=str(received)[:64], allowed=allowed
    )


def is_affiliate(text: str) -> bool:
    """Return whether a text can be an affiliate code."""
    return _AFFILIATE.match(text) is not None


def check_name(name: str) -> None:
    """Raise Refused unless a text can be a display name."""
    if not is_name(name, NAME_LENGTH_MAX):
        raise _wrong("name", name, name_words(NAME_LENGTH_MAX))


def check_gateway_key(key: str) -> None:
    """Raise Refused unless a gateway key fits into a header."""
    if key and not _GATEWAY_KEY.match(key):
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="gateway_key",
            allowed="8 to 200 printable ASCII characters",
        )


def changed_names(before: msgspec.Struct, after: msgspec.Struct) -> tuple[str, ...]:
    """Return the names of the fields in which two values of a kind differ, never their contents."""
    return tuple(
        name for name in before.__struct_fields__ if getattr(before, name) != getattr(after, name)
    )


def check_settings(settings: PartnerSettings) -> None:
    """Raise Refused naming the first setting that cannot be used; no address is called."""
    for name in settings.interfaces:
        if name not in INTERFACES:
            raise _wrong("interfaces", name, " ".join(INTERFACES))
    if settings.card_programme and not _PROGRAMME.match(settings.card_programme):
        raise _wrong("card_programme", settings.card_programme, "1 to 32 of A-Z 0-9 _ -")
    for name, address in (
        ("lead_callback", settings.lead_callback),
        ("offers_callback", settings.offers_callback),
    ):
        if address and not _ADDRESS.match(address):
            raise _wrong(name, address, "an http or https address of printable ASCII")
    for name, value, most in (
        ("calls_a_minute", settings.calls_a_minute, CALLS_A_MINUTE_MAX),
        ("lookups_a_minute", settings.lookups_a_minute, CALLS_A_MINUTE_MAX),
        ("lookups_a_day", settings.lookups_a_day, CALLS_A_MINUTE_MAX),
        ("offers_coupons", settings.offers_coupons, COUPONS_MAX),
        ("offers_expiry_days", settings.offers_expiry_days, DAYS_MAX),
        ("offers_open_days", settings.offers_open_days, DAYS_MAX),
    ):
        if not 1 <= value <= most:
            raise _wrong(name, value, f"1 to {most}")
