"""What a partner sends, built by hand.

Every header can be left out or replaced, bodies have any accepted type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import httpx

from hundi.kernel.records import replace
from tests.system.running import RunningGateway

BAAS = "/gateway/ms/baas/api/"


@dataclass(frozen=True)
class Keys:
    """A partner's credentials."""

    affiliate: str
    api_key: str = field(repr=False)
    processor_key: str = field(repr=False)
    secret: str = field(repr=False)
    card_token: str = field(repr=False)

    @classmethod
    def of(cls, shown: Mapping[str, Any]) -> "Keys":
        """Read what `partner add` shows, or the partner of `demo.json`."""
        return cls(
            *(
                shown[name]
                for name in ("affiliate", "api_key", "processor_key", "secret", "card_token")
            )
        )


@dataclass(frozen=True)
class PartnerSender:
    """A partner's server."""

    gateway: RunningGateway
    http: httpx.Client
    keys: Keys

    def headers(self, values: Sequence[str], **changes: str | None) -> dict[str, str]:
        """Return the documented headers for parameters of these values.

        A change of None leaves one out.
        """
        own = {
            "affiliate": self.keys.affiliate,
            "api-key": self.keys.api_key,
            "processor-key": self.keys.processor_key,
            "checksum": self.checksum(values),
        } | {name.replace("_", "-"): value for name, value in changes.items()}
        return {name: value for name, value in own.items() if value is not None}

    def rotated(self, what: str, *options: str) -> "PartnerSender":
        """Replace a secret, and return the sender that knows the new one."""
        affiliate = self.keys.affiliate
        shown = self.gateway.operate("partner", "rotate", affiliate, what, *options)
        return replace(self, keys=replace(self.keys, **{what: shown[what]}))

    def checksum(self, values: Sequence[str]) -> str:
        """Return the checksum of values in this order."""
        return sha256(("".join(values) + self.keys.secret).encode()).hexdigest()

    def ask(
        self, name: str, parameters: Mapping[str, Any], **changes: str | None
    ) -> dict[str, Any]:
        """Call an interface as the specification has it, and return its reply."""
        headers = self.headers([str(value) for value in parameters.values()], **changes)
        answer = self.http.post(
            self.gateway.base_url + BAAS + name, data=dict(parameters), headers=headers
        )
        assert answer.status_code == 200
        return answer.json()
