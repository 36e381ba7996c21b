"""The accounts at Cashfree Payouts and Secure ID, and the proof of who calls."""

import base64
from dataclasses import dataclass

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey


@dataclass(frozen=True, slots=True, kw_only=True)
class CashfreeKeys:
    """The keys of one product.

    secrets: the client secret, then others that are still active: webhooks are signed with the
    oldest. public_key: Cashfree's, for calls from an address that is not listed; None where ours
    are listed.
    """

    client_id: str
    secrets: tuple[str, ...]
    public_key: RSAPublicKey | None = None

    def __repr__(self) -> str:
        """Hide the secrets: this value reaches tracebacks."""
        return f"CashfreeKeys({self.client_id}, ****)"

    def headers(self, now_s: float) -> dict[str, str]:
        """Return the headers that authenticate a call at a time in Unix seconds."""
        proof = {"x-client-id": self.client_id, "x-client-secret": self.secrets[0]}
        if self.public_key is not None:
            proof["x-cf-signature"] = signature(self.public_key, self.client_id, int(now_s))
        return proof


@dataclass(frozen=True, slots=True, kw_only=True)
class CashfreePayoutsAccount:
    """An account at Cashfree Payouts.

    source: the fund source that payouts leave; "" for the account's own. checks: the keys of
    Secure ID, None for an account without checks. balance_url: of the older interface, which alone
    tells the balance.
    """

    keys: CashfreeKeys
    base_url: str
    balance_url: str
    checks_url: str
    source: str = ""
    checks: CashfreeKeys | None = None


def signature(key: RSAPublicKey, client_id: str, now_s: int) -> str:
    """Return the proof of a call from an address that is not listed.

    Base64 of RSA-OAEP with SHA-1 over client id and Unix seconds, with a point between.
    """
    padding = OAEP(mgf=MGF1(hashes.SHA1()), algorithm=hashes.SHA1(), label=None)  # noqa: S303 (Cashfree's choice; OAEP does not rest on the hash)
    return base64.b64encode(key.encrypt(f"{client_id}.{now_s}".encode(), padding)).decode()
