"""Decide which kind of client a recorded request or answer shows, and which settings it needs."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hundi.merchants.directory.clients.rules import CLIENTS

MERCHANT = "ID"
"""Stands for the merchant's id in a command."""
_REDIRECT, _REFUSAL = range(300, 400), range(400, 600)
_CHECKSUMS = {64: ("kit-3", "SHA-256"), 32: ("kit-2", "MD5")}
"""The kind of a kit, and its hash, by the characters of its checksum."""
_OF_VERSION_2 = ("merchant_txnId", "airpayId")
_HASHES = ("no-alias", "hash-without-payer", "hash-of-payment-status")
_FORM_FIELD = "TRANSACTIONID|APTRANSACTIONID|TRANSACTIONSTATUS|TRANSACTIONPAYMENTSTATUS|MERCID"
_SEEN_IN_ANSWERS = (
    (
        (
            rf"undefined (index|array key|variable)\W{{0,8}}({_FORM_FIELD})\b"
            rf"|KeyError\W{{1,3}}({_FORM_FIELD})\b|Variable\(s\).{{0,80}}(is|are).{{0,4}}empty"
        ),
        "form",
        "it misses a form field in capitals",
    ),
    (
        (
            r"must be of type string, int given|expects parameter \d+ to be string, int given"
            r"|\.(trim|split|toLowerCase|toUpperCase|substring|startsWith) is not a function"
            r"|'int' object has no attribute"
        ),
        "text",
        "it calls a string function on a number",
    ),
    (
        (
            r"Unexpected token .{1,12} in JSON|is not valid JSON|JSONDecodeError"
            r"|Syntax error, malformed JSON"
        ),
        "plain-json",
        "it parses the body as JSON, and that was none",
    ),
)
_HASH_REFUSED = re.compile(
    r"(secure.?hash|hash|checksum|signature).{0,40}(mismatch|not match|invalid|wrong|fail|differ)"
    r"|(mismatch|invalid|wrong).{0,40}(secure.?hash|hash|checksum)",
    re.IGNORECASE | re.DOTALL,
)
_DAY = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/[0-9]{4}\Z")
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request that a client sent.

    path: "" where it was not recorded. is_of_kit: path or fields are those of an operation of an
    old kit. sealed: its fields are encrypted. fields: the others.
    """

    path: str
    is_of_kit: bool
    sealed: bool
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A handler's answer to a notification. status: 0 where it was not recorded."""

    status: int
    body: str


@dataclass(frozen=True, slots=True)
class ClientSign:
    """Something seen in a message. kind: the kind that it shows, "" for none. command: to run."""

    reason: str
    kind: str = ""
    command: str = ""


def of_request(request: RecordedRequest) -> tuple[ClientSign, ...]:
    """Return what a request shows, the strongest sign of a kind first."""
    fields = request.fields
    is_order = "mercid" in fields and any(name.startswith("buyer") for name in fields)
    if request.is_of_kit or (is_order and not request.sealed):
        return (*_of_kit(request), *_of_order(fields))
    if request.sealed:
        return (ClientSign("its fields are sealed in encdata, as version 4 is", "standard"),)
    return ()


def _of_kit(request: RecordedRequest) -> Iterator[ClientSign]:
    fields = request.fields
    length = len(fields.get("checksum", "").strip())
    kind, name = _CHECKSUMS.get(length, ("", ""))
    if any(field in fields for field in _OF_VERSION_2):
        kind = "kit-2"
        yield ClientSign(f"it names the order as {' or '.join(_OF_VERSION_2)} does", kind)
    elif kind:
        yield ClientSign(f"its checksum has {length} characters, as {name} makes it", kind)
    else:
        yield ClientSign(
            f"its checksum has {length} characters: neither 64 (kit-3) nor 32 (kit-2), so it is cut"
            " off, or made in another way"
        )
    if request.is_of_kit and request.path:
        yield ClientSign(f"it goes to {request.path}, an address before version 4", kind)
    elif not request.sealed:
        yield ClientSign("its fields are plain, without encdata", kind)
    else:
        yield ClientSign("its fields are sealed, and no privatekey is beside them", kind)
    yield ClientSign(
        "old kits ask for no token, so their servers have to be listed before they may verify and"
        " refund",
        command=f"hundi merchant senders {MERCHANT} --operation-address ADDRESS_OF_THE_SERVER",
    )


def _of_order(fields: Mapping[str, str]) -> Iterator[ClientSign]:
    address = next(
        (value for name, value in fields.items() if name.lower().replace("_", "") == "returnurl"),
        "",
    ).strip()
    if address:
        quoted = shlex.quote(address)
        yield ClientSign(
            "it names the address to which customers come back: only a registered one is taken",
            command=f"hundi merchant set {MERCHANT} --success-url {quoted} --failure-url {quoted}",
        )
    day = _DAY.match(fields.get("sb_nextrundate", "").strip())
    if day and int(day[1]) > _MONTHS:
        yield ClientSign(
            f"its first debit is {day[0]}, which can only be day first",
            command=f"hundi merchant dates {MERCHANT} day-first",
        )
    currency = fields.get("isocurrency", "").strip().upper()
    if currency not in {"", "INR"}:
        yield ClientSign(
            f"its order is in {currency[:3]}",
            command=f"hundi merchant currencies {MERCHANT} INR {shlex.quote(currency[:3])}",
        )


def of_answer(answer: RecordedAnswer) -> tuple[ClientSign, ...]:
    """Return what a handler's answer to a notification shows."""
    return tuple(_of_answer(answer))


def _of_answer(answer: RecordedAnswer) -> Iterator[ClientSign]:
    if answer.status in _REDIRECT:
        yield ClientSign(
            f"it answers with {answer.status}, a redirect, after its work", "woocommerce"
        )
    for pattern, kind, reason in _SEEN_IN_ANSWERS:
        found = re.search(pattern, answer.body, re.IGNORECASE | re.DOTALL)
        if found:
            yield ClientSign(f"{reason}: {' '.join(found[0].split())[:60]!r}", kind)
    if _HASH_REFUSED.search(answer.body):
        kinds = "; ".join(f"{name}: {CLIENTS[name].seen}" for name in _HASHES)
        yield ClientSign(
            f"it refuses by its hash: look in its code which of these it does. {kinds}"
        )
    elif answer.status in _REFUSAL:
        yield ClientSign(f"it refuses with {answer.status}, and says no reason that is known")


def kinds_of(signs: tuple[ClientSign, ...]) -> tuple[str, ...]:
    """Return the kinds that signs show, each once."""
    return tuple(dict.fromkeys(sign.kind for sign in signs if sign.kind))


def commands_of(signs: tuple[ClientSign, ...]) -> tuple[str, ...]:
    """Return the commands that a client of these signs needs."""
    kinds = [f"hundi merchant set {MERCHANT} --client {kind}" for kind in kinds_of(signs)]
    return tuple(dict.fromkeys((*kinds, *(sign.command for sign in signs if sign.command))))
