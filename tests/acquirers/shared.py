"""What the tests of aggregators' connectors ask for, and a clock that they set."""

from typing import Any

from hundi.acquirers.port.checkout import HostsCheckout
from hundi.acquirers.port.customers import Customer
from hundi.acquirers.port.payments import Charge
from hundi.kernel.money import Money

CALLBACK = "https://pay.example.in/callbacks/one"
RETURN = "https://pay.example.in/pay/v4/s/x/done"
ASHA = Customer(
    "Asha Rao", "asha@example.in", "9876543210", "203.0.113.7", "Mozilla/5.0 (X11; Linux)"
)
LIFE_S = 1_200


class Clock:
    """The time of a connector, in Unix seconds."""

    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


def charge(paise: int = 100_000, reference: str = "10001-1") -> Charge:
    return Charge(reference, Money(paise), payee_name="Asha Handlooms", customer=ASHA)


async def page_of(
    one: HostsCheckout, asked: Charge, *, method: str = "card", capture: bool = True
) -> Any:
    return await one.start_checkout(
        asked, method=method, return_url=RETURN, expires_in_s=LIFE_S, capture=capture
    )
