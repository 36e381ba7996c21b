"""What every connector owes the gateway, as checks that any connector's tests can run against its network."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hundi.connectors.port import (
    Approved,
    AuthenticatesCards,
    Authentication,
    CardNumber,
    Charge,
    Connector,
    Declined,
    NothingThere,
    OffersUpi,
    Redirect,
    SpeaksBack,
    Unknown,
)


class ContractBrokenError(AssertionError):
    """A connector does not keep a promise of the port; the text names the promise."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a connector's tests bring along, because only they know their network.

    new_reference: a reference never used before. good_card, declined_card: what the network approves and declines.
    good_vpa: an address that pays. pass_challenge, fail_challenge: play the customer at a challenge address.
    settled: wait (bounded) until the network has decided about a reference, then return.
    """

    new_reference: Callable[[], str]
    good_card: CardNumber
    declined_card: CardNumber
    good_vpa: str
    pass_challenge: Callable[[str], Awaitable[None]]
    fail_challenge: Callable[[str], Awaitable[None]]
    settled: Callable[[str], Awaitable[None]]
    return_url: str = "https://pay.example.in/pay/v4/s/x/3ds/1"


Check = Callable[[Connector, Given], Awaitable[None]]
_AMOUNT_PAISE = 149_950
_OTHER_AMOUNT_PAISE = 149_951


def _demand(kept: object, promise: str) -> None:
    if not kept:
        raise ContractBrokenError(promise)


def _charge(given: Given, amount_paise: int = _AMOUNT_PAISE) -> Charge:
    return Charge(given.new_reference(), amount_paise, "INR")


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
        answer = await connector.collect(
            charge, payer_vpa=given.good_vpa, payee_name="Contract", note="order", expires_in_s=300
        )
        _demand(isinstance(answer, Unknown), "a collect request is never decided at once")
    await given.settled(charge.reference)
    end = await connector.inquire(charge.reference)
    _demand(isinstance(end, Approved), "an approved collect request is found paid")
    _demand(isinstance(end, Approved) and end.amount_paise == _AMOUNT_PAISE, "the bank says the amount it moved")
    _demand(isinstance(end, Approved) and end.rrn, "a paid attempt has an RRN")


async def check_card(connector: Connector, given: Given) -> None:
    """Challenge, authorise once, authorise again, and prove that it was one charge with one RRN."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    visit = await _challenged(connector, charge, given.good_card, given)
    _demand(
        isinstance(await connector.authentication(visit.authentication_id), Unknown), "an open challenge is Unknown"
    )
    await given.pass_challenge(visit.url)
    ended = await connector.authentication(visit.authentication_id)
    _demand(isinstance(ended, Authentication) and ended.trans_status == "Y", "a passed challenge ends with Y")
    first = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=True)
    again = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=True)
    _demand(isinstance(first, Approved) and not first.held, "a good card is approved and the money moved")
    _demand(isinstance(first, Approved) and first.amount_paise == _AMOUNT_PAISE, "the bank says the amount it moved")
    _demand(
        isinstance(first, Approved) and first.card and len(first.card.last4) == len("1111"), "only four digits return"
    )
    _demand(first == again, "the same authorisation again is the same answer")
    _demand(isinstance(await connector.inquire(charge.reference), Approved), "an approved charge is found by inquiry")


async def check_card_held(connector: Connector, given: Given) -> None:
    """Prove that an authorisation without capture holds the amount."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    visit = await _challenged(connector, charge, given.good_card, given)
    await given.pass_challenge(visit.url)
    answer = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=False)
    _demand(isinstance(answer, Approved) and answer.held, "an uncaptured authorisation is held")


async def check_card_declined(connector: Connector, given: Given) -> None:
    """Prove that a business "no" is an answer with the bank's code."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = _charge(given)
    visit = await _challenged(connector, charge, given.declined_card, given)
    await given.pass_challenge(visit.url)
    answer = await connector.authorise(charge, authentication_id=visit.authentication_id, capture=True)
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
    visit = await _challenged(connector, charge, given.good_card, given)
    await given.pass_challenge(visit.url)
    other = Charge(charge.reference, _OTHER_AMOUNT_PAISE, charge.currency)
    answer = await connector.authorise(other, authentication_id=visit.authentication_id, capture=True)
    _demand(not isinstance(answer, Approved), "a reference belongs to one amount")


async def check_callbacks_need_a_signature(connector: Connector, given: Given) -> None:
    """Prove that an unsigned body is no word of the bank, and its reference is good for an inquiry only."""
    if not isinstance(connector, SpeaksBack):
        return
    reference = given.new_reference()
    body = f'{{"event_id":"1","reference":"{reference}","status":"paid","amount_paise":1,"currency":"INR"}}'.encode()
    _demand(connector.read_callback({}, body, now_s=0) is None, "an unsigned callback is not believed")
    _demand(connector.claimed_reference(b"\xff{") == "", "an unreadable callback claims nothing")


async def _challenged(connector: AuthenticatesCards, charge: Charge, card: CardNumber, given: Given) -> Redirect:
    answer = await connector.authenticate(charge, card, return_url=given.return_url)
    if not isinstance(answer, Redirect):
        promise = f"a well-formed card gets a challenge, not {answer}"
        raise ContractBrokenError(promise)
    allowed = any(answer.url.startswith(origin + "/") for origin in connector.browser_origins)
    _demand(allowed, "a challenge is at one of the connector's browser origins")
    return answer


CHECKS: tuple[Check, ...] = (
    check_unknown_reference,
    check_schedule,
    check_collect,
    check_card,
    check_card_held,
    check_card_declined,
    check_challenge_failed,
    check_amount_is_part_of_the_key,
    check_callbacks_need_a_signature,
)
