"""The contract of card payments in instalments, chosen at our page or at the acquirer's."""

from hundi.acquirers.contract.steps import (
    AMOUNT,
    ConnectorCase,
    charge_typed,
    demand,
    demand_list,
    demand_moved,
    new_charge,
    open_checkout,
    pass_challenge,
    play_page,
)
from hundi.acquirers.port.answers import Approved, Declined, Redirect
from hundi.acquirers.port.instalments import (
    ChargesInstalments,
    HostsInstalments,
    InstalmentPlan,
    OffersInstalments,
)
from hundi.acquirers.port.payments import Charge, Connector
from hundi.kernel.money import Money
from hundi.kernel.records import replace

_MONTHS_NOBODY_OFFERS = 59


async def check_instalments(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a plan charges the whole amount, and that unknown plans are declined at once."""
    if not isinstance(connector, OffersInstalments):
        return
    plan, charge = _first(demand_list(await connector.plans()), case)
    card = case.card_of(plan.bank_code)
    passed = await pass_challenge(connector, charge, card, case)
    answer = await connector.authorise(charge, authentication_id=passed, capture=True)
    demand_moved(answer, charge.amount, "instalments charge the whole amount at once")
    for refused in _refused(charge, case):
        answer = await connector.authenticate(refused, card, return_url=case.return_url)
        demand(isinstance(answer, Declined), "instalments that are not offered are Declined")


async def check_direct_instalments(connector: Connector, case: ConnectorCase) -> None:
    """Prove the same of a card charged in one step, and that the approval says its months."""
    if not isinstance(connector, ChargesInstalments):
        return
    plan, charge = _first(demand_list(await connector.plans()), case)
    card = case.card_of(plan.bank_code)
    await charge_typed(connector, charge, card, case, capture=True)
    answer = await connector.inquire(charge.reference)
    demand_moved(answer, charge.amount, "instalments charge the whole amount at once")
    demand(
        _months(answer) == plan.months, f"an approval says its instalments, not {_months(answer)}"
    )
    for refused in _refused(charge, case):
        answer = await connector.charge_card(
            refused, card, return_url=case.return_url, capture=True
        )
        demand(isinstance(answer, Declined), "instalments that are not offered are Declined")


async def check_hosted_instalments(connector: Connector, case: ConnectorCase) -> None:
    """Prove that an approval names its months.

    An amount below the plan's minimum is declined.
    """
    if not isinstance(connector, HostsInstalments):
        return
    least = Money(connector.instalments_from_paise)
    demand(least.paise > 0, "the page has a smallest amount")
    charge = new_charge(case, max(least, AMOUNT))
    page = await open_checkout(connector, charge, case, method="emi", capture=True)
    demand(isinstance(page, Redirect), f"a charge gets a page, not {page}")
    await play_page(charge, page, case)
    answer = await connector.inquire(charge.reference)
    demand_moved(answer, charge.amount, "instalments charge the whole amount at once")
    demand(_months(answer) > 0, "an approval says the instalments that were chosen")
    below = replace(new_charge(case), amount=least - Money(1))
    page = await open_checkout(connector, below, case, method="emi", capture=True)
    demand(isinstance(page, Declined), "less than the smallest amount is Declined")


def _first(plans: tuple[InstalmentPlan, ...], case: ConnectorCase) -> tuple[InstalmentPlan, Charge]:
    """Return the first plan, and a charge of its smallest amount."""
    demand(
        len({(each.bank_code, each.months) for each in plans}) == len(plans),
        "every plan is listed once",
    )
    plan = plans[0]
    charge = new_charge(case, Money(plan.minimum_paise))
    return plan, replace(charge, emi_bank=plan.bank_code, emi_months=plan.months)


def _refused(charge: Charge, case: ConnectorCase) -> tuple[Charge, ...]:
    """Return charges that no plan allows: too small, and for months that nobody offers."""
    less = replace(charge, reference=case.new_reference(), amount=charge.amount - Money(1))
    return less, replace(charge, reference=case.new_reference(), emi_months=_MONTHS_NOBODY_OFFERS)


def _months(answer: object) -> int:
    return answer.card.emi_months if isinstance(answer, Approved) and answer.card else 0
