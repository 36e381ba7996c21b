"""The checksums of kits before version 4: of the form that begins a payment, and of operations.

None proves a sender: version 3 has no secret but the password, and version 2 a value that is in the
same form (docs/old-kits.md#proof).
"""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from hundi.wire.merchant.checksum import INDIA, Fields, accepted_days, alldata

_OTHER_DAYS = (-2, -1, 1, 2)
"""Days around today whose checksums are named in the log of a refused form."""
MERCHANT, MERCHANT_SEALED = "merchant_id", "mercid"
"""The names of the merchant's id in plain and in sealed operations."""


@dataclass(frozen=True, slots=True)
class KitSecrets:
    """The values of a merchant that checksums are made with.

    privatekey: as the form has it.
    """

    username: str
    password: str
    privatekey: str

    def __repr__(self) -> str:
        """Hide everything: this value reaches tracebacks."""
        return "KitSecrets(****)"


@dataclass(frozen=True, slots=True)
class ChecksumVerdict:
    """The result of a comparison.

    version: of the kit whose checksum it is, "" for none. day: the name of its day, "" where that
    day is not accepted. dated: that day.
    """

    version: str
    day: str
    dated: date


def version_3(text: str, day: date, secrets: KitSecrets) -> str:
    """Return hex sha256 of `key256@`, the text and the day; key256 is of username and password."""
    key = _sha256(f"{secrets.username}~:~{secrets.password}")
    return _sha256(f"{key}@{text}{day.isoformat()}")


def version_2(text: str, day: date, secrets: KitSecrets) -> str:
    """Return hex MD5 of the text, the day and the privatekey."""
    whole = f"{text}{day.isoformat()}{secrets.privatekey}"
    return hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()


VERSIONS: Mapping[str, Callable[[str, date, KitSecrets], str]] = {"3": version_3, "2": version_2}


def order_texts(fields: Fields) -> tuple[str, ...]:
    """Return what kits join of an order: without its UID, and with it where there is one."""
    uid = fields.get("UID")
    return (alldata(fields), *((alldata(fields, uid),) if isinstance(uid, str) and uid else ()))


def joined_texts(values: Mapping[str, str], *orders: Iterable[str]) -> tuple[str, ...]:
    """Return the values joined in each order of names, and in the order in which they were sent.

    A missing value is empty.
    """
    texts = ["".join(values.get(name, "") for name in names) for names in orders]
    return tuple(dict.fromkeys((*texts, "".join(values.values()))))


def verdict(
    texts: Iterable[str],
    given: str,
    now: datetime,
    secrets: KitSecrets,
    versions: Iterable[str] = VERSIONS,
) -> ChecksumVerdict | None:
    """Return what a checksum is, or None when no version and day around today gives it.

    The dates in India and in UTC are accepted, each also as an hour ago and in an hour. now: aware.
    """
    wanted = given.strip().lower().encode(errors="replace")
    texts = tuple(texts)
    for name, day in _days(now):
        for version in versions:
            for text in texts:
                value = VERSIONS[version](text, day, secrets)
                if hmac.compare_digest(value.encode(), wanted):
                    return ChecksumVerdict(version, name, day)
    return None


def _days(now: datetime) -> Iterator[tuple[str, date]]:
    accepted = accepted_days(now)
    yield from accepted.items()
    for days in _OTHER_DAYS:
        for zone in (INDIA, UTC):
            day = (now + timedelta(days=days)).astimezone(zone).date()
            if day not in accepted.values():
                yield "", day


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
