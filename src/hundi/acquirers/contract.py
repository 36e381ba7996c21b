"""What every connector owes the gateway, as checks that any connector's tests can run against its network."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from hundi.acquirers.port import (
    Approved,
    AuthenticatesCards,
    Authentication,
    BankEntry,
    CardNumber,
    Charge,
    ChargesMoto,
    ChecksAddresses,
    CompletesAuthorisations,
    Connector,
    Declined,
    InstalmentPlan,
    NothingThere,
    NotRegistered,
    OffersInstalments,
    OffersUpi,
    Redirect,
    RefundOrder,
    Refunds,
    RegisteredName,
    SendsToBanks,
    SpeaksBack,
    Unknown,
    Voided,
)


class ContractBrokenError(AssertionError):
    """A connector does not keep a promise of the port; the text names the promise."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a connector's tests bring along, because only they know their network.

    new_reference: a reference never used before. good_card, declined_card: what the network approves and declines.
    card_of: a good card of a bank that offers instalments, by the bank's code.
    good_vpa: an address that pays. nobody_vpa: a well-formed one that nobody has.
    pass_challenge, fail_challenge: play the customer at a challenge address; pay_visit, leave_visit: at a bank's page.
    settled: wait (bounded) until the network has decided about a reference, then return; refund_settled: a refund's.
    """

    new_reference: Callable[[], str]
    good_card: CardNumber
    declined_card: CardNumber
    card_of: Callable[[str], CardNumber]
    good_vpa: str
    nobody_vpa: str
    pass_challenge: Callable[[str], Awaitable[None]]
    fail_challenge: Callable[[str], Awaitable[None]]
    pay_visit: Callable[[str], Awaitable[None]]
    leave_visit: Callable[[str], Awaitable[None]]
    settled: Callable[[str], Awaitable[None]]
    refund_settled: Callable[[str], Awaitable[None]]
    return_url: str = "https://pay.example.in/pay/v4/s/x/3ds/1"


_Listed = TypeVar("_Listed", BankEntry, InstalmentPlan)
Check = Callable[[Connector, Given], Awaitable[None]]
_AMOUNT_PAISE, _OTHER_AMOUNT_PAISE = 149_950, 149_951
_HALF_PAISE = _AMOUNT_PAISE // 2
_MONTHS_NOBODY_OFFERS = 59


def _demand(kept: object, promise: str) -> None:
    if not kept:
        raise ContractBrokenError(promise)


def _charge(given: Given, amount_paise: int = _AMOUNT_PAISE) -> Charge:
    return Charge(given.new_reference(), amount_paise, "INR")


def _demand_moved(answer: object, amount_paise: int, when: str) -> None:
    _demand(isinstance(answer, Approved) and not answer.authorised_only, f"{when}: the money moved, not {answer}")
    _demand(isinstance(answer, Approved) and answer.amount_paise == amount_paise, "the bank says the amount it moved")
    _demand(isinstance(answer, Approved) and answer.rrn, "money that moved has an RRN")


async def check_unknown_reference(connector: Connector, given: Given) -> None:
    """Prove that the bank knows nothing of a reference that was never sent, and that this is not a "no"."""
    answer = await connector.inquire(given.new_reference())
    _demand(isinstance(answer, NothingThere), "an unused reference answers NothingThere")


async def check_schedule(connector: Connector, given: Given) -> None:  # noqa: ARG001 (one shape for every check)
    """Prove that the inquiry schedule is there, and that it is positive and ends."""
    gaps = connector.inquiry_schedule.gaps_s
    _demand(gaps and all(gap > 0 for gap in gaps), "the inquiry schedule has positive gaps")


async def check_collect(connector: Connector, given: Given) -> None:
    """Prove that a collect request ends paid with the bank's own amount, and asking twice moves money once."""
    if not isinstance(connector, OffersUpi):
        return
    charge = _charge(given)
    for _ in range(2):
        await _collected(connector, charge, given)
    await given.settled(charge.reference)
    _demand_moved(await connector.inquire(charge.reference), _AMOUNT_PAISE, "an approved collect request is found paid")


async def check_card(connector: Connector, given: Given) -> None:
    """Challenge, authorise once, authorise again, and prove that it was one charge, or a hold if that is asked for."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    visit = await _challenged(connector, charge, given.good_card, given)
    _demand(isinstance(await connector.authentication(visit.authentication_id), Unknown), "an open challenge is open")
    await given.pass_challenge(visit.url)
    ended = await connector.authentication(visit.authentication_id)
    _demand(isinstance(ended, Authentication) and ended.trans_status == "Y", "a passed challenge ends with Y")
    first = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=True)
    again = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=True)
    _demand_moved(first, _AMOUNT_PAISE, "a good card is approved")
    _demand(isinstance(first, Approved) and first.card and len(first.card.last4) == len("1111"), "four digits return")
    _demand(first == again, "the same authorisation again is the same answer")
    _demand_moved(await connector.inquire(charge.reference), _AMOUNT_PAISE, "an approved charge is found by inquiry")
    await _taken_by_card(connector, given, capture=False)


async def check_card_declined(connector: Connector, given: Given) -> None:
    """Prove that a business "no" is an answer with the bank's code."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    passed = await _passed(connector, charge, given.declined_card, given)
    answer = await connector.authorise(charge, authentication_id=passed, capture=True)
    _demand(isinstance(answer, Declined) and answer.code, "a declined card is Declined with a code")
    _demand(isinstance(await connector.inquire(charge.reference), Declined), "a declined charge is found declined")


async def check_challenge_failed(connector: Connector, given: Given) -> None:
    """Prove that a failed challenge never reads as Y, and an authorisation after it moves nothing."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    visit = await _challenged(connector, charge, given.good_card, given)
    await given.fail_challenge(visit.url)
    ended = await connector.authentication(visit.authentication_id)
    _demand(isinstance(ended, Authentication) and ended.trans_status != "Y", "a failed challenge is not Y")
    answer = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=True)
    _demand(not isinstance(answer, Approved), "nothing is charged without authentication")


async def check_amount_is_part_of_the_key(connector: Connector, given: Given) -> None:
    """Prove that the same reference with another amount is never approved for that amount."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    passed = await _passed(connector, charge, given.good_card, given)
    other = replace(charge, amount_paise=_OTHER_AMOUNT_PAISE)
    answer = await connector.authorise(other, authentication_id=passed, capture=True)
    _demand(not isinstance(answer, Approved), "a reference belongs to one amount")


async def check_unattended(connector: Connector, given: Given) -> None:
    """Prove that a card whose holder is away is charged or held once, and declined with the bank's code."""
    if not isinstance(connector, ChargesMoto):
        return
    charge, held, declined = (_charge(given) for _ in range(3))
    first, again = [await connector.charge_moto(charge, given.good_card, capture=True) for _ in range(2)]
    _demand_moved(first, _AMOUNT_PAISE, "a good card is approved without its holder")
    _demand(first == again, "the same unattended charge again is the same answer")
    _demand_moved(await connector.inquire(charge.reference), _AMOUNT_PAISE, "an unattended charge is found by inquiry")
    other = replace(charge, amount_paise=_OTHER_AMOUNT_PAISE)
    answer = await connector.charge_moto(other, given.good_card, capture=True)
    _demand(not isinstance(answer, Approved), "a reference belongs to one amount")
    answer = await connector.charge_moto(held, given.good_card, capture=False)
    _demand(isinstance(answer, Approved) and answer.authorised_only, "an uncaptured unattended charge is held")
    answer = await connector.charge_moto(declined, given.declined_card, capture=True)
    _demand(isinstance(answer, Declined) and answer.code, "a declined card is Declined with a code")


async def check_capture(connector: Connector, given: Given) -> None:
    """Prove that a hold is collected once, in part too, and then has no other end."""
    if not isinstance(connector, CompletesAuthorisations):
        return
    original = (await _taken_by_card(connector, given, capture=False)).reference
    answer = await connector.capture(original, _OTHER_AMOUNT_PAISE, "INR")
    _demand(isinstance(answer, Declined) and answer.code, "more than is held is Declined with a code")
    answer = await connector.inquire(original)
    _demand(isinstance(answer, Approved) and answer.authorised_only, "a hold stays held when its capture is declined")
    first, again = [await connector.capture(original, _HALF_PAISE, "INR") for _ in range(2)]
    _demand_moved(first, _HALF_PAISE, "a part of a hold is captured")
    _demand(first == again, "the same capture again is the same answer")
    answer = await connector.capture(original, _HALF_PAISE - 1, "INR")
    _demand(not isinstance(answer, Approved), "a hold is captured with one amount")
    _demand(not isinstance(await connector.void(original), Voided), "what is captured cannot be voided")
    _demand_moved(await connector.inquire(original), _HALF_PAISE, "a captured hold is found with what was captured")


async def check_void(connector: Connector, given: Given) -> None:
    """Prove that a hold is given back once, and nothing is collected of it afterwards."""
    if not isinstance(connector, CompletesAuthorisations):
        return
    original = (await _taken_by_card(connector, given, capture=False)).reference
    first, again = await connector.void(original), await connector.void(original)
    _demand(isinstance(first, Voided), "a hold can be given back")
    _demand(first == again, "the same void again is the same answer")
    answer = await connector.capture(original, _AMOUNT_PAISE, "INR")
    _demand(not isinstance(answer, Approved), "what is voided cannot be captured")
    _demand(isinstance(await connector.inquire(original), Voided), "a void is found by inquiry")


async def check_hold_ends_one_way(connector: Connector, given: Given) -> None:
    """Prove that of a capture and a void at once one happens, and what is no hold has no end."""
    if not isinstance(connector, CompletesAuthorisations):
        return
    original = (await _taken_by_card(connector, given, capture=False)).reference
    captured, voided = await asyncio.gather(connector.capture(original, _AMOUNT_PAISE, "INR"), connector.void(original))
    _demand(isinstance(captured, Approved) != isinstance(voided, Voided), "a hold ends one way")
    _demand(isinstance(await connector.inquire(original), Voided) == isinstance(voided, Voided), "a hold ends one way")
    for other in (given.new_reference(), (await _taken_by_card(connector, given, capture=True)).reference):
        answers = await connector.capture(other, _AMOUNT_PAISE, "INR"), await connector.void(other)
        _demand(not any(isinstance(each, Approved | Voided) for each in answers), "only a hold is captured or voided")


async def check_refunds(connector: Connector, given: Given) -> None:
    """Prove that a refund happens once a reference, equal ones happen each, and never more than was paid goes back."""
    if not isinstance(connector, Refunds):
        return
    gaps = connector.refund_schedule.gaps_s
    _demand(gaps and all(gap > 0 for gap in gaps), "the refund schedule has positive gaps")
    paid = await _paid(connector, given)
    half, equal = (RefundOrder(given.new_reference(), paid.reference, _HALF_PAISE, "INR") for _ in range(2))
    _demand(isinstance(await connector.inquire_refund(half.reference), NothingThere), "an unused refund is not there")
    for order in (half, half, equal):
        _demand(not isinstance(await connector.refund(order), Declined), "a refund of what was paid is not declined")
        await given.refund_settled(order.reference)
        _demand_moved(await connector.inquire_refund(order.reference), _HALF_PAISE, "a refund is found by inquiry")
    answer = await connector.refund(replace(half, amount_paise=1))
    _demand(not isinstance(answer, Approved), "a refund's reference belongs to one amount")
    for original in (paid.reference, given.new_reference()):
        order = RefundOrder(given.new_reference(), original, 1, "INR")
        _demand(not isinstance(await connector.refund(order), Approved), "no more goes back than was paid")
        await given.refund_settled(order.reference)
        _demand(not isinstance(await connector.inquire_refund(order.reference), Approved), "nothing went back")


async def check_visits(connector: Connector, given: Given) -> None:
    """Prove that a visit to each kind of bank ends paid once or left, and belongs to one reference and amount."""
    if not isinstance(connector, SendsToBanks):
        return
    banks = _listed(await connector.banks())
    _demand(len({(each.method, each.code) for each in banks}) == len(banks), "every bank is listed once")
    _demand({each.method for each in banks} <= {"netbanking", "wallet"}, "a visit is to a bank or a wallet")
    for bank in {each.method: each for each in reversed(banks)}.values():
        charge, left = _charge(given), _charge(given)
        address = await _visited(connector, charge, bank, given)
        _demand(await _visited(connector, charge, bank, given) == address, "the same visit again is the same visit")
        answer = await connector.inquire(charge.reference)
        _demand(isinstance(answer, Unknown) and answer.awaiting_customer, "an open visit waits for its customer")
        answer = await _asked_to_visit(connector, replace(charge, amount_paise=_OTHER_AMOUNT_PAISE), bank, given)
        _demand(not isinstance(answer, Redirect), "a reference belongs to one amount")
        await given.pay_visit(address.url)
        await given.settled(charge.reference)
        _demand_moved(await connector.inquire(charge.reference), _AMOUNT_PAISE, "a paid visit is found paid")
        await given.leave_visit((await _visited(connector, left, bank, given)).url)
        await given.settled(left.reference)
        answer = await connector.inquire(left.reference)
        _demand(isinstance(answer, Declined) and answer.left, "a customer who left was asked for nothing")
    answer = await _asked_to_visit(connector, _charge(given), replace(banks[0], code="NOBODY"), given)
    _demand(isinstance(answer, Declined), "nobody is sent to a bank that is not listed")


async def check_instalments(connector: Connector, given: Given) -> None:
    """Prove that offered instalments charge the whole amount, and others are declined before anybody is challenged."""
    if not isinstance(connector, OffersInstalments) or not isinstance(connector, AuthenticatesCards):
        return
    plans = _listed(await connector.plans())
    _demand(len({(each.bank_code, each.months) for each in plans}) == len(plans), "every plan is listed once")
    plan, card = plans[0], given.card_of(plans[0].bank_code)
    charge = replace(_charge(given, plan.minimum_paise), emi_bank=plan.bank_code, emi_months=plan.months)
    passed = await _passed(connector, charge, card, given)
    answer = await connector.authorise(charge, authentication_id=passed, capture=True)
    _demand_moved(answer, plan.minimum_paise, "instalments charge the whole amount at once")
    for change in ({"amount_paise": plan.minimum_paise - 1}, {"emi_months": _MONTHS_NOBODY_OFFERS}):
        refused = replace(charge, reference=given.new_reference(), **change)
        answer = await connector.authenticate(refused, card, return_url=given.return_url)
        _demand(isinstance(answer, Declined), "instalments that are not offered are Declined")


async def check_addresses(connector: Connector, given: Given) -> None:
    """Prove that somebody's address has a name, nobody's has none, and what is no address is nobody's either."""
    if not isinstance(connector, ChecksAddresses):
        return
    somebody = await connector.check_address(given.good_vpa)
    _demand(isinstance(somebody, RegisteredName) and somebody.name, "the network says who has an address")
    nobody = await connector.check_address(given.nobody_vpa)
    _demand(isinstance(nobody, NotRegistered), "the network says that nobody has an address")
    _demand(not isinstance(await connector.check_address("no address"), RegisteredName), "no address has no name")


async def check_callbacks_need_a_signature(connector: Connector, given: Given) -> None:
    """Prove that an unsigned body is no word of the bank, and its reference is good for an inquiry only."""
    if not isinstance(connector, SpeaksBack):
        return
    reference = given.new_reference()
    body = f'{{"event_id":"1","reference":"{reference}","status":"paid","amount_paise":1,"currency":"INR"}}'.encode()
    _demand(connector.read_callback({}, body, now_s=0) is None, "an unsigned callback is not believed")
    _demand(connector.claimed_reference(b"\xff{") == "", "an unreadable callback claims nothing")


def _listed(answer: tuple[_Listed, ...] | Unknown) -> tuple[_Listed, ...]:
    _demand(not isinstance(answer, Unknown) and answer, "whoever offers a choice says which")
    return () if isinstance(answer, Unknown) else answer


def _sent(answer: Redirect | Declined | Unknown, origins: tuple[str, ...]) -> Redirect:
    if not isinstance(answer, Redirect):
        promise = f"a well-formed card gets a challenge and a listed bank a customer, not {answer}"
        raise ContractBrokenError(promise)
    allowed = any(answer.url.startswith(origin + "/") for origin in origins)
    _demand(allowed, "a customer is sent to one of the connector's origins")
    return answer


async def _challenged(connector: AuthenticatesCards, charge: Charge, card: CardNumber, given: Given) -> Redirect:
    answer = await connector.authenticate(charge, card, return_url=given.return_url)
    return _sent(answer, connector.browser_origins)


async def _passed(connector: AuthenticatesCards, charge: Charge, card: CardNumber, given: Given) -> str:
    visit = await _challenged(connector, charge, card, given)
    await given.pass_challenge(visit.url)
    return visit.authentication_id


async def _collected(connector: OffersUpi, charge: Charge, given: Given) -> None:
    asked = {"payee_name": "Contract", "note": "order"}
    answer = await connector.collect(charge, payer_vpa=given.good_vpa, **asked, expires_in_s=300)
    _demand(isinstance(answer, Unknown), "a collect request is never decided at once")


async def _asked_to_visit(
    connector: SendsToBanks, charge: Charge, bank: BankEntry, given: Given
) -> Redirect | Declined | Unknown:
    return await connector.start_redirect(charge, method=bank.method, bank_code=bank.code, return_url=given.return_url)


async def _visited(connector: SendsToBanks, charge: Charge, bank: BankEntry, given: Given) -> Redirect:
    return _sent(await _asked_to_visit(connector, charge, bank, given), connector.redirect_origins)


async def _taken_by_card(connector: object, given: Given, *, capture: bool) -> Charge:
    """Charge or hold a good card in the way the connector has."""
    charge = _charge(given)
    answer = None
    if isinstance(connector, AuthenticatesCards):
        passed = await _passed(connector, charge, given.good_card, given)
        answer = await connector.authorise(charge, authentication_id=passed, capture=capture)
    elif isinstance(connector, ChargesMoto):
        answer = await connector.charge_moto(charge, given.good_card, capture=capture)
    _demand(
        isinstance(answer, Approved) and answer.authorised_only is not capture, "a charge is held unless it is captured"
    )
    return charge


async def _paid(connector: Connector, given: Given) -> Charge:
    """Be paid in one of the ways the connector has: by card, else by UPI, else at a bank's page."""
    charge = _charge(given)
    if isinstance(connector, AuthenticatesCards | ChargesMoto):
        return await _taken_by_card(connector, given, capture=True)
    if isinstance(connector, OffersUpi):
        await _collected(connector, charge, given)
    elif isinstance(connector, SendsToBanks):
        bank = _listed(await connector.banks())[0]
        await given.pay_visit((await _visited(connector, charge, bank, given)).url)
    await given.settled(charge.reference)
    return charge


CHECKS: tuple[Check, ...] = (
    check_unknown_reference,
    check_schedule,
    check_collect,
    check_card,
    check_card_declined,
    check_challenge_failed,
    check_amount_is_part_of_the_key,
    check_unattended,
    check_capture,
    check_void,
    check_hold_ends_one_way,
    check_refunds,
    check_visits,
    check_instalments,
    check_addresses,
    check_callbacks_need_a_signature,
)
