"""A server that speaks the plain interface by hand, with a bearer key and no kit."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway

BUYER = {
    "email": "asha@example.in",
    "phone": "9876543210",
    "firstname": "Asha",
    "lastname": "Rao",
}
ALL_SCOPES = ("read", "page", "refund", "manage")


@dataclass(frozen=True)
class PlainServer:
    """A merchant's server that calls `/v1` with one key."""

    gateway: RunningGateway
    http: httpx.Client
    key: str = field(repr=False)

    def send(
        self, method: str, path: str, body: Any = None, key: str | None = None, **headers: str
    ) -> httpx.Response:
        """Send one request. key: the idempotency key; headers: `_` stands for `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.key:
            sent.setdefault("authorization", f"Bearer {self.key}")
        if key is not None:
            sent["idempotency-key"] = key
        return self.http.request(
            method, f"{self.gateway.base_url}/v1/{path}", json=body, headers=sent
        )

    def get(self, path: str) -> dict[str, Any]:
        """Return what stands at an address."""
        answer = self.send("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any, key: str | None = None) -> dict[str, Any]:
        """Return what was made."""
        answer = self.send("POST", path, body, key)
        assert answer.status_code in {200, 201}, answer.text
        return answer.json()


def order(order_id: str, amount_paise: int = 149_950, **more: Any) -> dict[str, Any]:
    """Return an order as a server of no kit writes it."""
    return {"order_id": order_id, "amount_paise": amount_paise, "buyer": BUYER} | more


def bearer_key(
    gateway: RunningGateway, merchant: Merchant, name: str, *scopes: str, **options: str
) -> str:
    """Make a bearer key by the command, and return its text."""
    given = [
        part
        for option, value in options.items()
        for part in ("--" + option.replace("_", "-"), value)
    ]
    made = gateway.operate(
        "merchant", "bearer-key", "add", merchant.merchant_id, name, *scopes, *given
    )
    return made["bearer_key"]


def server_of(
    gateway: RunningGateway, http: httpx.Client, merchant: Merchant, name: str, *scopes: str
) -> PlainServer:
    """Return a server with a new key; one with the scope refund may refund up to a lakh."""
    chosen = scopes or ALL_SCOPES
    options = {"refund_paise": "10000000"} if "refund" in chosen else {}
    return PlainServer(gateway, http, bearer_key(gateway, merchant, name, *chosen, **options))
