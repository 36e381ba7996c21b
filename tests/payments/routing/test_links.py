"""UPI links that an acquirer turned away unread.

The next one makes them, and soon it is asked first.
"""

from dataclasses import dataclass
from datetime import timedelta

from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.checkout import UpiLink
from hundi.acquirers.port.payments import Charge
from hundi.acquirers.registry import Member, Registry
from hundi.console.queries.acquirers import figures
from hundi.infra.secrets.vault import Vault
from hundi.kernel.records import replace
from hundi.payments.methods.upi import actions as upi
from hundi.payments.orders.rules import Attempt
from hundi.payments.routing import actions as routing
from hundi.payments.routing.actions import Router
from hundi.staff.trail.actions import at_command_line
from tests.acquirer import ScriptedAcquirer
from tests.shop import NOW, Shop

VAULT = Vault({"k1": bytes(32)})

PLAN = 'rules = [{ name = "first", use = [{ acquirer = "first" }], then = ["second"] }]'
LINKS = ("upi_link",)


@dataclass
class LinkMaker(ScriptedAcquirer):
    """An acquirer that makes links, or turns every call away."""

    full: bool = False

    async def upi_link(self, charge: Charge, *, expires_in_s: int) -> UpiLink | Unknown:
        self.calls.append(("upi_link", charge.reference))
        if self.full:
            return Unknown(message="the bank takes no more calls now", sent=False)
        url = f"upi://pay?pa={self.name}@bank&am=1499.50&cu=INR&tr={charge.reference}"
        return UpiLink(url, NOW + timedelta(seconds=expires_in_s))


async def offered(shop: Shop) -> tuple[Attempt, ...]:
    """Ask for the link of a new order, and return its attempts."""
    view = await shop.order()
    await upi.offer_qr(await shop.case(view.payment.payment_id))
    return (await shop.again(view)).attempts


async def test_links_that_are_turned_away_move_the_next_ones(shop: Shop) -> None:
    first, second = LinkMaker("first", full=True), LinkMaker("second")
    assert (
        await routing.publish(
            shop.db, PLAN, ["first", "second"], at_command_line("asha", VAULT), NOW
        )
        == 1
    )
    connectors = Registry((first, second), {"first": LINKS, "second": LINKS})
    shop.context = replace(shop.context, connectors=connectors, router=Router(shop.db))
    for _ in range(5):
        found = await offered(shop)
        assert [(each.connector, each.state, each.bank_code) for each in found] == [
            ("first", "expired", "unreachable"),
            ("second", "offered", ""),
        ]
    shown = await figures(shop.db, NOW, timedelta(hours=1))
    assert shown is not None
    assert (shown["first"]["upi_link"].troubled, "second" in shown) == (5, False), (
        "the console shows what routing counts"
    )
    # Another process, which reads how they do.
    shop.context = replace(shop.context, router=Router(shop.db))
    told = [await offered(shop) for _ in range(8)]
    at_once = [each for (each, *more) in told if not more]
    assert len(at_once) >= 5, "one in 20 goes there nevertheless"
    assert {each.connector for each in at_once} == {"second"}
    assert all("attempts came to nothing" in each.route.passed[0].why for each in at_once)


async def test_the_story_says_that_an_account_is_disabled(shop: Shop) -> None:
    banks = [LinkMaker("first"), LinkMaker("second"), LinkMaker("third")]
    plan = PLAN.replace('then = ["second"]', 'then = ["second", "third"]')
    assert (
        await routing.publish(
            shop.db, plan, ["first", "second", "third"], at_command_line("asha", VAULT), NOW
        )
        == 1
    )
    connectors = Registry(())
    connectors.take([Member(each, LINKS, takes_new=each.name != "first") for each in banks])
    shop.context = replace(shop.context, connectors=connectors, router=Router(shop.db))
    (found,) = await offered(shop)
    (passed,) = found.route.passed
    assert (found.connector, passed.acquirer, passed.why) == (
        "second",
        "first",
        "it takes no new payments now",
    )
