"""The contract about what customers agree to for later: saved cards and mandates."""

from datetime import UTC, datetime, timedelta

from hundi.acquirers.calls.aggregators import UPI_MANDATE
from hundi.acquirers.contract.steps import (
    AMOUNT,
    EXPIRES_IN_S,
    HALF,
    ConnectorCase,
    ContractBrokenError,
    charge_typed,
    demand,
    demand_list,
    demand_moved,
    new_charge,
    open_bank_redirect,
    pass_challenge,
    start_challenge,
)
from hundi.acquirers.port.answers import Accepted, Approved, Declined, NothingThere, Redirect
from hundi.acquirers.port.cards import AuthenticatesCards, TakesCardMandates, TokenisesCards
from hundi.acquirers.port.checkout import ChargesCards, MakesUpiLinks, UpiLink
from hundi.acquirers.port.mandates import (
    MandateDebit,
    MandateNotice,
    MandateRequest,
    MandateStanding,
    MandateState,
    NoticeGiven,
)
from hundi.acquirers.port.payments import (
    Charge,
    Connector,
    RefundOrder,
    Refunds,
    TakesBankMandates,
    TakesMandates,
)
from hundi.instruments.methods import CARD_DIRECT, UPI_LINK
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money
from hundi.kernel.records import replace

_YEAR = timedelta(days=365)


async def check_tokens(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a card is saved only on request, and that its token pays until it is ended."""
    if not isinstance(connector, TokenisesCards):
        return

    async def charged(request: Charge, authentication_id: str) -> str:
        answer = await connector.authorise(
            request, authentication_id=authentication_id, capture=True
        )
        demand_moved(answer, AMOUNT, "a good card is approved")
        return answer.card.token if isinstance(answer, Approved) and answer.card else ""

    plain = new_charge(case)
    token = await charged(plain, await pass_challenge(connector, plain, case.good_card, case))
    demand(not token, "a card that nobody asked to keep has no token")
    kept = replace(new_charge(case), save_card=True)
    token = await charged(kept, await pass_challenge(connector, kept, case.good_card, case))
    demand(
        bool(token) and case.good_card.number not in token,
        "a kept card has a token, which is not its number",
    )
    again = new_charge(case)
    challenge = await connector.authenticate_token(again, token, return_url=case.return_url)
    demand(isinstance(challenge, Redirect), "a kept card is challenged like a typed one")
    if isinstance(challenge, Redirect):
        await case.pass_challenge(challenge.url)
        demand(
            await charged(again, challenge.authentication_id) == token,
            "a kept card keeps its token",
        )
    for _ in range(2):
        demand(
            isinstance(await connector.end_token(token), Accepted),
            "a token ends, also when asked twice",
        )
    after = await connector.authenticate_token(new_charge(case), token, return_url=case.return_url)
    demand(isinstance(after, Declined), "a token that has ended pays nothing")


async def check_mandates(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a notice and a debit of an unapproved mandate are declined."""
    if not isinstance(connector, TakesMandates):
        return
    nobodys, charge = case.new_reference(), new_charge(case)
    demand(
        not isinstance(await connector.inquire_mandate(nobodys), MandateStanding),
        "nobody says how an unknown mandate stands",
    )
    noticed = await connector.give_notice(_notice(case, nobodys, charge.amount))
    demand(
        isinstance(noticed, Declined) and noticed.mandate_over,
        "a notice of an unknown mandate says that it is over",
    )
    for _ in range(2):
        debited = await connector.debit_mandate(
            MandateDebit(charge.reference, nobodys, 1, charge.amount, case.new_reference())
        )
        demand(
            isinstance(debited, Declined) and debited.mandate_over,
            "an unknown mandate is debited by nobody",
        )
    found = await connector.inquire(charge.reference)
    demand(isinstance(found, Declined | NothingThere), "a refused debit moved nothing")


async def check_card_mandates(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a challenge approves a mandate with its payment.

    A failed challenge approves nothing.
    """
    if not isinstance(connector, TakesCardMandates) or not isinstance(
        connector, AuthenticatesCards
    ):
        return
    refused, approved = (replace(new_charge(case), mandate=_mandate()) for _ in range(2))
    await case.fail_challenge((await start_challenge(connector, refused, case.good_card, case)).url)
    noticed = await connector.give_notice(_notice(case, refused.reference, HALF))
    demand(
        isinstance(noticed, Declined) and noticed.mandate_over,
        "a failed challenge approves no mandate",
    )
    passed = await pass_challenge(connector, approved, case.good_card, case)
    answer = await connector.authorise(approved, authentication_id=passed, capture=True)
    demand_moved(answer, AMOUNT, "the approval of a mandate is paid")
    await _check_approved(connector, approved.reference, case)
    await _check_ended(connector, approved.reference, case)


async def check_bank_mandates(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a bank's page approves a mandate and answers its debits later."""
    if not isinstance(connector, TakesBankMandates):
        return
    bank = next(
        (each for each in demand_list(await connector.banks()) if each.method == "enach"), None
    )
    demand(bank, "whoever takes mandates of bank accounts says at which banks")
    if bank is None:
        return
    left, approved = (replace(new_charge(case), mandate=_mandate()) for _ in range(2))
    await case.leave_bank((await open_bank_redirect(connector, left, bank, case)).url)
    noticed = await connector.give_notice(_notice(case, left.reference, HALF))
    demand(
        isinstance(noticed, Declined) and noticed.mandate_over,
        "a customer who left approved no mandate",
    )
    await case.pay_at_bank((await open_bank_redirect(connector, approved, bank, case)).url)
    await case.settled(approved.reference)
    answer = await connector.inquire(approved.reference)
    demand_moved(answer, AMOUNT, "the first amount is collected with the registration")
    notice = _notice(case, approved.reference, HALF)
    given = await connector.give_notice(notice)
    demand(isinstance(given, NoticeGiven), "a notice of a registered mandate is taken")
    debit = _debit(case, notice, given)
    for _ in range(2):
        presented = await connector.debit_mandate(debit)
        demand(
            not isinstance(presented, Declined),
            f"a debit is presented, also when asked twice, not {presented}",
        )
    demand(
        not isinstance(await connector.inquire(debit.reference), NothingThere),
        "a presented debit is found",
    )
    await _check_approved(connector, approved.reference, case)
    await _check_ended(connector, approved.reference, case)


async def check_link_mandates(connector: Connector, case: ConnectorCase) -> None:
    """Prove that an acquirer's UPI link approves a mandate with its payment."""
    if (
        not isinstance(connector, TakesMandates)
        or not isinstance(connector, MakesUpiLinks)
        or UPI_LINK.name not in connector.mandate_methods
    ):
        return
    left, approved = (replace(new_charge(case), mandate=_mandate()) for _ in range(2))
    links = [await connector.upi_link(each, expires_in_s=EXPIRES_IN_S) for each in (left, approved)]
    link = links[1]
    if not isinstance(link, UpiLink) or case.pay_link is None:
        promise = f"a mandate gets a UPI link, and the tests approve it, not {link}"
        raise ContractBrokenError(promise)
    demand(link.url.startswith(UPI_MANDATE), "the link of a mandate approves one")
    noticed = await connector.give_notice(_notice(case, left.reference, HALF))
    demand(not isinstance(noticed, NoticeGiven), "an open link approved no mandate")
    await case.pay_link(approved, link)
    await case.settled(approved.reference)
    await _check_paid(connector, connector, approved.reference, case)


async def check_direct_mandates(connector: Connector, case: ConnectorCase) -> None:
    """Prove that the challenge of a card that is charged in one step approves a mandate."""
    if (
        not isinstance(connector, TakesCardMandates)
        or not isinstance(connector, ChargesCards)
        or CARD_DIRECT.name not in connector.mandate_methods
    ):
        return
    approved = replace(new_charge(case), mandate=_mandate())
    await charge_typed(connector, approved, case.good_card, case, capture=True)
    await _check_paid(connector, connector, approved.reference, case)


async def _check_paid(
    inquires: Connector, connector: TakesMandates, mandate: str, case: ConnectorCase
) -> None:
    """Prove that a mandate's first payment is paid, and that it debits until it ends."""
    demand_moved(await inquires.inquire(mandate), AMOUNT, "the approval of a mandate is paid")
    await _check_approved(connector, mandate, case)
    await _check_debits(inquires, connector, mandate, case)
    await _check_ended(connector, mandate, case)


async def _check_debits(
    inquires: Connector, connector: TakesMandates, mandate: str, case: ConnectorCase
) -> None:
    """Prove that a debit after its notice moves its amount once, and follows the customer's acts.

    Only where the tests can let the time of a notice pass.
    """
    if case.pass_notice is None:
        return
    notice = _notice(case, mandate, HALF)
    given = await connector.give_notice(notice)
    early = _debit(case, notice, given)
    demand(
        not isinstance(await connector.debit_mandate(early), Approved),
        "no debit is made before its notice was given in time",
    )
    await case.pass_notice()
    debit = _debit(case, notice, given)
    for _ in range(2):
        demand(
            not isinstance(await connector.debit_mandate(debit), Declined),
            "a debit after its notice is made, also when asked for twice",
        )
        await case.settled(debit.reference)
        demand_moved(await inquires.inquire(debit.reference), HALF, "a debit takes its amount once")
    if isinstance(connector, Refunds):
        back = RefundOrder(case.new_reference(), debit.reference, Money(100))
        demand(
            not isinstance(await connector.refund(back), Declined),
            "a refund of a debit is not declined",
        )
        await case.refund_settled(back.reference)
        demand_moved(
            await connector.inquire_refund(back.reference), back.amount, "a debit is refunded"
        )
    if case.pause_at_bank is not None and case.resume_at_bank is not None:
        await case.pause_at_bank(mandate)
        await _demand_standing(connector, mandate, MandateState.PAUSED)
        refused = await connector.give_notice(_notice(case, mandate, HALF, period_no=3))
        demand(
            isinstance(refused, Declined) and refused.mandate_paused,
            "a mandate that its customer paused says so",
        )
        await case.resume_at_bank(mandate)
        await _demand_standing(connector, mandate, MandateState.ACTIVE)


async def _check_approved(connector: TakesMandates, mandate: str, case: ConnectorCase) -> None:
    """Prove that an approved mandate takes notices within its maximum."""
    await _demand_standing(connector, mandate, MandateState.ACTIVE)
    notice = _notice(case, mandate, HALF)
    given = [await connector.give_notice(notice) for _ in range(2)]
    demand(
        isinstance(given[0], NoticeGiven) and given[0] == given[1],
        "a notice of an approved mandate is taken, also when given twice",
    )
    above = _notice(case, mandate, AMOUNT + Money(1), period_no=2)
    taken = await connector.give_notice(above)
    if not isinstance(taken, Declined):
        taken = await connector.debit_mandate(_debit(case, above, taken))
    demand(
        not isinstance(taken, Approved)
        and not (isinstance(taken, Declined) and taken.mandate_over),
        "no debit is above what was approved",
    )


async def _check_ended(connector: TakesMandates, mandate: str, case: ConnectorCase) -> None:
    """Prove that a mandate ends, and debits nothing any more."""
    notice = _notice(case, mandate, HALF, period_no=4)
    given = await connector.give_notice(notice)
    for _ in range(2):
        demand(
            isinstance(await connector.end_mandate(mandate), Accepted),
            "a mandate ends, also when asked twice",
        )
    await _demand_standing(connector, mandate, MandateState.ENDED)
    for answer in (
        await connector.give_notice(_notice(case, mandate, HALF, period_no=5)),
        await connector.debit_mandate(_debit(case, notice, given)),
    ):
        demand(
            isinstance(answer, Declined) and answer.mandate_over, "a mandate that has ended is over"
        )


async def _demand_standing(connector: TakesMandates, mandate: str, state: MandateState) -> None:
    standing = await connector.inquire_mandate(mandate)
    demand(
        isinstance(standing, MandateStanding) and standing.state is state,
        f"the acquirer says that the mandate is {state}, not {standing}",
    )


def _mandate() -> MandateRequest:
    today = business_day(datetime.now(UTC))
    return MandateRequest("Contract", AMOUNT, "MONTHLY", today, today + _YEAR)


def _notice(
    case: ConnectorCase, mandate: str, amount: Money, *, period_no: int = 1
) -> MandateNotice:
    debit_at = datetime.now(UTC) + timedelta(hours=25)
    return MandateNotice(case.new_reference(), mandate, period_no, amount, debit_at)


def _debit(case: ConnectorCase, notice: MandateNotice, given: object) -> MandateDebit:
    name = given.name if isinstance(given, NoticeGiven) else ""
    return MandateDebit(
        case.new_reference(),
        notice.mandate,
        notice.period_no,
        notice.amount,
        notice.reference,
        name,
    )
