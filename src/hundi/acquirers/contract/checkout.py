"""The contract of aggregators: links, own pages, cards charged in one step, triggers."""

from datetime import UTC, datetime

from hundi.acquirers.contract.steps import (
    AMOUNT,
    EXPIRES_IN_S,
    ConnectorCase,
    demand,
    demand_moved,
    new_charge,
    open_checkout,
    pay_by_link,
    pay_directly,
    pay_on_page,
)
from hundi.acquirers.port.answers import Approved, Declined, NothingThere, Redirect, Unknown
from hundi.acquirers.port.checkout import (
    BringsBack,
    ChargesCards,
    HostsCheckout,
    MakesUpiLinks,
    SendsTriggers,
    UpiLink,
)
from hundi.acquirers.port.payments import CompletesAuthorisations, Connector

_A_DAY_S = 86_400


async def check_upi_links(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a link can be paid and is found paid.

    A link that nobody pays stays open and is not declined.
    """
    if not isinstance(connector, MakesUpiLinks):
        return
    waiting = new_charge(case)
    link = await connector.upi_link(waiting, expires_in_s=EXPIRES_IN_S)
    demand(
        isinstance(link, UpiLink) and link.url.startswith("upi://pay?"),
        f"a charge gets a UPI link, not {link}",
    )
    demand(
        isinstance(link, UpiLink) and link.expires_at > datetime.now(UTC),
        "a new link has not expired",
    )
    demand_undecided(await connector.inquire(waiting.reference), "a link that nobody paid")
    again = await connector.upi_link(waiting, expires_in_s=EXPIRES_IN_S)
    demand(
        not isinstance(again, Declined),
        "a link asked for twice is not declined: the first one can be paid",
    )
    charge = await pay_by_link(connector, case)
    demand_moved(
        await connector.inquire(charge.reference), AMOUNT, "a link that was paid is found paid"
    )


async def check_checkout(connector: Connector, case: ConnectorCase) -> None:
    """Prove that the acquirer's page is at one of its origins and can be paid on.

    It holds the money where the connector has holds.
    """
    if not isinstance(connector, HostsCheckout):
        return
    waiting = new_charge(case)
    page = await open_checkout(connector, waiting, case, capture=True)
    demand(isinstance(page, Redirect), f"a charge gets a page, not {page}")
    demand_undecided(await connector.inquire(waiting.reference), "a page that nobody paid on")
    charge = await pay_on_page(connector, case, capture=True)
    demand_moved(
        await connector.inquire(charge.reference), AMOUNT, "a page that was paid on is found paid"
    )
    held = await open_checkout(connector, new_charge(case), case, capture=False)
    if not isinstance(connector, CompletesAuthorisations):
        demand(not isinstance(held, Redirect), "nothing is held that cannot be captured")
        return
    held_charge = await pay_on_page(connector, case, capture=False)
    answer = await connector.inquire(held_charge.reference)
    demand(
        isinstance(answer, Approved) and answer.authorised_only,
        f"a held amount is found held, not {answer}",
    )


async def check_direct_cards(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a typed card is challenged, and found paid when the challenge was passed."""
    if not isinstance(connector, ChargesCards):
        return
    charge = await pay_directly(connector, case, capture=True)
    demand_moved(
        await connector.inquire(charge.reference),
        AMOUNT,
        "a card that was charged at once is found paid",
    )


async def check_triggers(connector: Connector, case: ConnectorCase) -> None:
    """Prove that an authentic webhook names its reference, and any other one nothing."""
    if not isinstance(connector, SendsTriggers):
        return
    reference, now_s = case.new_reference(), int(datetime.now(UTC).timestamp())
    demand(case.webhook is not None, "tests of a connector with webhooks bring one along")
    if case.webhook is None:
        return
    headers, body = case.webhook(reference)
    read = connector.read_trigger(headers, body, now_s=now_s)
    demand(
        read is not None and reference in read.references,
        f"a webhook names its reference, not {read}",
    )
    demand(connector.read_trigger({}, b"", now_s=now_s) is None, "nothing triggers nothing")
    plain = {name: value for name, value in headers.items() if name == "content-type"}
    forged = case.forge(body) if case.forge else body
    demand(
        connector.read_trigger(plain, forged, now_s=now_s) is None,
        "an unsigned webhook triggers nothing",
    )
    demand(
        connector.read_trigger(headers, body[: len(body) // 2], now_s=now_s) is None,
        "half a webhook says nothing",
    )


async def check_returns(connector: Connector, case: ConnectorCase) -> None:
    """Prove that only the form of a returning customer names their payment."""
    if not isinstance(connector, BringsBack) or not isinstance(connector, HostsCheckout):
        return
    demand(
        case.come_back is not None,
        "tests of a connector that brings customers back bring their forms along",
    )
    if case.come_back is None:
        return
    charge = await pay_on_page(connector, case, capture=True)
    form, now_s = await case.come_back(charge), int(datetime.now(UTC).timestamp())
    demand(
        await connector.read_return(form, now_s=now_s) == charge.reference,
        "a return names its reference",
    )
    for name, value in form.items():
        named = await connector.read_return({**form, name: value[:-1]}, now_s=now_s)
        demand(named in {None, charge.reference}, "a changed return names no other reference")
    for other in ({}, {name: value[:-1] for name, value in form.items()}):
        demand(
            await connector.read_return(other, now_s=now_s) is None,
            "a return that proves nothing names nothing",
        )
    demand(
        await connector.read_return(form, now_s=now_s + _A_DAY_S) is None,
        "an old return names nothing",
    )


def demand_undecided(answer: object, what: str) -> None:
    """Demand that nothing is decided while a customer may still pay."""
    demand(isinstance(answer, Unknown | NothingThere), f"{what} is undecided, not {answer}")
