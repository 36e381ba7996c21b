"""The contract of connectors about payments: charges, cards, holds, refunds, and pages of banks."""

import asyncio
import re

from hundi.acquirers.calls.test_instruments import TEST_CARD_NUMBERS, TEST_VPA_HANDLES
from hundi.acquirers.contract.steps import (
    AMOUNT,
    HALF,
    OTHER_AMOUNT,
    ConnectorCase,
    ContractBrokenError,
    charge_card,
    demand,
    demand_list,
    demand_moved,
    new_charge,
    open_bank_redirect,
    pass_challenge,
    start_bank_redirect,
    start_collect,
    take_payment,
)
from hundi.acquirers.port.answers import (
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    Redirect,
    RegisteredName,
    Unknown,
    Voided,
)
from hundi.acquirers.port.cards import AuthenticatesCards, ChargesMoto, IdentifiesCards
from hundi.acquirers.port.checkout import ChargesCards
from hundi.acquirers.port.payments import (
    ChecksAddresses,
    CompletesAuthorisations,
    Connector,
    OffersUpi,
    RefundOrder,
    Refunds,
    SendsToBanks,
    SpeaksBack,
)
from hundi.instruments.card import CardNumber
from hundi.kernel.money import Money
from hundi.kernel.records import replace

_CODE = re.compile(r"[A-Z]{4}(_C)?\Z")


async def check_unknown_reference(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a reference that was never sent is unknown to the bank, not declined."""
    answer = await connector.inquire(case.new_reference())
    demand(isinstance(answer, NothingThere), "an unused reference answers NothingThere")


async def check_collect(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a collect request ends paid with the bank's amount.

    A repeat moves no money.
    """
    if not isinstance(connector, OffersUpi):
        return
    charge = new_charge(case)
    for _ in range(2):
        await start_collect(connector, charge, case)
    await case.settled(charge.reference)
    demand_moved(
        await connector.inquire(charge.reference),
        AMOUNT,
        "an approved collect request is found paid",
    )


async def check_amount_is_part_of_the_key(connector: Connector, case: ConnectorCase) -> None:
    """Prove that the same reference with another amount is never approved for that amount."""
    if not isinstance(connector, AuthenticatesCards):
        return
    charge = new_charge(case)
    passed = await pass_challenge(connector, charge, case.good_card, case)
    other = replace(charge, amount=OTHER_AMOUNT)
    answer = await connector.authorise(other, authentication_id=passed, capture=True)
    demand(not isinstance(answer, Approved), "a reference belongs to one amount")


async def check_capture(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a hold is captured once and not voided then.

    It is captured in part where the bank can do that.
    """
    if not isinstance(connector, CompletesAuthorisations):
        return
    original = (await charge_card(connector, case, capture=False)).reference
    answer = await connector.capture(original, OTHER_AMOUNT)
    demand(
        isinstance(answer, Declined) and answer.code, "more than is held is Declined with a code"
    )
    answer = await connector.inquire(original)
    demand(
        isinstance(answer, Approved) and answer.authorised_only,
        "a hold stays held when its capture is declined",
    )
    first, taken = await connector.capture(original, HALF), HALF
    if isinstance(first, Declined):
        demand(first.code, "a bank that captures no part says so with a code")
        first, taken = await connector.capture(original, AMOUNT), AMOUNT
    again = await connector.capture(original, taken)
    demand_moved(first, taken, "a hold is captured")
    demand(first == again, "the same capture again is the same answer")
    answer = await connector.capture(original, taken - Money(1))
    demand(not isinstance(answer, Approved), "a hold is captured with one amount")
    demand(
        not isinstance(await connector.void(original), Voided), "what is captured cannot be voided"
    )
    demand_moved(
        await connector.inquire(original), taken, "a captured hold is found with what was captured"
    )


async def check_void(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a hold is voided once, and not captured afterwards."""
    if not isinstance(connector, CompletesAuthorisations):
        return
    original = (await charge_card(connector, case, capture=False)).reference
    first = await connector.void(original)
    if case.lapse_hold is not None:
        demand(isinstance(first, Unknown), "a hold that only time gives back is not voided before")
        await case.lapse_hold(original)
        first = await connector.void(original)
    again = await connector.void(original)
    demand(isinstance(first, Voided), "a hold can be given back")
    demand(first == again, "the same void again is the same answer")
    answer = await connector.capture(original, AMOUNT)
    demand(not isinstance(answer, Approved), "what is voided cannot be captured")
    demand(isinstance(await connector.inquire(original), Voided), "a void is found by inquiry")


async def check_hold_ends_one_way(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a hold is either captured or voided, and that no other payment is."""
    if not isinstance(connector, CompletesAuthorisations):
        return
    original = (await charge_card(connector, case, capture=False)).reference
    captured, voided = await asyncio.gather(
        connector.capture(original, AMOUNT), connector.void(original)
    )
    demand(isinstance(captured, Approved) != isinstance(voided, Voided), "a hold ends one way")
    demand(
        isinstance(await connector.inquire(original), Voided) == isinstance(voided, Voided),
        "a hold ends one way",
    )
    for other in (
        case.new_reference(),
        (await charge_card(connector, case, capture=True)).reference,
    ):
        answers = await connector.capture(other, AMOUNT), await connector.void(other)
        demand(
            not any(isinstance(each, Approved | Voided) for each in answers),
            "only a hold is captured or voided",
        )


async def check_refunds(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a refund happens once for each reference, and never exceeds the payment."""
    if not isinstance(connector, Refunds):
        return
    gaps = connector.refund_schedule.gaps_s
    demand(gaps and all(gap > 0 for gap in gaps), "the refund schedule has positive gaps")
    paid = await take_payment(connector, case)
    half, equal = (RefundOrder(case.new_reference(), paid.reference, HALF) for _ in range(2))
    demand(
        isinstance(await connector.inquire_refund(half.reference), NothingThere),
        "an unused refund is not there",
    )
    for order in (half, half, equal):
        demand(
            not isinstance(await connector.refund(order), Declined),
            "a refund of what was paid is not declined",
        )
        await case.refund_settled(order.reference)
        demand_moved(
            await connector.inquire_refund(order.reference), HALF, "a refund is found by inquiry"
        )
    answer = await connector.refund(replace(half, amount=Money(1)))
    demand(not isinstance(answer, Approved), "a refund's reference belongs to one amount")
    for original in (paid.reference, case.new_reference()):
        order = RefundOrder(case.new_reference(), original, Money(1))
        demand(
            not isinstance(await connector.refund(order), Approved),
            "no more goes back than was paid",
        )
        await case.refund_settled(order.reference)
        demand(
            not isinstance(await connector.inquire_refund(order.reference), Approved),
            "nothing went back",
        )


async def check_redirects(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a redirect to each kind of bank ends paid once, or left.

    A repeat with the same reference has the same amount.
    """
    if not isinstance(connector, SendsToBanks):
        return
    banks = demand_list(await connector.banks())
    demand(
        len({(each.method, each.code) for each in banks}) == len(banks), "every bank is listed once"
    )
    demand(
        all(_CODE.match(each.code) for each in banks),
        "a bank's code is four letters, with `_C` for companies",
    )
    demand(
        {each.method for each in banks} <= {"netbanking", "wallet", "pay_later", "enach"},
        "a redirect is to a bank, wallet or lender",
    )
    for bank in {each.method: each for each in reversed(banks) if each.method != "enach"}.values():
        charge, left = new_charge(case), new_charge(case)
        address = await open_bank_redirect(connector, charge, bank, case)
        demand(
            await open_bank_redirect(connector, charge, bank, case) == address,
            "a repeat is the same redirect",
        )
        answer = await connector.inquire(charge.reference)
        demand(
            isinstance(answer, Unknown) and answer.awaiting_customer,
            "an open redirect waits for its customer",
        )
        answer = await start_bank_redirect(
            connector, replace(charge, amount=OTHER_AMOUNT), bank, case
        )
        demand(not isinstance(answer, Redirect), "a reference belongs to one amount")
        await case.pay_at_bank(address.url)
        await case.settled(charge.reference)
        demand_moved(
            await connector.inquire(charge.reference), AMOUNT, "a paid redirect is found paid"
        )
        await case.leave_bank((await open_bank_redirect(connector, left, bank, case)).url)
        await case.settled(left.reference)
        answer = await connector.inquire(left.reference)
        demand(
            isinstance(answer, Declined) and answer.left,
            "a customer who left was asked for nothing",
        )
    answer = await start_bank_redirect(
        connector, new_charge(case), replace(banks[0], code="NOBODY"), case
    )
    demand(isinstance(answer, Declined), "nobody is sent to a bank that is not listed")


async def check_addresses(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a registered UPI address has a name, and no other address has one."""
    if not isinstance(connector, ChecksAddresses):
        return
    somebody = await connector.check_address(case.good_vpa)
    demand(
        isinstance(somebody, RegisteredName) and somebody.name,
        "the network says who has an address",
    )
    nobody = await connector.check_address(case.nobody_vpa)
    demand(isinstance(nobody, NotRegistered), "the network says that nobody has an address")
    demand(
        not isinstance(await connector.check_address("no address"), RegisteredName),
        "no address has no name",
    )


async def check_test_instruments(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a live connector answers test cards and addresses without a call.

    The registry keeps the same rule (`acquirers.calls.front`): real money is protected twice.
    """
    if connector.simulated:
        return
    if case.calls_made is None:
        raise ContractBrokenError("tests of a live connector count the calls that its network gets")
    before = case.calls_made()
    for number in sorted(TEST_CARD_NUMBERS):
        await _decline_test_card(connector, replace(case.good_card, number=number), case)
    for handle in sorted(TEST_VPA_HANDLES):
        address = f"success@{handle}"
        if isinstance(connector, OffersUpi):
            fields = {"payee_name": "Contract", "note": "order", "expires_in_s": 300}
            answer = await connector.collect(new_charge(case), payer_vpa=address, **fields)
            demand(isinstance(answer, Declined), "a test address is declined")
        if isinstance(connector, ChecksAddresses):
            demand(
                isinstance(await connector.check_address(address), NotRegistered),
                "a test address is nobody's",
            )
    demand(case.calls_made() == before, "no test card and no test address reaches a live acquirer")


async def _decline_test_card(connector: Connector, card: CardNumber, case: ConnectorCase) -> None:
    """Demand that a card is declined in every way in which a connector charges one."""
    charge = new_charge(case)
    if isinstance(connector, AuthenticatesCards):
        answer = await connector.authenticate(charge, card, return_url=case.return_url)
        demand(isinstance(answer, Declined), "a test card is declined")
    if isinstance(connector, ChargesCards):
        answer = await connector.charge_card(charge, card, return_url=case.return_url, capture=True)
        demand(isinstance(answer, Declined), "a test card is declined")
    if isinstance(connector, IdentifiesCards):
        demand(isinstance(await connector.identify_card(card), Declined), "a test card is declined")
    if isinstance(connector, ChargesMoto):
        answer = await connector.charge_moto(charge, card, capture=True)
        demand(isinstance(answer, Declined), "a test card is declined")


async def check_callbacks_need_a_signature(connector: Connector, case: ConnectorCase) -> None:
    """Prove that an unsigned body is not believed.

    Its reference only causes an inquiry.
    """
    if not isinstance(connector, SpeaksBack):
        return
    reference = case.new_reference()
    body = (
        f'{{"event_id":"1","reference":"{reference}","status":"paid","amount_paise":1,'
        f'"currency":"INR"}}'.encode()
    )
    demand(
        connector.read_callback({}, body, now_s=0) is None, "an unsigned callback is not believed"
    )
    demand(connector.claimed_reference(b"\xff{") == "", "an unreadable callback claims nothing")
