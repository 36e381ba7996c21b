"""What a connector's tests provide for the contract, and steps that several checks share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from hundi.acquirers.port.answers import Approved, BankAccount, Declined, Redirect, Unknown
from hundi.acquirers.port.cards import AuthenticatesCards, ChargesMoto
from hundi.acquirers.port.checkout import ChargesCards, HostsCheckout, MakesUpiLinks, UpiLink
from hundi.acquirers.port.disputes import PhaseName
from hundi.acquirers.port.instalments import InstalmentPlan
from hundi.acquirers.port.payments import BankEntry, Charge, Connector, OffersUpi, SendsToBanks
from hundi.acquirers.port.transfers import Voucher
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money

GOOD_ACCOUNT = BankAccount("50100012349999", "HDFC0000001")
CLOSED_ACCOUNT = BankAccount("50100012340002", "HDFC0000001")
"""The accounts of the simulated bank."""


class ContractBrokenError(AssertionError):
    """A connector breaks a promise of the port; the text names the promise."""


@dataclass(frozen=True, slots=True)
class ConnectorCase:
    """What a connector's tests provide, because only they know their network.

    new_reference: returns a reference never used before. good_card, declined_card: cards that the
    network approves and declines. card_of: returns a good card of a bank that offers instalments,
    by the bank's code. good_vpa: an address that pays. nobody_vpa: a well-formed one that nobody
    has. pass_challenge, fail_challenge: play the customer at a challenge address; pay_at_bank,
    leave_bank: at a bank's page. visit_bank: opens that page first, where a form opens it.
    pay_voucher: plays the customer at a counter, and waits (bounded) until the network reports it;
    every connector that issues vouchers needs it. raise_dispute: plays the customer's bank that
    disputes all of a payment, by its reference, and returns the new phase; a simulated network
    needs it, a real one where its own sandbox can do it. settled: waits (bounded) until the network
    has decided about a reference; refund_settled: about a refund's. calls_made: returns how many
    calls the network got so far; every connector but a simulator's has to prove that it made none.
    pay_link, pay_page: play the customer who pays by a UPI link, or on the acquirer's page with the
    good card. webhook: returns headers and body of an authentic webhook about a reference. forge:
    breaks a proof that is in the body. come_back: returns the form that the browser of a charge
    brings back from the acquirer's page. lapse_hold: lets the time of a hold pass; for a connector
    whose bank has no call to void one. settle: lets the network settle all that moved so far, and
    returns the day; every connector that reports settlements needs it. good_account,
    closed_account: bank accounts that take payouts and that nothing can be paid into.
    payout_settled, check_settled: wait (bounded) until the network has decided about a payout,
    about a check of an account. payout_reference, check_reference: return references of a payout
    (`10001-P1`) and of a check (`10001-V1`) that were never used, for a network that needs their
    form. pass_notice: lets the time between a notice and its debit pass, for a network that keeps
    it; pause_at_bank, resume_at_bank: play the customer of a mandate there, by the reference that
    approved it. open_party: returns the acquirer's name of a linked account that gets shares; every
    connector that splits settlements needs it. share_reference: returns a reference of a share or a
    reversal, for a network that needs its form. share_settled: waits (bounded) until the network
    has decided about one.
    """

    new_reference: Callable[[], str]
    good_card: CardNumber
    declined_card: CardNumber
    card_of: Callable[[str], CardNumber]
    good_vpa: str
    nobody_vpa: str
    pass_challenge: Callable[[str], Awaitable[None]]
    fail_challenge: Callable[[str], Awaitable[None]]
    pay_at_bank: Callable[[str], Awaitable[None]]
    leave_bank: Callable[[str], Awaitable[None]]
    settled: Callable[[str], Awaitable[None]]
    refund_settled: Callable[[str], Awaitable[None]]
    calls_made: Callable[[], int] | None = None
    pay_voucher: Callable[[Charge, Voucher], Awaitable[None]] | None = None
    raise_dispute: Callable[[str], Awaitable[PhaseName]] | None = None
    pay_link: Callable[[Charge, UpiLink], Awaitable[None]] | None = None
    pay_page: Callable[[Charge, Redirect], Awaitable[None]] | None = None
    webhook: Callable[[str], tuple[dict[str, str], bytes]] | None = None
    forge: Callable[[bytes], bytes] | None = None
    lapse_hold: Callable[[str], Awaitable[None]] | None = None
    come_back: Callable[[Charge], Awaitable[Mapping[str, str]]] | None = None
    settle: Callable[[], Awaitable[date]] | None = None
    visit_bank: Callable[[Redirect], Awaitable[None]] | None = None
    good_account: BankAccount = GOOD_ACCOUNT
    closed_account: BankAccount = CLOSED_ACCOUNT
    payout_reference: Callable[[], str] | None = None
    check_reference: Callable[[], str] | None = None
    payout_settled: Callable[[str], Awaitable[None]] | None = None
    check_settled: Callable[[str], Awaitable[None]] | None = None
    pass_notice: Callable[[], Awaitable[None]] | None = None
    pause_at_bank: Callable[[str], Awaitable[None]] | None = None
    resume_at_bank: Callable[[str], Awaitable[None]] | None = None
    open_party: Callable[[], Awaitable[str]] | None = None
    share_reference: Callable[[], str] | None = None
    share_settled: Callable[[str], Awaitable[None]] | None = None
    return_url: str = "https://pay.example.in/pay/v4/s/x/3ds/1"


_Listed = TypeVar("_Listed", BankEntry, InstalmentPlan)
AMOUNT = Money(149_950)
OTHER_AMOUNT = Money(149_951)
HALF = Money(AMOUNT.paise // 2)
EXPIRES_IN_S = 900


def demand(holds: object, promise: str) -> None:
    """Raise ContractBrokenError with the promise unless it is kept."""
    if not holds:
        raise ContractBrokenError(promise)


def new_charge(case: ConnectorCase, amount: Money = AMOUNT) -> Charge:
    """Return a charge with a reference that was never used."""
    return Charge(case.new_reference(), amount)


def demand_moved(answer: object, amount: Money, when: str) -> None:
    """Demand that the bank moved this amount and gave it an RRN."""
    demand(
        isinstance(answer, Approved) and not answer.authorised_only,
        f"{when}: the money moved, not {answer}",
    )
    demand(
        isinstance(answer, Approved) and answer.amount == amount,
        "the bank says the amount it moved",
    )
    demand(isinstance(answer, Approved) and answer.rrn, "money that moved has an RRN")


def demand_list(answer: tuple[_Listed, ...] | Unknown) -> tuple[_Listed, ...]:
    """Demand that a connector lists what there is to choose from, and return the list."""
    demand(not isinstance(answer, Unknown) and answer, "whoever offers a choice says which")
    return () if isinstance(answer, Unknown) else answer


def _sent(answer: Redirect | Declined | Unknown, origins: tuple[str, ...]) -> Redirect:
    if not isinstance(answer, Redirect):
        promise = f"a well-formed card gets a challenge and a listed bank a customer, not {answer}"
        raise ContractBrokenError(promise)
    allowed = any(answer.url.startswith(origin + "/") for origin in origins)
    demand(allowed, "a customer is sent to one of the connector's origins")
    return answer


async def start_challenge(
    connector: AuthenticatesCards, charge: Charge, card: CardNumber, case: ConnectorCase
) -> Redirect:
    """Send a card and return the address of its challenge."""
    answer = await connector.authenticate(charge, card, return_url=case.return_url)
    return _sent(answer, connector.browser_origins)


async def pass_challenge(
    connector: AuthenticatesCards, charge: Charge, card: CardNumber, case: ConnectorCase
) -> str:
    """Send a card, pass its challenge, and return the challenge's id."""
    challenge = await start_challenge(connector, charge, card, case)
    await case.pass_challenge(challenge.url)
    return challenge.authentication_id


async def start_collect(connector: OffersUpi, charge: Charge, case: ConnectorCase) -> None:
    """Send a collect request to the good address."""
    fields = {"payee_name": "Contract", "note": "order"}
    answer = await connector.collect(charge, payer_vpa=case.good_vpa, **fields, expires_in_s=300)
    demand(isinstance(answer, Unknown), "a collect request is never decided at once")


async def start_bank_redirect(
    connector: SendsToBanks, charge: Charge, bank: BankEntry, case: ConnectorCase
) -> Redirect | Declined | Unknown:
    """Ask for the address of a bank's page."""
    return await connector.start_redirect(
        charge, method=bank.method, bank_code=bank.code, return_url=case.return_url
    )


async def open_bank_redirect(
    connector: SendsToBanks, charge: Charge, bank: BankEntry, case: ConnectorCase
) -> Redirect:
    """Demand the address of a bank's page, let a customer open it, and return it."""
    page = _sent(
        await start_bank_redirect(connector, charge, bank, case), connector.redirect_origins
    )
    if case.visit_bank is not None:
        await case.visit_bank(page)
    return page


async def charge_card(connector: Connector, case: ConnectorCase, *, capture: bool) -> Charge:
    """Charge or hold a good card in the connector's way."""
    charge = new_charge(case)
    answer = None
    if isinstance(connector, AuthenticatesCards):
        passed = await pass_challenge(connector, charge, case.good_card, case)
        answer = await connector.authorise(charge, authentication_id=passed, capture=capture)
    elif isinstance(connector, ChargesMoto):
        answer = await connector.charge_moto(charge, case.good_card, capture=capture)
    elif isinstance(connector, ChargesCards):
        charge = await pay_directly(connector, case, capture=capture)
        answer = await connector.inquire(charge.reference)
    elif isinstance(connector, HostsCheckout):
        charge = await pay_on_page(connector, case, capture=capture)
        answer = await connector.inquire(charge.reference)
    demand(
        isinstance(answer, Approved) and answer.authorised_only is not capture,
        "a charge is held unless it is captured",
    )
    return charge


async def pay_by_link(connector: MakesUpiLinks, case: ConnectorCase) -> Charge:
    """Get a link and pay by it."""
    charge = new_charge(case)
    link = await connector.upi_link(charge, expires_in_s=EXPIRES_IN_S)
    if not isinstance(link, UpiLink) or case.pay_link is None:
        raise ContractBrokenError(f"a charge gets a UPI link, and the tests pay by it, not {link}")
    await case.pay_link(charge, link)
    await case.settled(charge.reference)
    return charge


async def open_checkout(
    connector: HostsCheckout,
    charge: Charge,
    case: ConnectorCase,
    *,
    method: str = "card",
    capture: bool,
) -> Redirect | Declined | Unknown:
    """Ask for the acquirer's page, and demand that it is at one of its origins."""
    page = await connector.start_checkout(
        charge,
        method=method,
        return_url=case.return_url,
        expires_in_s=EXPIRES_IN_S,
        capture=capture,
    )
    return _sent(page, connector.checkout_origins) if isinstance(page, Redirect) else page


async def pay_on_page(connector: HostsCheckout, case: ConnectorCase, *, capture: bool) -> Charge:
    """Pay on the acquirer's own page, or let it hold the amount."""
    charge = new_charge(case)
    await play_page(charge, await open_checkout(connector, charge, case, capture=capture), case)
    return charge


async def play_page(
    charge: Charge, page: Redirect | Declined | Unknown, case: ConnectorCase
) -> None:
    """Pay on a page of the acquirer's."""
    if not isinstance(page, Redirect) or case.pay_page is None:
        raise ContractBrokenError(f"a charge gets a page, and the tests pay on it, not {page}")
    await case.pay_page(charge, page)
    await case.settled(charge.reference)


async def pay_directly(connector: ChargesCards, case: ConnectorCase, *, capture: bool) -> Charge:
    """Charge or hold the good card in one step, and pass its challenge."""
    charge = new_charge(case)
    await charge_typed(connector, charge, case.good_card, case, capture=capture)
    return charge


async def charge_typed(
    connector: ChargesCards,
    charge: Charge,
    card: CardNumber,
    case: ConnectorCase,
    *,
    capture: bool,
) -> None:
    """Charge or hold a card in one step, and pass its challenge."""
    answer = await connector.charge_card(charge, card, return_url=case.return_url, capture=capture)
    await case.pass_challenge(_sent(answer, connector.direct_origins).url)
    await case.settled(charge.reference)


async def take_payment(connector: Connector, case: ConnectorCase) -> Charge:
    """Pay in one of the connector's ways: by card, by UPI, at a bank's or the acquirer's page."""
    charge = new_charge(case)
    if isinstance(connector, AuthenticatesCards | ChargesMoto):
        return await charge_card(connector, case, capture=True)
    if isinstance(connector, MakesUpiLinks):
        return await pay_by_link(connector, case)
    if isinstance(connector, ChargesCards):
        return await pay_directly(connector, case, capture=True)
    if isinstance(connector, HostsCheckout):
        return await pay_on_page(connector, case, capture=True)
    if isinstance(connector, OffersUpi):
        await start_collect(connector, charge, case)
    elif isinstance(connector, SendsToBanks):
        bank = demand_list(await connector.banks())[0]
        await case.pay_at_bank((await open_bank_redirect(connector, charge, bank, case)).url)
    await case.settled(charge.reference)
    return charge
