"""PayU's hashes: SHA-512 over fields in a fixed order, with the merchant's salt.

See docs/payu.md.
"""

import hashlib
import hmac
from collections.abc import Mapping

_FIELDS = (
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
_UNUSED = [""] * 5
"""udf6 to udf10, which have a place and no value."""


def payment_hash(form: Mapping[str, str], salt: str) -> str:
    """Return the hash of a payment's form."""
    return _sha512([*(form.get(name, "") for name in _FIELDS), *_UNUSED, salt])


def command_hash(key: str, command: str, var1: str, salt: str) -> str:
    """Return the hash of a command; its other variables are not covered."""
    return _sha512([key, command, var1, salt])


def answer_hash(form: Mapping[str, str], salt: str, charges: str = "") -> str:
    """Return the hash of an answer or webhook.

    Its fields are in reverse order, with the status behind the salt. charges: what PayU added to
    the amount, which then leads; "" where it added nothing.
    """
    backwards = [form.get(name, "") for name in reversed(_FIELDS)]
    return _sha512(
        [*([charges] if charges else []), salt, form.get("status", ""), *_UNUSED, *backwards]
    )


def answer_holds(form: Mapping[str, str], key: str, salt: str) -> bool:
    """Return whether an answer is PayU's, and about this merchant account.

    A charge has two spellings in PayU's documents; a charge of 0 is in answers whose hash is made
    without it.
    """
    charges = form.get("additionalCharges", "")
    led_by = [charges] if charges else [form.get("additional_charges", ""), ""]
    given_hash = form.get("hash", "").lower().encode()
    holds = any(
        hmac.compare_digest(answer_hash(form, salt, each).encode(), given_hash) for each in led_by
    )
    return holds and form.get("key") == key


def _sha512(parts: list[str]) -> str:
    return hashlib.sha512("|".join(parts).encode()).hexdigest()
