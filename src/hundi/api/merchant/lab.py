"""The envelope lab: the console's `hundi envelope`, and the recognition of keys.

With a merchant's own keys, which stay here, a customer's data is shown by its shape; whoever types
the keys holds them, and sees everything.
"""

import base64
import hmac
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from hundi.api.merchant.explained import credentials_of
from hundi.merchants.directory.rules import Merchant
from hundi.notifications.rules import Rendered, signature_headers
from hundi.wire import cipher, envelope, strict_json
from hundi.wire.envelope import OuterEnvelope
from hundi.wire.merchant import checksum, compare, explain, privatekey
from hundi.wire.merchant.compare import ClaimedCredentials
from hundi.wire.merchant.explain import Finding
from hundi.wire.strict_json import JsonValue

_PERSONAL = re.compile(
    r"buyer|customer|email|phone|mobile|vpa|name|address|account|aadhaar|custom_?var|notes?\Z",
    re.IGNORECASE,
)
"""Names of fields that may hold personal data: covered when the merchant's own keys opened them."""
_SECRET = re.compile(r"token|password|secret|cvv|card_?number|pan\Z", re.IGNORECASE)
_SIGNATURE_AGE_S = 300
"""The age in seconds of a signature that libraries still accept."""
_TIMESTAMP = re.compile(r"[0-9]{1,11}\Z")


class LabError(ValueError):
    """The pasted text cannot be used; the error says why."""


@dataclass(frozen=True, slots=True)
class LabKeys:
    """Keys of the lab.

    own: they are the merchant's stored ones, so nothing that reveals them is shown.
    """

    credentials: ClaimedCredentials
    webhook_keys: tuple[str, ...] = field(repr=False)
    own: bool


@dataclass(frozen=True, slots=True)
class LabResult:
    """The lab's result: values to copy by their names, and sentences.

    right: None where nothing was judged.
    """

    values: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    right: bool | None = None
    findings: tuple[Finding, ...] = ()


def own_keys(merchant: Merchant) -> LabKeys:
    """Return a merchant's own keys."""
    return LabKeys(credentials_of(merchant), merchant.keys.webhook_keys, own=True)


def typed_keys(
    username: str, password: str, secret: str, client_secret: str, webhook_key: str
) -> LabKeys:
    """Return keys that somebody typed for a test."""
    keys = (webhook_key,) if webhook_key else ()
    return LabKeys(ClaimedCredentials(username, password, secret, client_secret), keys, own=False)


def open_message(keys: LabKeys, pasted: str) -> LabResult:
    """Open `encdata` or `response`, bare or inside a whole body. Raises LabError."""
    sealed = _sealed_in(pasted)
    fields, finding = explain.explain_encdata(sealed, keys.credentials)
    if fields is None:
        return LabResult(words=(f"It does not open: {finding.words}.",), right=False)
    shown = _covered(fields) if keys.own else fields
    hashed = explain.explain_secure_hash(fields, keys.credentials.username)
    words = [f"{finding.words[0].upper()}{finding.words[1:]}."]
    if hashed is not None:
        # Its words repeat the values; the verdict does not.
        words.append(
            f"ap_SecureHash is {hashed.verdict}." if keys.own else f"ap_SecureHash: {hashed.words}."
        )
    if shown != fields:
        words.append(
            "A customer's data is covered: letters as x, digits as 9. Type the keys "
            "yourself to see it."
        )
    text = json.dumps(shown, indent=2, ensure_ascii=False)
    return LabResult((("message", text),), tuple(words), finding.verdict == "right")


def seal_message(keys: LabKeys, text: str, now: datetime) -> LabResult:
    """Seal a JSON object as a request has it. Raises LabError."""
    raw = text.strip().encode()
    try:
        fields = strict_json.parse(raw)
        encdata = cipher.seal(keys.credentials.key, raw)
    except ValueError as error:
        message = f"The message cannot be sealed: {error}."
        raise LabError(message) from None
    today = now.astimezone(checksum.INDIA).date()
    values = [("encdata", encdata), ("checksum", checksum.v4(fields, today))]
    words = ["The checksum is the form v4 with today's date in India."]
    credentials = keys.credentials
    if keys.own:
        words.append(
            "The privatekey is not shown: it is as good as a secret. Type the keys "
            "yourself to see it."
        )
    elif credentials.secret:
        derived = privatekey.derive(credentials.secret, credentials.username, credentials.password)
        values.append(("privatekey", derived))
    return LabResult(tuple(values), tuple(words))


def sign(
    keys: LabKeys, webhook_id: str, timestamp: str, body: str, signature: str, now: datetime
) -> LabResult:
    """Sign a notification's body, or check the signature that came with it. Raises LabError."""
    if not keys.webhook_keys:
        message = "A webhook key is missing: it begins with whsec_."
        raise LabError(message)
    if timestamp and not _TIMESTAMP.match(timestamp):
        message = "The timestamp is the seconds since 1970, as webhook-timestamp has them."
        raise LabError(message)
    at = datetime.fromtimestamp(int(timestamp), UTC) if timestamp else now
    try:
        headers = signature_headers(webhook_id, Rendered("", body.encode()), keys.webhook_keys, at)
    except ValueError:
        message = "The webhook key is not base64 behind whsec_."
        raise LabError(message) from None
    if not signature:
        return LabResult(tuple((name, headers[name]) for name in headers if name != "content-type"))
    return _checked(keys, headers, body, signature, now)


def compare_request(keys: LabKeys, outer: OuterEnvelope, now: datetime) -> LabResult:
    """Judge each input of a request, and compare the wrong ones."""
    found = explain.explain(outer, keys.credentials, now, clear=not keys.own)
    texts = () if keys.own or not found.plaintext else (("inside encdata", found.plaintext),)
    return LabResult(texts, right=not found.wrong, findings=found.findings)


def outer_of(
    body: str, merchant_id: str, key: str, encdata: str, given_checksum: str
) -> OuterEnvelope:
    """Return the pasted envelope, as a whole or field by field. Raises LabError."""
    if not body.strip():
        return OuterEnvelope(merchant_id, key.strip(), encdata.strip(), given_checksum.strip())
    try:
        return envelope.parse_outer("", body.strip().encode())
    except envelope.UnreadableEnvelope as error:
        message = f"The body cannot be read: {error.reason}."
        raise LabError(message) from None


def which_key(merchant: Merchant, pasted: str) -> LabResult:
    """Return which of the merchant's values was pasted.

    Three secrets have one name in most manuals.
    """
    keys, text = merchant.keys, pasted.strip()
    known = {
        "the username: not secret alone, half of the encryption key": keys.username,
        "the password: half of the encryption key, and part of privatekey": keys.password,
        "the API secret: part of privatekey, and of nothing else": keys.secret,
        "the OAuth client id: for access tokens": keys.client_id,
        "the OAuth client secret: for access tokens, and for nothing else": keys.client_secret,
        "the encryption key, derived from username and password": keys.encryption_key.decode(),
        "the privatekey, derived from API secret, username and password: sent with "
        "each call": keys.privatekey,
        "the merchant id": str(merchant.merchant_id),
    }
    known |= {
        "the API secret before the newest, which still counts": keys.secret_before,
        "the OAuth client secret before the newest, which still counts": keys.client_secret_before,
    }
    known |= {
        f"the API secret {each.name}: for {', '.join(each.scopes)}": each.secret
        for each in keys.further
    }
    known |= {
        f"the webhook key{' before the newest' if place else ''}: checks the signature "
        "of what we send": key
        for place, key in enumerate(keys.webhook_keys)
    }
    matches = [
        name
        for name, value in known.items()
        if value and hmac.compare_digest(value.encode(), text.encode())
    ]
    if matches:
        return LabResult(words=tuple(f"This is {name}." for name in matches), right=True)
    near = [name for name, value in known.items() if value.strip().lower() == text.lower()]
    if near:
        return LabResult(words=(f"This is {near[0]}, but not in its capitals.",), right=False)
    return LabResult(
        words=(
            "This is no key of this merchant now: it was replaced, cut, or is another merchant's.",
        ),
        right=False,
    )


# --- parts ---


def _sealed_in(pasted: str) -> str:
    """Return the sealed text: of a JSON or form body its `response` or `encdata`.

    Raises LabError.
    """
    text = pasted.strip()
    if not text:
        message = "Nothing was pasted."
        raise LabError(message)
    whole = text.startswith("{") or re.match(r"[A-Za-z_]{1,40}=", text) is not None
    if not whole:
        return text
    try:
        outer = envelope.parse_outer("", text.encode())
    except envelope.UnreadableEnvelope:
        return text
    # A reply has `data` too, which is another name of `encdata` in requests.
    return outer.extra.get("response", "") or outer.encdata or text


def _covered(value: JsonValue, name: str = "") -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        # Fields inside personal data are personal data, whatever their names.
        return {
            inner: _covered(
                each, name if _PERSONAL.search(name) and not _SECRET.search(inner) else inner
            )
            for inner, each in value.items()
        }
    if isinstance(value, list):
        return [_covered(each, name) for each in value]
    if isinstance(value, str) and value:
        if _SECRET.search(name):
            return checksum.MASK
        return compare.covered(value) if _PERSONAL.search(name) else value
    return value


def _checked(
    keys: LabKeys, headers: dict[str, str], body: str, given: str, now: datetime
) -> LabResult:
    """Judge a signature header, which may hold several."""
    sent = given.replace("webhook-signature:", "").split()
    right = headers["webhook-signature"].split()
    age_s = int(now.timestamp()) - int(headers["webhook-timestamp"])
    old = abs(age_s) > _SIGNATURE_AGE_S
    for place, each in enumerate(right):
        if each in sent:
            which = "the newest webhook key" if place == 0 else "the webhook key before the newest"
            words = [f"The signature holds, by {which}."]
            if old:
                words.append(
                    f"It is {age_s} seconds old: libraries refuse more than {_SIGNATURE_AGE_S}."
                )
            return LabResult(words=tuple(words), right=True)
    shown = () if keys.own else (("webhook-signature", headers["webhook-signature"]),)
    for words, signature in _signature_mistakes(keys.webhook_keys, headers, body):
        if any(
            hmac.compare_digest(each.removeprefix("v1,").encode(), signature.encode())
            for each in sent
        ):
            return LabResult(
                shown, (f"The signature does not hold: it was made {words}.",), right=False
            )
    words = (
        "The signature does not hold, and no usual mistake gives it: another key, id, "
        "timestamp or body."
    )
    return LabResult(shown, (words,), right=False)


def _signature_mistakes(
    keys: Sequence[str], headers: dict[str, str], body: str
) -> Iterator[tuple[str, str]]:
    """Yield (how, the signature that it gives)."""
    webhook_id, at = headers["webhook-id"], headers["webhook-timestamp"]
    texts = [
        ("over the body alone", body),
        ("without the id", f"{at}.{body}"),
        ("without the timestamp", f"{webhook_id}.{body}"),
        ("with id and timestamp swapped", f"{at}.{webhook_id}.{body}"),
        ("over a body with a line end behind it", f"{webhook_id}.{at}.{body}\n"),
        ("over a body without the line end behind it", f"{webhook_id}.{at}.{body.rstrip()}"),
        (
            "over a body with line ends of one character",
            f"{webhook_id}.{at}." + body.replace("\r\n", "\n"),
        ),
    ]
    try:
        parsed = json.loads(body)
    except ValueError:
        parsed = None
    if parsed is not None:
        for how, again in (
            ("as compact JSON", json.dumps(parsed, separators=(",", ":"), ensure_ascii=False)),
            ("as JSON with spaces", json.dumps(parsed, ensure_ascii=False)),
            ("as compact JSON with non-ASCII escaped", json.dumps(parsed, separators=(",", ":"))),
        ):
            texts.append(
                (f"over the body read and written again {how}", f"{webhook_id}.{at}.{again}")
            )
    right = f"{webhook_id}.{at}.{body}"
    for key in keys:
        secret = base64.b64decode(key.removeprefix("whsec_") + "==")
        for how, text in texts:
            yield how, base64.b64encode(hmac.digest(secret, text.encode(), "sha256")).decode()
        yield "in hex, not base64", hmac.digest(secret, right.encode(), "sha256").hex()
        for how, raw in (
            ("with the whole key as text, whsec_ included", key),
            ("with the key as text, not base64-decoded", key.removeprefix("whsec_")),
        ):
            yield (
                how,
                base64.b64encode(hmac.digest(raw.encode(), right.encode(), "sha256")).decode(),
            )
