"""Golden transcripts of the interfaces of subscriptions: every documented case, field by field."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Reply, Sender
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, pay_card, settled
from tests.system.test_enach import approve_at_bank
from tests.system.test_subscriptions import active, approved, asked, open_plan
from tests.system.test_transcripts import GOLDEN, golden, on_the_wire

pytestmark = pytest.mark.usefixtures("books_hold")
FOLDER = GOLDEN / "subscriptions"
ON_REQUEST = {
    "sb_period": "A",
    "sb_nextrundate": None,
    "sb_frequency": None,
    "sb_recurringcount": None,
}


@dataclass
class Plans:
    """Subscriptions of a merchant that has no others."""

    sender: Sender
    shop: Shop

    def ask(self, *verbs: str, **more: str) -> Reply:
        """Begin a monthly subscription, do these verbs in turn, and return the last reply."""
        told = approved(self.sender, self.shop)
        for verb in verbs[:-1]:
            assert asked(self.sender, self.shop, verb, told).code == "00"
        return asked(self.sender, self.shop, verbs[-1], told, **more)

    def status_of(self, order_id: str) -> Reply:
        """Return the status of one that its customer approved at the page, once it is active."""
        active(self.sender, self.shop, order_id)
        return self.unnamed("status", orderid=order_id)

    def by_card(self) -> Reply:
        """Approve one by card."""
        order_id = new_order_id("PLAN")
        with Browser() as browser:
            pay_card(browser, open_plan(self.sender, self.shop, browser, order_id, chmod="pg"))
        return self.status_of(order_id)

    def at_bank(self) -> Reply:
        """Approve one at a bank."""
        order_id = new_order_id("PLAN")
        with Browser() as browser:
            settled(
                browser,
                approve_at_bank(browser, open_plan(self.sender, self.shop, browser, order_id)),
            )
        return self.status_of(order_id)

    def charge(self, *, times: int = 1, **more: str) -> Reply:
        """Charge one that is debited on request only."""
        told = approved(self.sender, self.shop, **ON_REQUEST)
        replies = [asked(self.sender, self.shop, "charge", told, **more) for _ in range(times)]
        return replies[-1]

    def unnamed(self, verb: str, **fields: str) -> Reply:
        return self.sender.ask(f"subscription/{verb}", self.shop.merchant, fields)

    def others(self) -> Reply:
        """List those in a state that none is in."""
        return self.unnamed("list", state="completed")


CASES: dict[str, Callable[[Plans], Reply]] = {
    "status": lambda plans: plans.ask("status"),
    "status-card": Plans.by_card,
    "status-bank-account": Plans.at_bank,
    "status-unknown": lambda plans: plans.unnamed("status", orderid="never-sent"),
    "status-unnamed": lambda plans: plans.unnamed("status"),
    "list-none": Plans.others,
    "list-unknown-state": lambda plans: plans.unnamed("list", state="asleep"),
    "charge": lambda plans: plans.charge(sb_amount="250.00"),
    "charge-twice": lambda plans: plans.charge(times=2),
    "charge-above-maximum": lambda plans: plans.charge(sb_amount="1000.01"),
    "charge-after-cancel": lambda plans: plans.ask("cancel", "charge"),
    "change": lambda plans: plans.ask(
        "change", sb_amount="599.00", sb_recurringcount="6", sb_retryattempts="1"
    ),
    "change-nothing": lambda plans: plans.ask("change"),
    "change-above-maximum": lambda plans: plans.ask("change", sb_amount="1000.01"),
    "change-no-debits": lambda plans: plans.ask("change", sb_recurringcount="0"),
    "pause": lambda plans: plans.ask("pause"),
    "pause-twice": lambda plans: plans.ask("pause", "pause"),
    "resume": lambda plans: plans.ask("pause", "resume"),
    "resume-an-active-one": lambda plans: plans.ask("resume"),
    "cancel": lambda plans: plans.ask("cancel"),
    "cancel-twice": lambda plans: plans.ask("cancel", "cancel"),
}


@pytest.fixture(scope="module")
def plans(gateway: RunningGateway, sender: Sender, server: MerchantServer) -> Iterator[Plans]:
    for shop in open_shop(gateway, server, "plans", channels="upi_pg_enach"):
        yield Plans(sender, shop)


@pytest.mark.parametrize("case", CASES)
def test_the_reply_is_the_golden_one_field_by_field(case: str, plans: Plans) -> None:
    reply = CASES[case](plans)
    assert reply.status == 200
    golden(FOLDER / f"{case}.json", reply.envelope)
    on_the_wire(reply)


def test_every_golden_transcript_belongs_to_a_case() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(CASES)
