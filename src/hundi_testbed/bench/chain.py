"""One payment over HTTP, from the shop's form to the verified order: merchant, customer and app."""

import asyncio
import html
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from random import Random
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from hundi.kernel.clock import business_day
from hundi.sdk.callback import Callbacks
from hundi.sdk.credentials import Credentials
from hundi.sdk.errors import UntrustedError
from hundi.wire import cipher
from hundi.wire.fields import text_from_paise
from hundi.wire.merchant import checksum
from hundi.wire.merchant.token import ISSUE
from hundi.wire.merchant.verify import VERIFY
from hundi.wire.operation import PAGE
from hundi_testbed.bench import load
from hundi_testbed.bench.load import BrokenChainError, Connection, LoadReply

PAYER = "success@hundi"
SIGNATURE_SAMPLE = 16
"""One notification of so many has its signature and secure hash checked by the SDK.

All are decrypted.
"""
PAID_KEPT = 5_000
CHAIN_S_MAX = 15.0
"""A chain that takes longer counts as broken: well over the bank's first retries of a callback."""
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_LANGUAGE = "accept-language: en-IN,en;q=0.9\r\n"
_PHONE = (
    "user-agent: Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/130.0 Mobile"
    f" Safari/537.36\r\n{_LANGUAGE}"
)
_COMPUTER = f"user-agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0 Safari/537.36\r\n{_LANGUAGE}"
_LINK = re.compile(rb'href="(upi://pay\?[^"]+)"')
_APP_LINK = re.compile(rb'href="[^"]*[?&;]uri=([^"&]+)')
_QR = re.compile(rb'src="([^"]+/qr/[0-9]+\.svg)"')
_FOUND, _SEE_OTHER = 200, 303
_AMOUNT_PAISE_MAX = 500_000


class _Record(msgspec.Struct):
    orderid: str
    amount: str
    transaction_status: int
    transaction_payment_status: str


class _Envelope(msgspec.Struct):
    """The fields that a chain reads of a verify reply and of a notification."""

    data: _Record


class _Sealed(msgspec.Struct):
    merchant_id: str
    response: str


class _Token(msgspec.Struct):
    access_token: str


class _TokenReply(msgspec.Struct):
    data: _Token


class _BankAnswer(msgspec.Struct):
    status: str
    code: str = ""


_envelopes = msgspec.json.Decoder(_Envelope)
_sealed = msgspec.json.Decoder(_Sealed)
_bank_answers = msgspec.json.Decoder(_BankAnswer)


class BenchOrder(NamedTuple):
    """The order to pay."""

    order_id: str
    amount_paise: int


class BenchShop:
    """One merchant's server: makes envelopes, holds a token, and checks notifications."""

    def __init__(self, credentials: Credentials) -> None:
        """Start without a token; `renew` gets one."""
        self.credentials = credentials
        self.callbacks = Callbacks(credentials)
        self.token = ""
        self._key = credentials.encryption_key

    async def renew(self, connection: Connection, host: str) -> None:
        """Get a fresh access token."""
        secrets = self.credentials
        fields = {
            "client_id": secrets.oauth_client_id,
            "client_secret": secrets.oauth_client_secret,
            "grant_type": "client_credentials",
            "merchant_id": secrets.merchant_id,
        }
        answer = await connection.send(
            load.post(host, ISSUE.address, _FORM, self._form(fields, privatekey=""))
        )
        self.token = msgspec.json.decode(
            _must(answer, _FOUND, "token").body, type=_TokenReply
        ).data.access_token

    def payment(self, host: str, order: BenchOrder) -> bytes:
        """Return the request of a customer's browser to the payment page."""
        fields = {
            "orderid": order.order_id,
            "amount": text_from_paise(order.amount_paise),
            "currency_code": "356",
            "iso_currency": "INR",
            "buyer_email": "asha.kumari@example.in",
            "buyer_phone": "9876543210",
            "buyer_firstname": "Asha",
            "buyer_lastname": "Kumari",
            "buyer_address": "14 Mahatma Gandhi Road",
            "buyer_city": "Pune",
            "buyer_state": "Maharashtra",
            "buyer_country": "India",
            "buyer_pincode": "411001",
            "customvar": "basket-7",
        }
        body = self.form(fields)
        return load.post(host, f"{PAGE}?token={self.token}", _FORM, body)

    def verify(self, host: str, order_id: str) -> bytes:
        """Return the request for the state of an order."""
        return load.post(host, self.verify_path, _FORM, self.verify_body(order_id))

    @property
    def verify_path(self) -> str:
        """Return the address of verify with the token."""
        return f"{VERIFY.address}?token={self.token}"

    def verify_body(self, order_id: str) -> bytes:
        """Return the form for the state of an order."""
        return self.form({"orderid": order_id})

    def open(self, response: str) -> bytes:
        """Return the sealed content of a notification. Raises cipher.UnreadableCipher."""
        return cipher.open_(self._key, response)

    def form(self, fields: Mapping[str, str]) -> bytes:
        """Return the body of any call."""
        return self._form(fields, privatekey=self.credentials.privatekey)

    def _form(self, fields: Mapping[str, str], privatekey: str) -> bytes:
        encdata = cipher.seal(self._key, msgspec.json.encode(fields))
        encdata = encdata.replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
        proof = f"&privatekey={privatekey}" if privatekey else ""
        sum_ = checksum.v4(fields, business_day(datetime.now(UTC)))
        prefix = f"merchant_id={self.credentials.merchant_id}{proof}"
        return f"{prefix}&encdata={encdata}&checksum={sum_}".encode()


class ShopInbox:
    """The notifications to all shops: wakes the chain that waits for one, and counts them."""

    def __init__(self) -> None:
        """Start empty."""
        self.shops: dict[str, BenchShop] = {}
        self.taken = 0
        self.checked = 0
        self.problem = ""
        self._waiting: dict[str, asyncio.Future[None]] = {}

    def expect(self, order_id: str) -> "asyncio.Future[None]":
        """Return a waiter for an order's notification.

        Raises BrokenChainError for an earlier problem.
        """
        if self.problem:
            raise BrokenChainError(self.problem)
        waiting = asyncio.get_running_loop().create_future()
        self._waiting[order_id] = waiting
        return waiting

    def take(self, head: bytes, body: bytes) -> None:
        """Read one notification; a bad one fails the next waiting chain."""
        try:
            sealed = _sealed.decode(body)
            shop = self.shops[sealed.merchant_id]
            record = _envelopes.decode(shop.open(sealed.response)).data
            if self.taken % SIGNATURE_SAMPLE == 0:
                shop.callbacks.read_notification(_headers(head), body)
                self.checked += 1
        except (
            msgspec.MsgspecError,
            RecursionError,
            KeyError,
            cipher.UnreadableCipher,
            UntrustedError,
        ) as error:
            self.problem = f"a notification could not be believed: {error!r}"
            return
        self.taken += 1
        waiting = self._waiting.pop(record.orderid, None)
        # A second delivery of the same notification is allowed, and nobody waits for it.
        if waiting is not None and not waiting.done():
            waiting.set_result(None)


def _headers(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    return {name.lower(): value.strip() for name, _, value in lines}


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of gateway and bank, each as `host:port`."""

    gateway: str
    bank: str


class Seat:
    """One customer with browser and phone, and the shop's server; connections are kept open."""

    def __init__(self, addresses: Addresses) -> None:
        """Prepare without a connection."""
        self.doing = ""
        """The present step in words, for the message of a time-out."""
        self.page, self.shop = connect(addresses.gateway), connect(addresses.gateway)
        self.bank = connect(addresses.bank)

    def close(self) -> None:
        """Close the connections."""
        for connection in (self.page, self.shop, self.bank):
            connection.close()


def connect(address: str) -> Connection:
    """Return a connection to `host:port`, not yet open."""
    host, _, port = address.rpartition(":")
    return Connection(host, int(port))


class Payments:
    """Runs chains and keeps the generator's own books of them, to compare with the others."""

    def __init__(self, addresses: Addresses, inbox: ShopInbox) -> None:
        """Start with empty books."""
        self.count = 0
        self.paise = 0
        self.paid: deque[tuple[BenchShop, str]] = deque(maxlen=PAID_KEPT)
        self._addresses = addresses
        self._inbox = inbox
        self._numbers = count(1)
        self._amounts = Random(7)  # noqa: S311 (the same amounts in every run)

    async def chain(self, seat: Seat, shop: BenchShop, *, scans: bool = False) -> None:
        """Take one payment from form to verified order.

        scans: the customer sits at a computer and scans the QR, which is then drawn; otherwise the
        link opens the app on the phone. Raises BrokenChainError at the first wrong answer.
        """
        order = BenchOrder(
            f"b-{next(self._numbers)}", self._amounts.randint(100, _AMOUNT_PAISE_MAX)
        )
        try:
            async with asyncio.timeout(CHAIN_S_MAX):
                await self._take(seat, shop, order, scans=scans)
        except TimeoutError:
            whose = f"{order.order_id} at merchant {shop.credentials.merchant_id}"
            message = f"{seat.doing} of {whose} took longer than {CHAIN_S_MAX:.0f} s"
            raise BrokenChainError(message) from None
        self.count += 1
        self.paise += order.amount_paise
        self.paid.append((shop, order.order_id))

    async def _take(self, seat: Seat, shop: BenchShop, order: BenchOrder, *, scans: bool) -> None:
        gateway = self._addresses.gateway
        waiter = self._inbox.expect(order.order_id)
        seat.doing = "the payment form"
        started = _must(await seat.page.send(shop.payment(gateway, order)), _SEE_OTHER, seat.doing)
        path = urlsplit(started.header(b"location").decode()).path
        seat.doing = "the payment page"
        page = _must(
            await seat.page.send(load.get(gateway, path, _COMPUTER if scans else _PHONE)),
            _FOUND,
            seat.doing,
        )
        link = await self._scan(seat, page) if scans else _link(page.body)
        seat.doing = "the customer's bank"
        await self._pay(seat, link)
        seat.doing = "the notification"
        await waiter
        seat.doing = "verify"
        _check(await seat.shop.send(shop.verify(gateway, order.order_id)), order)

    async def _scan(self, seat: Seat, page: LoadReply) -> str:
        """Load the QR; the link beside it saves reading the picture, which is the phone's work."""
        image = _QR.search(page.body)
        app = _APP_LINK.search(page.body)
        if image is None or app is None:
            message = "the payment page shows no QR"
            raise BrokenChainError(message)
        seat.doing = "the QR"
        drawn = await seat.page.send(
            load.get(self._addresses.gateway, image[1].decode(), _COMPUTER)
        )
        if not _must(drawn, _FOUND, seat.doing).body.endswith(b"</svg>"):
            message = "the QR is no drawing"
            raise BrokenChainError(message)
        return unquote(html.unescape(app[1].decode()))

    async def _pay(self, seat: Seat, link: str) -> None:
        body = msgspec.json.encode({"uri": link, "payer_vpa": PAYER})
        answer = await seat.bank.send(load.post(self._addresses.bank, "/upi/pay", _JSON, body))
        result = _bank_answers.decode(_must(answer, _FOUND, seat.doing).body)
        if result.status != "success":
            message = f"the bank said {result.status} {result.code}"
            raise BrokenChainError(message)


def _link(page: bytes) -> str:
    match = _LINK.search(page)
    if match is None:
        message = "the payment page holds no upi:// link"
        raise BrokenChainError(message)
    return html.unescape(match[1].decode())


def _check(answer: LoadReply, order: BenchOrder) -> None:
    record = _envelopes.decode(_must(answer, _FOUND, "verify").body).data
    verified = (
        record.orderid,
        record.amount,
        record.transaction_status,
        record.transaction_payment_status,
    )
    if verified != (order.order_id, text_from_paise(order.amount_paise), _FOUND, "SUCCESS"):
        message = f"verify said {verified} of {order}"
        raise BrokenChainError(message)


def _must(answer: LoadReply, status: int, what: str) -> LoadReply:
    if answer.status != status:
        message = f"{what}: HTTP {answer.status} where {status} was expected: {answer.body[:300]!r}"
        raise BrokenChainError(message)
    return answer
