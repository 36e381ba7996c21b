"""Compares a received value with our own of the same message, and finds the usual mistake.

A text is kept in parts, each with the name of its field. Secrets appear as their names, and
personal data as its shape: the same length, with its characters covered, so that the place of a
difference is still found.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

from hundi.wire import cipher
from hundi.wire.merchant import checksum, mistakes
from hundi.wire.merchant.mistakes import Part, joined
from hundi.wire.strict_json import JsonNumber, JsonValue

TEXT_CHARS_MAX = 4_096
"""Longer messages are not compared when they are refused.

Each variation makes the whole text again.
"""
NEAR_DAYS, FAR_DAYS = 31, 400
"""Days around today that are tried as a checksum's date.

The first when it is refused, the second when somebody asks.
"""
CLEAR = frozenset(
    {
        *(
            "amount",
            "orderid",
            "currency",
            "isocurrency",
            "iso_currency",
            "currency_code",
            "merchant_id",
            "mercid",
        ),
        *(
            "chmod",
            "txnsubtype",
            "kittype",
            "mer_dom",
            "grant_type",
            "scope",
            "client_id",
            "ap_transactionid",
        ),
        *(
            "refund_amount",
            "transaction_id",
            "request_id",
            "mode",
            "date",
            "sb_nextrundate",
            "sb_period",
        ),
        *(
            "sb_frequency",
            "sb_amount",
            "sb_recurringcount",
            "sb_retryattempts",
            "sb_maxamount",
            "settlement_id",
        ),
    }
)
"""Fields whose values are not personal data: they are shown as they were sent."""
DIGEST_BEGINS = 4
"""Characters shown of a digest over covered values: enough to distinguish two."""
_SHAPES = {1: "x", 2: "ä", 3: "अ", 4: "\N{GOTHIC LETTER AHSA}"}
"""The cover of a letter, by its bytes in UTF-8."""
Input: TypeAlias = Literal["checksum", "privatekey", "encdata"]


@dataclass(frozen=True, slots=True)
class ClaimedCredentials:
    """Credentials as the merchant claims them.

    client_secret is only compared, to find mix-ups.
    """

    username: str
    password: str = field(repr=False)
    secret: str = field(default="", repr=False)
    client_secret: str = field(default="", repr=False)

    @property
    def key(self) -> bytes:
        """Return the derived encryption key."""
        return cipher.encryption_key(self.username, self.password)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Our text beside the received one, for one wrong input.

    ours, theirs: the two texts; theirs is empty where no known mistake gives the received value.
    gives: the result of ours, "" where that is a secret. mistake: in words. shaped: names of fields
    whose values are shown only by their shape.
    """

    input: Input
    sent: str
    ours: tuple[Part, ...]
    gives: str
    mistake: str
    theirs: tuple[Part, ...]
    shaped: tuple[str, ...] = ()


def same(computed: str, given: str) -> bool:
    """Compare hex digests in constant time; digits of either case are the same."""
    return hmac.compare_digest(computed.encode(), given.strip().lower().encode(errors="replace"))


# --- the checksum ---


def compare_checksum(
    fields: Mapping[str, JsonValue],
    given: str,
    credentials: ClaimedCredentials,
    now: datetime,
    days: int = NEAR_DAYS,
    *,
    clear: bool = False,
) -> Comparison:
    """Return our text of the form v4, and the mistaken text that gives the received checksum.

    clear: whether values are shown as they are; secrets never.
    """
    right, heads = mistakes.right(fields, now), _heads(credentials)
    tried = mistakes.mistakes(fields, heads, now, days)
    fits = next((each for each in tried if same(each.digest(fields), given)), None)
    shown = {
        name: value if clear or name in CLEAR else _shape(value) for name, value in fields.items()
    }
    shown |= {name: checksum.MASK for name in fields if name in checksum.SECRET_FIELDS}
    shaped = () if clear else tuple(name for name in sorted(fields) if shown[name] != fields[name])
    return Comparison(
        input="checksum",
        sent=_begun(given[:80]) if shaped else given[:80],
        ours=right.parts(shown),
        gives=_begun(right.digest(fields)) if shaped else right.digest(fields),
        mistake=fits.mistake if fits else "",
        theirs=_named(fits.parts(shown), credentials) if fits else (),
        shaped=shaped,
    )


def _begun(digest: str) -> str:
    """Return the beginning of a digest.

    The whole digest has no key, so somebody could find the covered text by trying.
    """
    return digest if len(digest) <= DIGEST_BEGINS else digest[:DIGEST_BEGINS] + "…"


def _heads(credentials: ClaimedCredentials) -> list[tuple[str, str]]:
    username, password = credentials.username, credentials.password
    key = hashlib.sha256(f"{username}~:~{password}".encode()).hexdigest()
    found = [
        ("the key of the mobile kits in front", f"{key}@"),
        ("username and password in front", f"{username}~:~{password}"),
    ]
    for label, secret in (
        ("API secret", credentials.secret),
        ("OAuth client secret", credentials.client_secret),
    ):
        if secret:
            found += [
                (f"the {label} in front", secret),
                (f"the {label} and @ in front", f"{secret}@"),
            ]
    return found


def _named(parts: tuple[Part, ...], credentials: ClaimedCredentials) -> tuple[Part, ...]:
    """Return parts with secrets as their names."""
    found = parts
    for name, secret in (
        ("API secret", credentials.secret),
        ("OAuth client secret", credentials.client_secret),
        ("password", credentials.password),
        ("hash of username and password", hashlib.sha256(_pair(credentials).encode()).hexdigest()),
    ):
        if secret:
            found = tuple(
                (label, piece.replace(secret, f"<{name}>") if not label else piece)
                for label, piece in found
            )
    return found


def _pair(credentials: ClaimedCredentials) -> str:
    return f"{credentials.username}~:~{credentials.password}"


def _shape(value: JsonValue) -> JsonValue:
    """Return a value with its letters and digits covered, each by one of the same size."""
    if isinstance(value, JsonNumber):
        return JsonNumber(re.sub(r"\d", "9", value))
    if isinstance(value, str):
        return covered(value)
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return int("9" * len(str(abs(value))))
    return value


def covered(text: str) -> str:
    """Return the shape of a text: each letter and digit covered by one of the same size."""
    return "".join(_covered(each) for each in text)


def _covered(character: str) -> str:
    if character.isascii():
        return (
            "9"
            if character.isdigit()
            else "X"
            if character.isupper()
            else "x"
            if character.isalpha()
            else character
        )
    return _SHAPES[len(character.encode())]


# --- the privatekey and the key of encdata ---

_SECRET, _USERNAME, _PASSWORD, _KEY = "<API secret>", "<username>", "<password>", "<encryption key>"
_CLIENT_SECRET = "<OAuth client secret>"  # noqa: S105 (a name in place of it)
PRIVATEKEY: tuple[str, ...] = (_SECRET, "@", _USERNAME, ":|:", _PASSWORD)
"""The text whose sha256 is the `privatekey` (docs/spec/wire.md#privatekey)."""
PRIVATEKEY_MISTAKES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "the OAuth client secret in place of the API secret",
        (_CLIENT_SECRET, "@", _USERNAME, ":|:", _PASSWORD),
    ),
    ("username and password swapped", (_SECRET, "@", _PASSWORD, ":|:", _USERNAME)),
    (
        "the derived encryption key in place of the API secret",
        (_KEY, "@", _USERNAME, ":|:", _PASSWORD),
    ),
    (
        "`~:~` (the separator of the encryption key) in place of `:|:`",
        (_SECRET, "@", _USERNAME, "~:~", _PASSWORD),
    ),
    ("no separators", (_SECRET, _USERNAME, _PASSWORD)),
    ("the API secret last", (_USERNAME, ":|:", _PASSWORD, "@", _SECRET)),
    ("a line end behind the API secret", (_SECRET, "\n", "@", _USERNAME, ":|:", _PASSWORD)),
    ("a line end behind the password", (_SECRET, "@", _USERNAME, ":|:", _PASSWORD, "\n")),
    ("the merchant id in place of the username", (_SECRET, "@", "<merchant id>", ":|:", _PASSWORD)),
    ("the API secret alone", (_SECRET,)),
)


def compare_privatekey(
    given: str, credentials: ClaimedCredentials, merchant_id: str = ""
) -> Comparison:
    """Return a `privatekey`'s text, secrets by name, and the mistaken text that was sent."""
    values = {
        _SECRET: credentials.secret,
        _USERNAME: credentials.username,
        _PASSWORD: credentials.password,
        _KEY: credentials.key.decode(),
        _CLIENT_SECRET: credentials.client_secret,
        "<merchant id>": merchant_id,
    }
    names: tuple[str, ...] = ()
    words = next(
        (
            f"the {name} itself, not hashed"
            for name, held in _held(values)
            if same(held.lower(), given)
        ),
        "",
    )
    for mistake, pieces in () if words else PRIVATEKEY_MISTAKES:
        absent = any(piece in values and not values[piece] for piece in pieces)
        text = "".join(values.get(piece, piece) for piece in pieces)
        if not absent and same(hashlib.sha256(text.encode()).hexdigest(), given):
            words, names = mistake, pieces
            break
    return Comparison("privatekey", _size_of(given), _pieces(PRIVATEKEY), "", words, _pieces(names))


def _held(values: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the secrets with their names."""
    return [
        (name.strip("<>"), value)
        for name, value in values.items()
        if value and name not in {_USERNAME, "<merchant id>"}
    ]


def _pieces(names: Sequence[str]) -> tuple[Part, ...]:
    return tuple((name.strip("<>") if name.startswith("<") else "", name) for name in names)


def _size_of(given: str) -> str:
    """Return what may be shown of a value that is as good as a secret."""
    if not given:
        return "nothing"
    kind = (
        "hex digits"
        if re.fullmatch(r"[0-9A-Fa-f]+", given)
        else "characters, not all of them hex digits"
    )
    return f"{len(given)} {kind}"


# --- where two texts part ---


class Difference(NamedTuple):
    """The first difference of two texts.

    at: the bytes of UTF-8 that are equal before it. name: our field there.
    """

    at: int
    name: str
    alike: str
    ours: str
    theirs: str


def difference(ours: Sequence[Part], theirs: Sequence[Part]) -> Difference | None:
    """Return the first difference of two texts; None where they are equal."""
    first, second = joined(ours), joined(theirs)
    if first == second:
        return None
    pairs = zip(first, second, strict=False)
    place = next(
        (number for number, (one, other) in enumerate(pairs) if one != other),
        min(len(first), len(second)),
    )
    passed, name = 0, ""
    for label, piece in ours:
        passed, name = passed + len(piece), label
        if passed > place:
            break
    alike = first[:place]
    return Difference(len(alike.encode()), name, alike, first[place:], second[place:])
