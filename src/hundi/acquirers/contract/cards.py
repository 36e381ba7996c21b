"""The contract of connectors that take cards."""

from hundi.acquirers.contract.steps import (
    AMOUNT,
    OTHER_AMOUNT,
    ConnectorCase,
    charge_card,
    demand,
    demand_moved,
    new_charge,
    pass_challenge,
    start_challenge,
)
from hundi.acquirers.port.answers import Approved, Authentication, Declined, Unknown
from hundi.acquirers.port.cards import AuthenticatesCards, ChargesMoto, IdentifiesCards
from hundi.acquirers.port.payments import Connector
from hundi.instruments.card import CARD_TYPES, CardFacts
from hundi.kernel.records import replace


async def check_card(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a card is authenticated and charged or authorised once, also when asked twice."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = new_charge(case)
    challenge = await start_challenge(connector, charge, case.good_card, case)
    demand(
        isinstance(await connector.authentication(challenge.authentication_id), Unknown),
        "an open challenge is open",
    )
    await case.pass_challenge(challenge.url)
    ended = await connector.authentication(challenge.authentication_id)
    demand(
        isinstance(ended, Authentication) and ended.trans_status == "Y",
        "a passed challenge ends with Y",
    )
    first = await connector.authorise(
        charge, authentication_id=challenge.authentication_id, capture=True
    )
    again = await connector.authorise(
        charge, authentication_id=challenge.authentication_id, capture=True
    )
    demand_moved(first, AMOUNT, "a good card is approved")
    demand(
        isinstance(first, Approved) and first.card and len(first.card.last4) == len("1111"),
        "four digits return",
    )
    demand(first == again, "the same authorisation again is the same answer")
    demand_moved(
        await connector.inquire(charge.reference), AMOUNT, "an approved charge is found by inquiry"
    )
    await charge_card(connector, case, capture=False)


async def check_card_declined(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a decline is an answer with the bank's code."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = new_charge(case)
    passed = await pass_challenge(connector, charge, case.declined_card, case)
    answer = await connector.authorise(charge, authentication_id=passed, capture=True)
    demand(isinstance(answer, Declined) and answer.code, "a declined card is Declined with a code")
    demand(
        isinstance(await connector.inquire(charge.reference), Declined),
        "a declined charge is found declined",
    )


async def check_challenge_failed(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a failed challenge never reads as Y.

    An authorisation after it moves no money.
    """
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = new_charge(case)
    challenge = await start_challenge(connector, charge, case.good_card, case)
    await case.fail_challenge(challenge.url)
    ended = await connector.authentication(challenge.authentication_id)
    demand(
        isinstance(ended, Authentication) and ended.trans_status != "Y",
        "a failed challenge is not Y",
    )
    answer = await connector.authorise(
        charge, authentication_id=challenge.authentication_id, capture=True
    )
    demand(not isinstance(answer, Approved), "nothing is charged without authentication")


async def check_identification(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a card's type is known before it is charged.

    Asking for it moves no money.
    """
    if not isinstance(connector, IdentifiesCards):
        return
    facts = await connector.identify_card(case.good_card)
    demand(
        isinstance(facts, CardFacts) and facts.type in CARD_TYPES,
        "a card is credit, debit or prepaid",
    )
    demand(
        isinstance(facts, CardFacts) and facts.last4 == case.good_card.number[-4:],
        "four digits return",
    )
    demand(
        facts == await connector.identify_card(case.good_card), "the same card is the same again"
    )


async def check_moto(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a card without its holder is charged or held once.

    A decline has the bank's code.
    """
    if not isinstance(connector, ChargesMoto):
        return
    charge, held, declined = (new_charge(case) for _ in range(3))
    first, again = [
        await connector.charge_moto(charge, case.good_card, capture=True) for _ in range(2)
    ]
    demand_moved(first, AMOUNT, "a good card is approved without its holder")
    demand(first == again, "the same MOTO charge again is the same answer")
    demand_moved(
        await connector.inquire(charge.reference), AMOUNT, "an MOTO charge is found by inquiry"
    )
    other = replace(charge, amount=OTHER_AMOUNT)
    answer = await connector.charge_moto(other, case.good_card, capture=True)
    demand(not isinstance(answer, Approved), "a reference belongs to one amount")
    answer = await connector.charge_moto(held, case.good_card, capture=False)
    demand(
        isinstance(answer, Approved) and answer.authorised_only, "an uncaptured MOTO charge is held"
    )
    answer = await connector.charge_moto(declined, case.declined_card, capture=True)
    demand(isinstance(answer, Declined) and answer.code, "a declined card is Declined with a code")
