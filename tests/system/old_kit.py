"""A shop with a kit of version 3 or 2, written from the facts in docs/old-kits.md as kits are.

Nothing of the gateway is used: hashes, cipher, forms and readers are the kit's own.
"""

import base64
import hashlib
import json
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import urlencode

import httpx
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)

from tests.system.envelopes import Merchant

START = "/pay/index.php"
INDIA = timezone(timedelta(hours=5, minutes=30))
ON_BOTH_LEGS = (
    "MERCID",
    "TRANSACTIONID",
    "APTRANSACTIONID",
    "AMOUNT",
    "TRANSACTIONSTATUS",
    "TRANSACTIONPAYMENTSTATUS",
    "MESSAGE",
    "CUSTOMVAR",
    "CHMOD",
    "TXN_MODE",
    "CURRENCYCODE",
    "CUSTOMER",
    "CUSTOMERPHONE",
    "CUSTOMEREMAIL",
    "CUSTOMERVPA",
    "RRN",
    "IPNID",
    "RISK",
    "TRANSACTIONTIME",
    "TRANSACTIONTYPE",
    "BANKNAME",
    "BANKRESPONSEMSG",
    "CARDISSUER",
    "CARD_NUMBER",
    "CARDTYPE",
    "ap_SecureHash",
)
_JOINED = (
    "buyerEmail",
    "buyerFirstName",
    "buyerLastName",
    "buyerAddress",
    "buyerCity",
    "buyerState",
    "buyerCountry",
)
_MANDATE = ("sb_nextrundate", "sb_frequency", "sb_period", "sb_amount")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def today() -> str:
    return datetime.now(INDIA).date().isoformat()


def days_that_are_over() -> tuple[str, ...]:
    """Return days before every one that begins or ends within an hour, in India and in UTC."""
    first = (datetime.now(UTC) - timedelta(hours=1)).date()
    return tuple((first - timedelta(days=days)).isoformat() for days in (1, 2))


@dataclass(frozen=True)
class OldKit:
    """One shop's kit.

    merchant: the credentials in its configuration. joins_uid: it is the kind that joins UID.
    """

    merchant: Merchant
    base_url: str
    version: str = "3"
    joins_uid: bool = False

    @property
    def private_key(self) -> str:
        named = f"{self.merchant.username}:|:{self.merchant.password}"
        return sha(f"{self.merchant.secret}@{named}")

    @property
    def key256(self) -> str:
        return sha(f"{self.merchant.username}~:~{self.merchant.password}")

    def signed(self, text: str, day: str = "") -> str:
        """Return the checksum of an operation."""
        return sha(f"{self.key256}@{text}{day or today()}")

    def form(
        self, order_id: str, amount: str = "1499.50", day: str = "", **more: str
    ) -> dict[str, str]:
        """Return the fields that the customer's browser posts."""
        fields = {
            "mercid": self.merchant.merchant_id,
            "orderid": order_id,
            "amount": amount,
            "buyerEmail": "asha@example.in",
            "buyerPhone": "9876543210",
            "buyerFirstName": "Asha",
            "buyerLastName": "Rao",
            "buyerAddress": "1 MG Road",
            "buyerCity": "Pune",
            "buyerState": "MH",
            "buyerCountry": "India",
            "buyerPinCode": "411001",
            "currency": "356",
            "isocurrency": "INR",
            "chmod": "",
            "customvar": "a b",
            "txnsubtype": "",
            "wallet": "0",
            "kittype": "server_side_sdk",
            "apyVer": self.version,
            **more,
        }
        text = "".join(fields[name] for name in _JOINED) + amount + order_id
        text += fields["UID"] if self.joins_uid else ""
        if "sb_period" in fields:
            text += "".join(fields[name] for name in _MANDATE)
            text += "1" + fields["sb_recurringcount"] + fields["sb_retryattempts"]
        fields["privatekey"] = self.private_key
        fields["checksum"] = self.signed(text, day)
        if self.version == "2":
            whole = text + (day or today()) + self.private_key
            fields["checksum"] = hashlib.md5(whole.encode(), usedforsecurity=False).hexdigest()
        return fields

    def is_from_gateway(self, fields: Mapping[str, str]) -> bool:
        """Return whether a return's or notification's hash is right, as the kit computes it."""
        names = "TRANSACTIONID APTRANSACTIONID AMOUNT TRANSACTIONSTATUS MESSAGE"
        values = [fields[name] for name in names.split()]
        values += [self.merchant.merchant_id, self.merchant.username]
        if fields["CHMOD"] == "upi":
            values.append(fields["CUSTOMERVPA"])
        return fields["ap_SecureHash"] == str(zlib.crc32(":".join(values).encode()))

    def ask(self, http: httpx.Client, path: str, body: bytes, **headers: str) -> httpx.Response:
        """Send an operation."""
        return http.post(f"{self.base_url}/airpay{path}", content=body, headers=headers)

    def verify(
        self, http: httpx.Client, order_id: str, day: str = "", accept: str = "application/xml"
    ) -> dict[str, str]:
        """Return the TRANSACTION of an order, or the fields of a refusal."""
        merchant_id = self.merchant.merchant_id
        asked = {
            "merchant_id": merchant_id,
            "merchant_txn_id": order_id,
            "private_key": self.private_key,
            "checksum": self.signed(merchant_id + order_id, day),
        }
        answer = self.ask(
            http,
            "/order/verify.php",
            urlencode(asked).encode(),
            **{"content-type": "application/x-www-form-urlencoded", "accept": accept},
        )
        if "json" in answer.headers["content-type"]:
            told = answer.json()
            return told.get("TRANSACTION", told)
        whole = etree.fromstring(answer.content)
        found = whole.find("TRANSACTION")
        return {each.tag: each.text or "" for each in (whole if found is None else found)}

    def refund_body(self, transactions: str, day: str = "") -> bytes:
        """Return the body of a refund, whose array the kit has written into it."""
        merchant_id = self.merchant.merchant_id
        checksum = self.signed(f"{merchant_id}refund{transactions}", day)
        head = {"merchant_id": merchant_id, "private_key": self.private_key, "mode": "refund"}
        rest = json.dumps({**head, "checksum": checksum})[:-1]
        return f'{rest}, "transactions": {transactions}}}'.encode()

    def refund(self, http: httpx.Client, transactions: str, day: str = "") -> Any:
        """Return the reply to a refund."""
        body = self.refund_body(transactions, day)
        headers = {"content-type": "application/json"}
        return self.ask(http, "/api/refundtxn.php", body, **headers).json()

    def sealed(self, http: httpx.Client, path: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Send an operation with `encData`, and return what the reply has sealed."""
        key = hashlib.md5(self.merchant.secret.encode(), usedforsecurity=False).hexdigest().encode()
        text = "".join(str(value) for value in fields.values())
        asked = {
            "encData": _encrypted(key, json.dumps(fields)),
            "checksum": self.signed(text),
            "mercid": self.merchant.merchant_id,
        }
        headers = {"content-type": "application/json"}
        told = self.ask(http, path, json.dumps(asked).encode(), **headers).json()
        return json.loads(_decrypted(key, told["data"])) if told["data"] else told


def _encrypted(key: bytes, text: str) -> str:
    iv = secrets.token_hex(8)
    size = 16 - len(text.encode()) % 16
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv.encode())).encryptor()
    return iv + base64.b64encode(encryptor.update(text.encode() + bytes([size]) * size)).decode()


def _decrypted(key: bytes, sealed: str) -> str:
    decryptor = Cipher(algorithms.AES(key), modes.CBC(sealed[:16].encode())).decryptor()
    padded = decryptor.update(base64.b64decode(sealed[16:]))
    return padded[: -padded[-1]].decode()
