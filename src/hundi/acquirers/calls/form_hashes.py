"""Hashes of payment forms: SHA-512 over fields in a fixed order, with the merchant's salt.

PayU and Easebuzz have the same ones.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping

_FIELDS = (
    "key",
    "txnid",
    "amount",
    "productinfo",
    "firstname",
    "email",
    *(f"udf{number}" for number in range(1, 11)),
)
SI_DETAILS = "si_details"
"""PayU's field of a mandate (standing instruction)."""


def payment_hash(form: Mapping[str, str], salt: str) -> str:
    """Return the hash of a payment's form; what it approves for later debits is a part of it."""
    approves = [form[SI_DETAILS]] if SI_DETAILS in form else []
    return hash_of(*(form.get(name, "") for name in _FIELDS), *approves, salt)


def answer_hash(form: Mapping[str, str], salt: str, leading: str = "") -> str:
    """Return the hash of an answer or webhook.

    Its fields are in reverse order, with the status behind the salt. leading: what comes first, if
    anything.
    """
    backwards = (form.get(name, "") for name in reversed(_FIELDS))
    return hash_of(*([leading] if leading else []), salt, form.get("status", ""), *backwards)


def holds(form: Mapping[str, str], hashes: Iterable[str]) -> bool:
    """Return whether a form has one of these hashes."""
    given_hash = form.get("hash", "").lower().encode()
    return any(hmac.compare_digest(each.encode(), given_hash) for each in hashes)


def hash_of(*parts: str) -> str:
    """Return the hash of parts in this order."""
    return hashlib.sha512("|".join(parts).encode()).hexdigest()
