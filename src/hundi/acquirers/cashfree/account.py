"""The account at Cashfree for all calls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Our identity at Cashfree, and what our account is enabled for.

    secrets: the client secret, and the one before it whose webhooks may still arrive. phone, email:
    sent for customers who have none. holds: cards are held until they are captured
    (pre-authorisation). page_origins, link_origins: where customers may be sent.
    instalments_from_paise: the smallest amount that its page takes in instalments, 0 where it takes
    none. simulated: the account is of Cashfree's sandbox.
    """

    base_url: str
    client_id: str
    secrets: tuple[str, ...]
    api_version: str
    phone: str
    page_origins: tuple[str, ...]
    link_origins: tuple[str, ...]
    notify_url: str = ""
    email: str = ""
    holds: bool = False
    instalments_from_paise: int = 0
    simulated: bool = False

    def __repr__(self) -> str:
        """Hide the secrets: this value reaches tracebacks."""
        return f"Account({self.base_url}, {self.client_id}, ****)"
