"""The checksum's three forms, each in every variant that real clients send.

None has a key: a checksum finds mistakes, not forgeries. See docs/spec/wire.md#checksum.
"""

import hashlib
import hmac
import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from hundi.wire import fields as wire_fields
from hundi.wire import strict_json
from hundi.wire.merchant.payments import CAMEL_CASE
from hundi.wire.strict_json import JsonValue

Fields = Mapping[str, JsonValue]

INDIA = timezone(timedelta(hours=5, minutes=30), "IST")
CLOCK_TOLERANCE = timedelta(hours=1)
"""How far a client's clock may be off around midnight (docs/spec/wire.md#checksum-v4)."""

_SAME_DAYS_S = 1_800
"""Seconds of a half hour, within which the set of dates stays the same.

Midnight in India, in UTC, and an hour from either, is at the beginning of one.
"""

_NESTED = frozenset({dict, list})
NULL_TEXTS = {"": "", "-null-none": "None", "-null-word": "null"}
"""The text that clients concatenate for a JSON null, by the suffix of the form's name."""

SECRET_FIELDS = frozenset({"client_secret", "token", "password", "card_number", "cvv"})
"""Fields whose values canonical texts never show."""
MASK = "****"


_Spelled: TypeAlias = list[str | None]
"""The values in the order of their keys, as text.

None for null, which has several spellings.
"""


class CanonicalText(NamedTuple):
    """One variant: its name, its hashed text (secrets masked), and its checksum."""

    form: str
    text: str
    value: str


def v4(fields: Fields, day: date) -> str:
    """Return hex sha256 of the values in key order, concatenated, then `YYYY-MM-DD`.

    Nulls count as empty. See docs/spec/wire.md#checksum-v4.
    """
    return _sha256("".join(each or "" for each in _spelled(fields)) + day.isoformat())


def verify_v4(fields: Fields, given: str, now: datetime) -> str | None:
    """Return the name of the v4 variant that gives `given`, or None.

    Names are such as `v4-ist` and `v4-utc-1h-null-none`. now: aware. The dates in India and in UTC
    count, each also as an hour ago and in an hour.
    """
    return _first_match(_v4_texts(_spellings(fields), now), given)


def crc32_forms(fields: Fields) -> dict[str, str]:
    """Return every accepted CRC32 by name: by key and by value, decimal and hex, each form of null.

    See docs/spec/wire.md#checksum-crc32.
    """
    return {text.form: text.value for text in _crc32_texts(_spellings(fields))}


def mobile(fields: Fields, *, username: str, password: str, day: date) -> str:
    """Return the mobile kits' checksum.

    sha256(sha256(username~:~password)@alldata + date), all hex. See
    docs/spec/wire.md#checksum-mobile.
    """
    key = _sha256(f"{username}~:~{password}")
    return _sha256(f"{key}@{alldata(fields)}{day.isoformat()}")


def match(
    fields: Fields, given: str, now: datetime, *, username: str, password: str, payment_page: bool
) -> str | None:
    """Return the name of the form that gives `given`, or None when the checksum is wrong.

    payment_page: only there does the mobile form count.
    """
    spellings = _spellings(fields)
    found = _first_match(_all_texts(spellings, now), given)
    if found is None and payment_page:
        forms = (
            CanonicalText(
                f"mobile-{name}", "", mobile(fields, username=username, password=password, day=day)
            )
            for name, day in _days(now)
        )
        found = _first_match(forms, given)
    return found


def canonical_texts(fields: Fields, now: datetime) -> Iterator[CanonicalText]:
    """Yield every accepted v4 and CRC32 variant with its text.

    The request log and `envelope explain` show them.
    """
    secrets = [
        value
        for name, value in fields.items()
        if name in SECRET_FIELDS and isinstance(value, str) and value
    ]
    for form, text, value in _all_texts(_spellings(fields), now):
        masked = text
        for secret in secrets:
            masked = masked.replace(secret, MASK)
        yield CanonicalText(form, masked, value)


def accepted_days(now: datetime) -> dict[str, date]:
    """Return the dates a checksum may carry, by name.

    `ist`, `utc`, and each an hour before and after.
    """
    return dict(_days(now))


def _days(now: datetime) -> tuple[tuple[str, date], ...]:
    return _days_of(int(now.timestamp() // _SAME_DAYS_S))


@lru_cache(maxsize=4)
def _days_of(span: int) -> tuple[tuple[str, date], ...]:
    """Return the dates by name, constant within a half hour, whose edges include every midnight."""
    now = datetime.fromtimestamp(span * _SAME_DAYS_S, UTC)
    found: dict[date, str] = {}
    for shift_name, shift in (
        ("", timedelta()),
        ("-1h", -CLOCK_TOLERANCE),
        ("+1h", CLOCK_TOLERANCE),
    ):
        for zone_name, zone in (("ist", INDIA), ("utc", UTC)):
            found.setdefault((now + shift).astimezone(zone).date(), zone_name + shift_name)
    return tuple((name, day) for day, name in found.items())


def _spelled(fields: Fields, *, ascii_only: bool = False) -> _Spelled:
    values = [fields[name] for name in sorted(fields)]
    return [each if type(each) is str else _spell(each, ascii_only) for each in values]


def _spell(value: JsonValue, ascii_only: bool) -> str | None:  # noqa: FBT001 (private, one caller)
    if value is None or isinstance(value, str):
        return value
    return strict_json.compact(value, ascii_only=ascii_only)


def _spellings(fields: Fields) -> dict[str, _Spelled]:
    """Return the values in each spelling of non-ASCII in objects and arrays, by form suffix.

    Made once for all forms: a message may be long, and most forms differ in their order or in a
    word.
    """
    found = {"": _spelled(fields)}
    if not _NESTED.isdisjoint(map(type, fields.values())):
        found["-escaped"] = _spelled(fields, ascii_only=True)
    return found


def _by_key(texts: list[str]) -> list[str]:
    return texts


def _readings(
    spellings: dict[str, _Spelled], order: Callable[[list[str]], list[str]]
) -> Iterator[tuple[str, str]]:
    """Yield (suffix, text) of each way to concatenate the values, without equal ones."""
    seen: set[str] = set()
    nulls = NULL_TEXTS if None in spellings[""] else {"": ""}
    for suffix, null in nulls.items():
        for escape_suffix, spelled in spellings.items():
            text = "".join(order([null if each is None else each for each in spelled]))
            if text not in seen:
                seen.add(text)
                yield suffix + escape_suffix, text


def _v4_texts(spellings: dict[str, _Spelled], now: datetime) -> Iterator[CanonicalText]:
    for suffix, text in _readings(spellings, _by_key):
        # The text may be long, and forms differ only in the date at its end.
        undated = hashlib.sha256(text.encode())
        for name, day in _days(now):
            dated, date_text = undated.copy(), day.isoformat()
            dated.update(date_text.encode())
            yield CanonicalText(f"v4-{name}{suffix}", text + date_text, dated.hexdigest())


def _crc32_texts(spellings: dict[str, _Spelled]) -> Iterator[CanonicalText]:
    for name, order in (("key", _by_key), ("value", sorted)):
        for suffix, text in _readings(spellings, order):
            crc = zlib.crc32(text.encode())
            yield CanonicalText(f"crc32-by-{name}-decimal{suffix}", text, str(crc))
            yield CanonicalText(f"crc32-by-{name}-hex{suffix}", text, f"{crc:08x}")


def _all_texts(spellings: dict[str, _Spelled], now: datetime) -> Iterator[CanonicalText]:
    return itertools.chain(_v4_texts(spellings, now), _crc32_texts(spellings))


def alldata(fields: Fields, uid: str = "") -> str:
    """Return the values of an order that kits before version 4 join.

    uid: the merchant's name of its customer, which one kind of kit joins after the order id. See
    docs/spec/wire.md#checksum-mobile.
    """

    def of(*names: str) -> str:
        return next(
            (text for name in names if (text := _spell(fields.get(name), ascii_only=False))), ""
        )

    names = ("email", "firstname", "lastname", "address", "city", "state", "country")
    values = [of(f"buyer_{name}", CAMEL_CASE[f"buyer_{name}"]) for name in names]
    values += [of("amount"), of("orderid"), uid]
    if of("txnsubtype") == "12":
        amount, retries = _two_places(of("sb_amount", "amount")), of("sb_retryattempts")
        if of("sb_period").upper() == "A":
            values += [of("sb_period"), amount, "1", retries]
        else:
            values += [of("sb_nextrundate"), of("sb_frequency"), of("sb_period"), amount, "1"]
            values += [of("sb_recurringcount"), retries]
    return "".join(values)


def _two_places(amount: str) -> str:
    try:
        return wire_fields.text_from_paise(wire_fields.paise_from_text(amount))
    except wire_fields.FieldError:
        return amount


def _first_match(texts: Iterable[CanonicalText], given: str) -> str | None:
    wanted = given.strip().lower().encode(errors="replace")
    return next(
        (text.form for text in texts if hmac.compare_digest(text.value.encode(), wanted)), None
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
