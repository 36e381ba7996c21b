"""validatevpa asks the merchant's own acquirer, in a running gateway, at stand-ins."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import httpx
import pytest

from tests.acquirers.stage import Trouble
from tests.acquirers.standin_addresses import RAZORPAY_TEST_KEY, SETTINGS, Addresses
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer, alongside, running_apart
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Reply, Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop

CALLS = {
    "cashfree_payouts": "/verification/upi",
    "payu": "/postservice.php",
    "juspay": "/verify-vpa",
    "phonepe": "/validate/upi",
    "razorpay": "/validate/vpa",
}
NO_MONEY = {
    "cashfree_payouts": {"environment": "sandbox"},
    "payu": {"environment": "test"},
    "juspay": {"environment": "sandbox"},
    "phonepe": {"environment": "sandbox"},
    "razorpay": {"mode": "test", "key_id": RAZORPAY_TEST_KEY},
}
"""A simulated bank is beside them."""


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with running_apart(new_folder("address-checks"), *CALLS) as running:
        yield running


@dataclass(frozen=True)
class AddressShop:
    """A merchant whose own account at an acquirer checks addresses."""

    kind: str
    stage: Addresses
    shop: Shop
    sender: Sender

    def ask(self, name: str) -> Reply:
        """Ask about an address that nobody else asks about: answers are kept for a minute."""
        return self.sender.ask("validatevpa", self.shop.merchant, {"vpa": self.address(name)})

    def address(self, name: str) -> str:
        return f"{name}.{self.kind.replace('_', '-')}@okaxis"

    def goes_wrong(self) -> None:
        self.stage.trouble(CALLS[self.kind], *(Trouble.FAILED_BEFORE,) * 4)
        self.stage.trouble("GET /verification/upi", *(Trouble.FAILED_BEFORE,) * 4)


@pytest.fixture(params=list(CALLS))
def asked(
    request: pytest.FixtureRequest, apart: RunningGateway, server: MerchantServer
) -> Iterator[AddressShop]:
    kind: str = request.param
    with alongside(Addresses.running()) as (stage, _):
        for shop in open_shop(apart, server, kind.replace("_", "-")):
            fields = SETTINGS[kind](stage.url) | NO_MONEY[kind] | {"address_checks": True}
            merchant = ("--merchant", str(shop.merchant.merchant_id), "--paid-to", "operator")
            acquirer(apart, "add", kind, kind, *merchant, fields=fields)
            with httpx.Client(trust_env=False, timeout=30) as http:
                yield AddressShop(kind, stage, shop, Sender(apart.base_url, http))


def test_an_address_is_checked_at_the_merchants_own_acquirer(asked: AddressShop) -> None:
    asked.stage.holders = {asked.address(name): "ASHA RAO" for name in ("asha", "later")}

    names = (f"first{number}" for number in count())

    def unknown() -> bool:
        # The simulated bank, which answers until then, knows every address.
        return asked.ask(next(names)).data["valid"] != "true"

    until(unknown, "the account to be used", every_s=0.5)
    assert asked.stage.called(CALLS[asked.kind])
    data = asked.ask("asha").data
    assert (data["vpa"], data["valid"], data["vpa_name"], data["status"]) == (
        asked.address("asha"),
        "true",
        "ASHA RAO",
        "200",
    )
    assert asked.ask("nobody").data["valid"] == "false"
    asked.goes_wrong()
    assert asked.ask("later").code == "999"
    asked.stage.troubles.clear()
    assert asked.ask("later").data["vpa_name"] == "ASHA RAO", "nothing was kept of silence"
