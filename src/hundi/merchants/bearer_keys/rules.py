"""What a bearer key may do, and what its text is; pure.

The text is shown once and never stored: the gateway has its SHA-256 (docs/decisions/0081-a-plain-
interface-is-a-form-of-the-table.md).
"""

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

import msgspec

from hundi.kernel.refusals import RefusalCode, Refused, refuse
from hundi.merchants.directory.api_keys.rules import ApiKey, KeyScope, checked
from hundi.merchants.directory.keys.rules import MARK_DIGITS

LIVE_MAX = 20
"""Keys of one merchant that count at the same time."""
DAYS_MAX = 3_660
USE_NOTED_AGAIN_AFTER = timedelta(minutes=1)
"""How exactly the last use is known: a write with each call would cost more than the look-up."""
_SECRET_BYTES = 32
_TEXT = re.compile(r"hundi_([1-9][0-9]{0,11})_[A-Za-z0-9_-]{43}\Z")


class BearerKey(msgspec.Struct, frozen=True):
    """A bearer key as it is stored.

    digest: the SHA-256 of its text. refund_paise: how much it may refund of one payment in total.
    expires_at, ended_at, used_at: None for never. proof: a mark that SQL alone cannot make.
    """

    merchant_id: int
    name: str
    digest: bytes
    scopes: tuple[KeyScope, ...]
    refund_paise: int
    made_by: str
    made_at: datetime
    expires_at: datetime | None = None
    ended_at: datetime | None = None
    used_at: datetime | None = None
    proof: bytes = b""

    @property
    def mark(self) -> str:
        """Return the start of its SHA-256, by which people tell keys apart."""
        return self.digest.hex()[:MARK_DIGITS]

    @property
    def as_api_key(self) -> ApiKey:
        """Return it as the key of a call, whose scopes and amount every action knows."""
        return ApiKey(self.name, "", self.scopes, self.refund_paise)

    @property
    def proved_values(self) -> tuple[int | str | bytes | datetime | None, ...]:
        """Return what its proof is over: all that decides what it may do."""
        scopes = " ".join(self.scopes)
        start = (self.merchant_id, self.name, self.digest, scopes, self.refund_paise)
        return (*start, self.made_by, self.made_at, self.expires_at)

    def counts(self, now: datetime) -> bool:
        """Return whether it opens anything at a time."""
        return self.ended_at is None and (self.expires_at is None or now < self.expires_at)

    def state(self, now: datetime) -> str:
        """Return active, ended or expired."""
        if self.counts(now):
            return "active"
        return "expired" if self.ended_at is None else "ended"

    def is_use_noted(self, now: datetime) -> bool:
        """Return whether the stored last use is new enough."""
        return self.used_at is not None and now < self.used_at + USE_NOTED_AGAIN_AFTER


def new_text(merchant_id: int) -> str:
    """Return the text of a new key, which names its merchant and is found by scanners of code."""
    return f"hundi_{merchant_id}_{secrets.token_urlsafe(_SECRET_BYTES)}"


def merchant_named(text: str) -> int | None:
    """Return the merchant that a key names, None for what is no key."""
    match = _TEXT.match(text)
    return int(match[1]) if match else None


def digest_of(text: str) -> bytes:
    """Return the SHA-256 of a key: 256 random bits need no slower hash."""
    return hashlib.sha256(text.encode()).digest()


def new_key(
    merchant_id: int,
    text: str,
    name: str,
    scopes: Collection[str],
    refund_paise: int,
    days: int,
    made_by: str,
    now: datetime,
) -> BearerKey:
    """Return a key to store. days: until it expires, 0 for never. Raises Refused: FIELD_INVALID."""
    if not 0 <= days <= DAYS_MAX:
        raise _wrong("days", str(days), f"0 to {DAYS_MAX}: 0 is without end")
    return BearerKey(
        merchant_id,
        name,
        digest_of(text),
        checked(name, scopes, refund_paise),
        refund_paise,
        made_by,
        now,
        now + timedelta(days=days) if days else None,
    )


def check_room(keys: Sequence[BearerKey], name: str, now: datetime) -> None:
    """Raise Refused (FIELD_INVALID) for a name that was used, or one key too many."""
    if any(key.name == name for key in keys):
        raise _wrong("name", name, "a name that no bearer key had, an ended one included")
    if sum(key.counts(now) for key in keys) >= LIVE_MAX:
        raise _wrong("name", name, f"{LIVE_MAX} bearer keys at most: end one first")


def _wrong(field: str, received: str, allowed: str) -> Refused:
    return refuse(RefusalCode.FIELD_INVALID, field=field, received=received[:64], allowed=allowed)
