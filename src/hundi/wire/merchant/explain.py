"""Explains which input of a message is wrong and which mistake causes it, for the merchant only.

A gateway never tells a sender this much (it would be an oracle); here the reader already holds every credential.
"""

import base64
import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from hundi.wire import cipher, strict_json
from hundi.wire.envelope import OuterEnvelope
from hundi.wire.merchant import checksum, privatekey, securehash
from hundi.wire.merchant.checksum import CanonicalText
from hundi.wire.strict_json import JsonValue

Verdict = Literal["right", "wrong", "missing", "unchecked"]

CLOCK_SEARCH_DAYS = 400
"""How many days around today are tried as the date inside a wrong checksum."""

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
"""What the parts of a form's name mean."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the merchant says its credentials are. client_secret is only compared against mix-ups."""

    username: str
    password: str = field(repr=False)
    secret: str = field(default="", repr=False)
    client_secret: str = field(default="", repr=False)

    @property
    def key(self) -> bytes:
        """Return the derived encryption key."""
        return cipher.encryption_key(self.username, self.password)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one outer field, in words."""

    input: str
    verdict: Verdict
    words: str


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


def explain(outer: OuterEnvelope, credentials: Credentials, now: datetime) -> Explanation:
    """Return what is right and wrong with a request as it would arrive at `now` (aware)."""
    fields, encdata = _explain_encdata(outer.encdata, credentials)
    findings = (_explain_privatekey(outer.privatekey, credentials), encdata)
    if fields is None:
        unchecked = Finding("checksum", "unchecked", "it covers the fields inside encdata, which could not be read")
        return Explanation((*findings, unchecked), "", ())
    findings = (*_explain_merchant_id(outer.merchant_id, fields), *findings)
    found = _explain_checksum(outer.checksum, fields, credentials, now)
    shown = {name: checksum.MASK if name in checksum.SECRET_FIELDS else value for name, value in fields.items()}
    return Explanation((*findings, found), strict_json.compact(shown), tuple(checksum.canonical_texts(fields, now)))


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


def _explain_privatekey(given: str, credentials: Credentials) -> Finding:
    if not given:
        return Finding("privatekey", "missing", "every operation but token issuance needs it")
    if not credentials.secret:
        return Finding("privatekey", "unchecked", "give the API secret to check it")
    secret, username, password = credentials.secret, credentials.username, credentials.password
    if privatekey.matches(privatekey.derive(secret, username, password), given):
        return Finding("privatekey", "right", "it is sha256 of `<API secret>@<username>:|:<password>`")
    mistakes = {
        "username and password swapped": f"{secret}@{password}:|:{username}",
        "the derived encryption key in place of the API secret": f"{credentials.key.decode()}@{username}:|:{password}",
        "`~:~` (the separator of the encryption key) in place of `:|:`": f"{secret}@{username}~:~{password}",
        "no separators": f"{secret}{username}{password}",
        "the API secret last": f"{username}:|:{password}@{secret}",
        "a line end behind the API secret": f"{secret}\n@{username}:|:{password}",
        "a line end behind the password": f"{secret}@{username}:|:{password}\n",
    }
    if credentials.client_secret:
        mixed_up = f"{credentials.client_secret}@{username}:|:{password}"
        mistakes = {"the OAuth client secret in place of the API secret": mixed_up, **mistakes}
    for mistake, text in mistakes.items():
        if _same(hashlib.sha256(text.encode()).hexdigest(), given):
            return Finding("privatekey", "wrong", f"it was made with {mistake}")
    hint = "" if credentials.client_secret else "; give the OAuth client secret to see whether it was taken for it"
    return Finding("privatekey", "wrong", "no known mistake gives it: secret, username or password differs" + hint)


def _explain_encdata(encdata: str, credentials: Credentials) -> tuple[dict[str, JsonValue] | None, Finding]:
    """Return a finding and the fields inside, also when a known mistake opened it: the checksum can then be judged."""
    if not encdata:
        return None, Finding("encdata", "missing", "every operation needs it")
    for mistake, key, text in _readings(encdata, credentials):
        try:
            fields = cipher.open_json(key, text)
        except cipher.Unreadable:
            continue
        if mistake:
            return fields, Finding("encdata", "wrong", f"it was made with {mistake}")
        return fields, Finding("encdata", "right", f"it opens; {len(fields)} fields")
    return None, Finding("encdata", "wrong", _why_unreadable(encdata, credentials.key))


def _readings(encdata: str, credentials: Credentials) -> Iterator[tuple[str, bytes, str]]:
    """Yield (mistake, key, message), the right reading first with an empty mistake."""
    key, username, password = credentials.key, credentials.username, credentials.password
    yield "", key, encdata
    yield "username and password swapped in the key", cipher.encryption_key(password, username), encdata
    yield "the key hex-decoded to 16 bytes; use its 32 characters as they are", bytes.fromhex(key.decode()), encdata
    yield "the key in upper-case hex; it is lower-case", key.upper(), encdata
    separators = hashlib.md5(f"{username}:|:{password}".encode(), usedforsecurity=False).hexdigest()
    yield "`:|:` (the separator of privatekey) in place of `~:~` in the key", separators.encode(), encdata
    for label, secret in (("API secret", credentials.secret), ("OAuth client secret", credentials.client_secret)):
        if secret:
            yield f"the md5 of the {label} as the key", hashlib.md5(secret.encode()).hexdigest().encode(), encdata  # noqa: S324 (tries a mistake, protects nothing)
            yield f"the {label} as the key", secret.encode()[:32].ljust(32, b"\0"), encdata
    try:
        whole = base64.b64decode(encdata, validate=True)
        printable = whole[: cipher.BLOCK].decode("ascii")
    except ValueError:
        return
    inner = base64.b64encode(whole[cipher.BLOCK :]).decode()
    yield "base64 over IV and ciphertext together; the IV stands before the base64", key, printable + inner


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
        # The IV reaches only the first block: under another one the padding still shows whether the key is right.
        return "the first 16 characters are no IV of printable ASCII" if _opens(key, encdata) else unknown
    if rest.endswith("}") and not opened.lstrip().startswith(b"{"):
        return "its beginning is damaged, the rest opens: the first 16 characters are not the IV it was made with"
    try:
        _ = strict_json.parse(opened)
    except strict_json.Unreadable as error:
        return f"it decrypts, but not to a JSON object that we accept: {error}"
    return "it opens"


def _opens(key: bytes, encdata: str) -> bool:
    try:
        _ = cipher.open_(key, "0" * cipher.BLOCK + encdata[cipher.BLOCK :])
    except cipher.Unreadable:
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
        return "behind the first 16 characters (the IV) it is not padded base64: cut or damaged on the way"
    if size == 0 or size % cipher.BLOCK:
        return f"the ciphertext is {size} bytes long, not a multiple of {cipher.BLOCK}: cut or damaged on the way"
    return ""


def _explain_checksum(given: str, fields: Mapping[str, JsonValue], credentials: Credentials, now: datetime) -> Finding:
    if not given:
        return Finding("checksum", "missing", "payment initiation needs it; elsewhere it is optional")
    form = checksum.match(
        fields, given, now, username=credentials.username, password=credentials.password, payment_page=True
    )
    if form is not None:
        return Finding("checksum", "right", f"it is the form {form}: {_form_words(form)}")
    first = next(checksum.canonical_texts(fields, now))
    words = f"we computed {first.value} over `{first.text}`, you sent {given}"
    mistake = next((name for name, text in _checksum_mistakes(fields, now) if _same(_sha256(text), given)), None)
    return Finding("checksum", "wrong", f"{words}, which is what {mistake} gives" if mistake else words)


def _checksum_mistakes(fields: Mapping[str, JsonValue], now: datetime) -> Iterator[tuple[str, str]]:
    """Yield (mistake, the text it hashes)."""
    today = now.astimezone(checksum.INDIA).date()

    def joined(names: list[str]) -> str:
        return "".join(_text(fields, name) for name in names)

    right_order, sent_order = joined(sorted(fields)), joined(list(fields))
    yield "the values in the order sent, not in key order,", f"{sent_order}{today}"
    yield "a text without the date", right_order
    yield "a text without the date, values in the order sent,", sent_order
    for form in ("%d-%m-%Y", "%Y%m%d", "%d/%m/%Y", "%m/%d/%Y"):
        yield f"the date written {form}", right_order + today.strftime(form)
    yield "sorting the values, not the keys,", "".join(sorted(_text(fields, name) for name in fields)) + str(today)
    yield "the JSON text in place of the values", strict_json.compact(dict(fields)) + str(today)
    for distance in range(1, CLOCK_SEARCH_DAYS):
        for days in (-distance, distance):
            day = today + timedelta(days=days)
            yield f"the date {day}", f"{right_order}{day}"


def _form_words(form: str) -> str:
    parts = form.replace("+1h", "-+1h").split("-")
    return ", ".join(FORM_WORDS[part] for part in parts if part in FORM_WORDS)


def _text(fields: Mapping[str, JsonValue], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    return str(value) if isinstance(value, str) else strict_json.compact(value)


def _same(computed: str, given: str) -> bool:
    return hmac.compare_digest(computed.encode(), given.strip().lower().encode(errors="replace"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
