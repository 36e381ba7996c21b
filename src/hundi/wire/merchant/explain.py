"""Explains which input of a message is wrong and which mistake causes it, for the merchant only.

A gateway never tells a sender this much (it would be an oracle); here the reader already holds
every credential.
"""

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hundi.wire import cipher, strict_json
from hundi.wire.envelope import OuterEnvelope
from hundi.wire.merchant import checksum, compare, privatekey, securehash
from hundi.wire.merchant.checksum import CanonicalText
from hundi.wire.merchant.compare import ClaimedCredentials, Comparison
from hundi.wire.strict_json import JsonValue

Verdict = Literal["right", "wrong", "missing", "unchecked"]

FORM_WORDS = {
    "v4": "sha256 of the values in key order and the date",
    "crc32": "CRC32 of the values",
    "mobile": "the mobile kits' sha256",
    "ist": "with the date in India",
    "utc": "with the UTC date",
    "1h": "as it was an hour ago",
    "+1h": "as it will be in an hour",
    "key": "in key order",
    "value": "in value order",
    "decimal": "as a decimal number",
    "hex": "as hex digits",
    "none": "null written as None",
    "word": "null written as null",
    "escaped": "non-ASCII inside objects and arrays escaped",
}
"""The meaning of each part of a form's name."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding about one outer field, in words.

    compared: the texts of a wrong checksum or privatekey.
    """

    input: str
    verdict: Verdict
    words: str
    compared: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The findings in the order of the gateway's checks, the plaintext and its canonical texts.

    Secrets are masked.
    """

    findings: tuple[Finding, ...]
    plaintext: str
    texts: tuple[CanonicalText, ...]

    @property
    def wrong(self) -> tuple[str, ...]:
        """Return the names of the inputs that are wrong."""
        return tuple(finding.input for finding in self.findings if finding.verdict == "wrong")


def explain(
    outer: OuterEnvelope, credentials: ClaimedCredentials, now: datetime, *, clear: bool = True
) -> Explanation:
    """Return what is right and wrong with a request that would arrive at `now` (aware).

    clear: whether compared texts show the values as they are.
    """
    fields, encdata = explain_encdata(outer.encdata, credentials)
    findings = (_explain_privatekey(outer.privatekey, credentials, outer.merchant_id), encdata)
    if fields is None:
        unchecked = Finding(
            "checksum", "unchecked", "it covers the fields inside encdata, which could not be read"
        )
        return Explanation((*findings, unchecked), "", ())
    findings = (*_explain_merchant_id(outer.merchant_id, fields), *findings)
    found = _explain_checksum(outer.checksum, fields, credentials, now, clear=clear)
    shown = {
        name: checksum.MASK if name in checksum.SECRET_FIELDS else value
        for name, value in fields.items()
    }
    return Explanation(
        (*findings, found), strict_json.compact(shown), tuple(checksum.canonical_texts(fields, now))
    )


def explain_secure_hash(fields: Mapping[str, JsonValue], username: str) -> Finding | None:
    """Return whether the `ap_SecureHash` of an opened reply holds, or None when it has none."""
    data = fields.get("data")
    record = data if isinstance(data, dict) else fields
    given = _text(record, "ap_SecureHash") or _text(record, "ap_securehash")
    if not given:
        return None
    values = (
        _text(record, "orderid"),
        _text(record, "ap_transactionid"),
        _text(record, "amount"),
        _text(record, "transaction_status"),
        _text(record, "message"),
        _text(record, "merchant_id"),
    )
    vpa = _text(record, "customer_vpa") if _text(record, "chmod") == "upi" else ""
    joined = ":".join([*values, username, *([vpa] if vpa else [])])
    if securehash.matches(given, *values, username, vpa):
        return Finding("ap_SecureHash", "right", f"it is the CRC32 of `{joined}`")
    ours = securehash.secure_hash(*values, username, vpa)
    return Finding("ap_SecureHash", "wrong", f"we computed {ours} over `{joined}`, it says {given}")


def _explain_merchant_id(given: str, fields: Mapping[str, JsonValue]) -> tuple[Finding, ...]:
    inside = _text(fields, "merchant_id")
    if not given or not inside or inside == given:
        return ()
    return (Finding("merchant_id", "wrong", f"it is {given} outside and {inside} inside encdata"),)


def _explain_privatekey(given: str, credentials: ClaimedCredentials, merchant_id: str) -> Finding:
    if not given:
        return Finding("privatekey", "missing", "every operation but token issuance needs it")
    if not credentials.secret:
        return Finding("privatekey", "unchecked", "give the API secret to check it")
    right = privatekey.derive(credentials.secret, credentials.username, credentials.password)
    if privatekey.matches(right, given):
        return Finding(
            "privatekey", "right", "it is sha256 of `<API secret>@<username>:|:<password>`"
        )
    found = compare.compare_privatekey(given, credentials, merchant_id)
    if found.mistake:
        return Finding("privatekey", "wrong", f"it was made with {found.mistake}", found)
    hint = (
        ""
        if credentials.client_secret
        else "; give the OAuth client secret to see whether it was taken for it"
    )
    words = "no known mistake gives it: secret, username or password differs" + hint
    return Finding("privatekey", "wrong", words, found)


def explain_encdata(
    encdata: str, credentials: ClaimedCredentials
) -> tuple[dict[str, JsonValue] | None, Finding]:
    """Return the fields inside and a finding, also when a known mistake opened it.

    The checksum can then be judged.
    """
    if not encdata:
        return None, Finding("encdata", "missing", "every operation needs it")
    for mistake, key, text in _readings(encdata, credentials):
        try:
            fields = cipher.open_json(key, text)
        except cipher.UnreadableCipher:
            continue
        if mistake:
            return fields, Finding("encdata", "wrong", f"it was made with {mistake}")
        return fields, Finding("encdata", "right", f"it opens; {len(fields)} fields")
    return None, Finding("encdata", "wrong", _why_unreadable(encdata, credentials.key))


def _readings(encdata: str, credentials: ClaimedCredentials) -> Iterator[tuple[str, bytes, str]]:
    """Yield (mistake, key, message), the correct one first with an empty mistake."""
    key, username, password = credentials.key, credentials.username, credentials.password
    yield "", key, encdata
    yield (
        "username and password swapped in the key",
        cipher.encryption_key(password, username),
        encdata,
    )
    yield (
        "the key hex-decoded to 16 bytes; use its 32 characters as they are",
        bytes.fromhex(key.decode()),
        encdata,
    )
    yield "the key in upper-case hex; it is lower-case", key.upper(), encdata
    separators = hashlib.md5(f"{username}:|:{password}".encode(), usedforsecurity=False).hexdigest()
    yield (
        "`:|:` (the separator of privatekey) in place of `~:~` in the key",
        separators.encode(),
        encdata,
    )
    for label, secret in (
        ("API secret", credentials.secret),
        ("OAuth client secret", credentials.client_secret),
    ):
        if secret:
            yield (
                f"the md5 of the {label} as the key",
                hashlib.md5(secret.encode(), usedforsecurity=False).hexdigest().encode(),
                encdata,
            )
            yield f"the {label} as the key", secret.encode()[:32].ljust(32, b"\0"), encdata
    try:
        whole = base64.b64decode(encdata, validate=True)
        printable = whole[: cipher.BLOCK].decode("ascii")
    except ValueError:
        return
    inner = base64.b64encode(whole[cipher.BLOCK :]).decode()
    yield (
        "base64 over IV and ciphertext together; the IV stands before the base64",
        key,
        printable + inner,
    )


def _why_unreadable(encdata: str, key: bytes) -> str:
    """Return the first step of opening that fails, in words."""
    damage = _damage(encdata)
    if damage:
        return damage
    unknown = "no known key opens it: username or password differs, or it was damaged on the way"
    try:
        opened = cipher.open_(key, encdata)
        rest = opened[cipher.BLOCK :].decode()
    except ValueError:
        # The IV reaches only the first block: under another one the padding still shows whether the
        # key is right.
        return (
            "the first 16 characters are no IV of printable ASCII"
            if _opens(key, encdata)
            else unknown
        )
    if rest.endswith("}") and not opened.lstrip().startswith(b"{"):
        return (
            "its beginning is damaged, the rest opens: the first 16 characters are not the "
            "IV it was made with"
        )
    try:
        _ = strict_json.parse(opened)
    except strict_json.UnreadableJson as error:
        return f"it decrypts, but not to a JSON object that we accept: {error}"
    return "it opens"


def _opens(key: bytes, encdata: str) -> bool:
    try:
        _ = cipher.open_(key, "0" * cipher.BLOCK + encdata[cipher.BLOCK :])
    except cipher.UnreadableCipher:
        return False
    return not encdata[: cipher.BLOCK].isascii() or not encdata[: cipher.BLOCK].isprintable()


def _damage(encdata: str) -> str:
    """Return what is wrong with the text before any key is tried, or ""."""
    if encdata.lstrip().startswith("{"):
        return "it is JSON that was not encrypted"
    if "%" in encdata[cipher.BLOCK :]:
        return "it is percent-encoded once more than the form encoding does"
    try:
        size = len(base64.b64decode(encdata[cipher.BLOCK :].replace(" ", "+"), validate=True))
    except ValueError:
        return (
            "behind the first 16 characters (the IV) it is not padded base64: cut or "
            "damaged on the way"
        )
    if size == 0 or size % cipher.BLOCK:
        return (
            f"the ciphertext is {size} bytes long, not a multiple of {cipher.BLOCK}: cut "
            "or damaged on the way"
        )
    return ""


def _explain_checksum(
    given: str,
    fields: Mapping[str, JsonValue],
    credentials: ClaimedCredentials,
    now: datetime,
    *,
    clear: bool,
) -> Finding:
    if not given:
        return Finding(
            "checksum", "missing", "payment initiation needs it; elsewhere it is optional"
        )
    form = checksum.match(
        fields,
        given,
        now,
        username=credentials.username,
        password=credentials.password,
        payment_page=True,
    )
    if form is not None:
        return Finding("checksum", "right", f"it is the form {form}: {_form_words(form)}")
    first = next(checksum.canonical_texts(fields, now))
    words = f"we computed {first.value} over `{first.text}`, you sent {given}"
    long = len(first.text) > compare.TEXT_CHARS_MAX
    days = compare.NEAR_DAYS if long else compare.FAR_DAYS
    found = compare.compare_checksum(fields, given, credentials, now, days, clear=clear)
    words = f"{words}, which is what {found.mistake} gives" if found.mistake else words
    return Finding("checksum", "wrong", words, found)


def _form_words(form: str) -> str:
    parts = form.replace("+1h", "-+1h").split("-")
    return ", ".join(FORM_WORDS[part] for part in parts if part in FORM_WORDS)


def _text(fields: Mapping[str, JsonValue], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else strict_json.compact(value)
