"""Payments at PayU's stand-in, and the hashes of its forms."""

import hashlib
from dataclasses import dataclass, field
from typing import Any

KEY, SALT = "STNDIN", "a-salt-of-nobody"
COMMANDS = "/merchant/postservice.php"
REQUEST_FIELDS = (
    "key",
    "txnid",
    "amount",
    "productinfo",
    "firstname",
    "email",
    "udf1",
    "udf2",
    "udf3",
    "udf4",
    "udf5",
)
MANDATORY = (
    "key",
    "txnid",
    "amount",
    "productinfo",
    "firstname",
    "email",
    "phone",
    "surl",
    "furl",
    "hash",
)


def sha512(*parts: str) -> str:
    return hashlib.sha512("|".join(parts).encode()).hexdigest()


def forward(form: dict[str, str], salt: str = SALT) -> str:
    """The hash of a payment: eleven fields, five empty ones, si_details if any, the salt."""
    standing = [form["si_details"]] if form.get("si_details") else []
    fields = (form.get(name, "") for name in REQUEST_FIELDS)
    return sha512(*fields, "", "", "", "", "", *standing, salt)


def reverse(form: dict[str, str], salt: str = SALT) -> str:
    """The hash of an answer: the other way round, with the status after the salt."""
    backwards = [form.get(name, "") for name in reversed(REQUEST_FIELDS)]
    parts = [salt, form.get("status", ""), "", "", "", "", "", *backwards]
    extra = form.get("additionalCharges", "")
    return sha512(*([extra] if extra else []), *parts)


@dataclass
class Transaction:
    """One transaction.

    amount: the order's, when it was paid. charges: what was added to it. actions: captures, refunds
    and cancels by their request id.
    """

    form: dict[str, str]
    mihpayid: str
    mode: str
    status: str = "pending"
    unmapped: str = "pending"
    error: tuple[str, str] = ("E000", "NO ERROR")
    amount: str = ""
    charges: str = "0.00"
    actions: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def held(self) -> bool:
        return self.form.get("pre_authorize") == "1"
