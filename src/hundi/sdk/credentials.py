"""A merchant's credentials from onboarding, under names that cannot be mistaken for one another."""

from dataclasses import dataclass, field, fields
from functools import cached_property

from hundi.sdk import signed
from hundi.sdk.errors import ConfigurationError
from hundi.wire import cipher
from hundi.wire.merchant import privatekey


@dataclass(frozen=True)
class Credentials:
    """One merchant's credentials; hidden in `repr`, so that a log line cannot leak them.

    Three different things are called "secret" in this interface family
    (docs/spec/wire.md#privatekey):

    merchant_id: the numeric merchant identifier, as text. username, password: the merchant's login
    at the gateway. Together they give the **encryption key**, which is
        derived and never typed in.
    api_secret: the **API secret**; it proves who is calling, as part of `privatekey`.
    oauth_client_id, oauth_client_secret: the **OAuth client** that obtains access tokens, and
    nothing else. webhook_keys: `whsec_…` keys that sign what the gateway tells the merchant; during
    a rotation both, newest first.

    Raises ConfigurationError when one of them is empty or cannot be what it should be.
    """

    merchant_id: str
    username: str = field(repr=False)
    password: str = field(repr=False)
    api_secret: str = field(repr=False)
    oauth_client_id: str = field(repr=False)
    oauth_client_secret: str = field(repr=False)
    webhook_keys: tuple[str, ...] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse values that could only fail later, in front of a customer."""
        for each in fields(self):
            if not getattr(self, each.name):
                message = f"the credential {each.name} is empty"
                raise ConfigurationError(message)
        signed.checked_keys(self.webhook_keys)
        if not (self.merchant_id.isascii() and self.merchant_id.isdigit()):
            message = "merchant_id consists of digits"
            raise ConfigurationError(message)

    @cached_property
    def encryption_key(self) -> bytes:
        """The derived key of `encdata` and of replies: 32 bytes (docs/spec/wire.md#cipher)."""
        return cipher.encryption_key(self.username, self.password)

    @cached_property
    def privatekey(self) -> str:
        """The proof of the API secret that accompanies every call but token issuance.

        See docs/spec/wire.md#privatekey.
        """
        return privatekey.derive(self.api_secret, self.username, self.password)
