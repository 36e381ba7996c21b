"""What a merchant sends, built by hand on the wire.

Every part of a request can be left out, damaged or replaced.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from hundi.sdk import Credentials
from hundi.wire import cipher
from hundi.wire.merchant import checksum, privatekey

Payload = Mapping[str, Any] | str | bytes
API = "/pay/v4/api/"
TOKEN, VERIFY, PAGE = "oauth2/", "verify/", "/pay/v4/"
BUYER = {
    "buyer_email": "asha@example.in",
    "buyer_phone": "9876543210",
    "buyer_firstname": "Asha",
    "buyer_lastname": "Rao",
}


@dataclass(frozen=True)
class Merchant:
    """A merchant's credentials, and the parts of a request they make."""

    merchant_id: str
    username: str = field(repr=False)
    password: str = field(repr=False)
    secret: str = field(repr=False)
    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    webhook_key: str = field(repr=False)

    @classmethod
    def of(cls, shown: Mapping[str, Any]) -> "Merchant":
        """Read an entry of `demo.json`, or what `merchant add` shows."""
        names = ("merchant_id", "username", "password", "secret", "client_id", "client_secret")
        key = shown.get("webhook_key") or shown["webhook_keys"][0]
        return cls(*(str(shown[name]) for name in names), webhook_key=key)

    @property
    def number(self) -> int:
        """Return the id as the books have it."""
        return int(self.merchant_id)

    @property
    def key(self) -> bytes:
        """Return the derived encryption key."""
        return cipher.encryption_key(self.username, self.password)

    @property
    def privatekey(self) -> str:
        """Return the derived privatekey."""
        return privatekey.derive(self.secret, self.username, self.password)

    @property
    def credentials(self) -> Credentials:
        """Return what the SDK wants to be given."""
        return Credentials(
            merchant_id=self.merchant_id,
            username=self.username,
            password=self.password,
            api_secret=self.secret,
            oauth_client_id=self.client_id,
            oauth_client_secret=self.client_secret,
            webhook_keys=(self.webhook_key,),
        )

    @property
    def token_request(self) -> dict[str, Any]:
        """Return the business fields of a right token request."""
        return {
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "merchant_id": self.merchant_id,
            "grant_type": "client_credentials",
        }

    def sealed(self, payload: Payload, iv: str | None = None) -> str:
        """Return `encdata` of a payload.

        A text or bytes are sealed as they are, be they JSON or not.
        """
        return cipher.seal(self.key, plain(payload), iv)

    def envelope(self, payload: Payload, **changes: str | None) -> dict[str, str]:
        """Return the outer fields, with changes; None takes a field out."""
        whole: dict[str, str | None] = {
            "merchant_id": self.merchant_id,
            "privatekey": self.privatekey,
            "encdata": self.sealed(payload),
            "checksum": v4(payload) if isinstance(payload, Mapping) else None,
        }
        return {name: value for name, value in (whole | changes).items() if value is not None}


def order(order_id: str, amount: str = "1499.50", **changes: Any) -> dict[str, Any]:
    """Return the business fields of a payment, with changes.

    None as a value is left out, a JSON null is `Ellipsis`.
    """
    asked = {
        "orderid": order_id,
        "amount": amount,
        "currency_code": "356",
        "iso_currency": "INR",
        **BUYER,
    } | changes
    return {
        name: None if value is ... else value for name, value in asked.items() if value is not None
    }


def plain(payload: Payload) -> bytes:
    """Return the bytes that are sealed."""
    if isinstance(payload, Mapping):
        return json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
    return payload.encode("utf-8", "surrogatepass") if isinstance(payload, str) else payload


def v4(payload: Mapping[str, Any]) -> str:
    """Return the checksum of form v4 for today in India."""
    return checksum.v4(payload, datetime.now(checksum.INDIA).date())


def crc32(payload: Mapping[str, str]) -> str:
    """Return the CRC32 of the values sorted by key (docs/spec/wire.md#checksum-crc32)."""
    return str(zlib.crc32("".join(payload[name] for name in sorted(payload)).encode()))


@dataclass(frozen=True)
class Body:
    """An HTTP body with its content type."""

    content: bytes
    content_type: str

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that go with it."""
        return {"content-type": self.content_type} if self.content_type else {}


def form(outer: Mapping[str, str]) -> Body:
    """Spell an envelope as an HTML form does."""
    return Body(urlencode(outer).encode(), "application/x-www-form-urlencoded")


def form_with_charset(outer: Mapping[str, str]) -> Body:
    """Spell it as a form that names its charset."""
    return Body(form(outer).content, "Application/X-WWW-Form-Urlencoded; charset=ISO-8859-1")


def form_with_bare_plus(outer: Mapping[str, str]) -> Body:
    """Spell it as a client that forgets to encode `+`, which then arrives as a space."""
    text = "&".join(f"{name}={quote(value, safe='+/=')}" for name, value in outer.items())
    return Body(text.encode(), "application/x-www-form-urlencoded")


def multipart(outer: Mapping[str, str]) -> Body:
    """Spell it as multipart/form-data."""
    request = httpx.Request(
        "POST", "http://x", files={name: (None, value) for name, value in outer.items()}
    )
    return Body(request.read(), request.headers["content-type"])


def json_body(outer: Mapping[str, str]) -> Body:
    """Spell it as JSON."""
    return Body(json.dumps(outer).encode(), "application/json")


ENCODINGS = (form, form_with_charset, form_with_bare_plus, multipart, json_body)


@dataclass(frozen=True)
class Reply:
    """An interface's answer: as it came, and its envelope once opened."""

    status: int
    headers: httpx.Headers
    text: str
    outer: dict[str, Any]
    envelope: dict[str, Any]

    @property
    def code(self) -> str:
        """Return the response code."""
        return self.envelope["response_code"]

    @property
    def message(self) -> str:
        """Return the words for people."""
        return self.envelope["message"]

    @property
    def data(self) -> Any:
        """Return the operation's data."""
        return self.envelope["data"]


def read_reply(answer: httpx.Response, merchant: Merchant) -> Reply:
    """Return an answer with its envelope: of `response` when there is one, else the plain one."""
    outer = answer.json()
    sealed = outer.get("response")
    envelope = json.loads(cipher.open_(merchant.key, sealed)) if sealed else outer
    return Reply(answer.status_code, answer.headers, answer.text, outer, envelope)


@dataclass
class Sender:
    """Sends envelopes of any kind to a gateway.

    Tokens are asked for once and kept while they live.
    """

    base_url: str
    http: httpx.Client
    _tokens: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    def token(self, merchant: Merchant) -> str:
        """Return a living token of a merchant."""
        held = self._tokens.get(merchant.merchant_id)
        if held is None or (datetime.now(UTC) - held[1]).total_seconds() > 200:
            reply = self.ask_token(merchant, merchant.token_request)
            assert reply.code == "00", reply.envelope
            held = self._tokens[merchant.merchant_id] = (
                reply.data["access_token"],
                datetime.now(UTC),
            )
        return held[0]

    def ask_token(self, merchant: Merchant, payload: Payload, **changes: str | None) -> Reply:
        """Ask for a token with any payload."""
        outer = merchant.envelope(payload, **({"privatekey": None} | changes))
        return self.post("/gateway" + API + TOKEN, form(outer), merchant)

    def verify(
        self,
        merchant: Merchant,
        payload: Payload,
        *,
        token: str | None = None,
        **changes: str | None,
    ) -> Reply:
        """Ask verify with any payload."""
        query = {"token": self.token(merchant) if token is None else token}
        return self.post(
            "/gateway" + API + VERIFY,
            form(merchant.envelope(payload, **changes)),
            merchant,
            **query,
        )

    def ask(
        self, operation: str, merchant: Merchant, payload: Payload, **changes: str | None
    ) -> Reply:
        """Ask any operation that takes a token, in JSON."""
        outer = merchant.envelope(payload, **changes)
        return self.post(
            f"/gateway{API}{operation}/", json_body(outer), merchant, token=self.token(merchant)
        )

    def post(self, path: str, body: Body, merchant: Merchant, **query: str) -> Reply:
        """Post a body to an operation and read the reply."""
        return read_reply(self.raw(path, body, **query), merchant)

    def raw(self, path: str, body: Body, **query: str) -> httpx.Response:
        """Post a body anywhere."""
        return self.http.post(
            self.base_url + path, content=body.content, headers=body.headers, params=query
        )
