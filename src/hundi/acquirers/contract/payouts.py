"""The contract of connectors that pay out and check bank accounts."""

import asyncio
from datetime import UTC, datetime, timedelta

from hundi.acquirers.contract.steps import AMOUNT, OTHER_AMOUNT, ConnectorCase, demand, demand_moved
from hundi.acquirers.port.answers import (
    SCORE_MAX,
    Approved,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
    SentBack,
    Unknown,
)
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.payouts import (
    ChecksAccounts,
    PayoutBalance,
    PayoutOrder,
    PaysOut,
    RailTerms,
    TellsBalance,
)
from hundi.kernel.money import Money
from hundi.kernel.records import replace

HOLDER = "CHAI HOUSE"
RAILS = frozenset({"imps", "neft", "rtgs"})
BALANCE_AHEAD_MAX = timedelta(minutes=5)
"""How far the provider's clock may be ahead of ours."""


async def check_payouts(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a payout happens once for a reference and an account.

    A refused payout moves no money.
    """
    if not isinstance(connector, PaysOut):
        return
    for gaps in (connector.payout_gaps_s, connector.returned_gaps_s):
        demand(gaps and all(gap > 0 for gap in gaps), "the schedules of payouts have positive gaps")
    demand(connector.payout_grace_s > 0, "a payout may appear after its call")
    rail = _rail(connector, AMOUNT)
    order = PayoutOrder(_payout_reference(case), AMOUNT, rail, case.good_account, HOLDER, "Hundi")
    demand(
        isinstance(await connector.inquire_payout(order.reference), NothingThere),
        "an unused payout is not there",
    )
    for answer in await asyncio.gather(*(connector.pay_out(order) for _ in range(2))):
        demand(
            not isinstance(answer, Declined | SentBack),
            f"a payout to a good account is not declined, not {answer}",
        )
    await _settled(case, order.reference)
    found = await connector.inquire_payout(order.reference)
    demand_moved(found, AMOUNT, "a payout is found by inquiry")
    demand(
        await connector.inquire_payout(order.reference) == found,
        "a payout that is asked about again is the same",
    )
    for other in (
        replace(order, amount=OTHER_AMOUNT),
        replace(order, account=case.closed_account),
    ):
        answer = await connector.pay_out(other)
        demand(
            isinstance(answer, Unknown)
            or (isinstance(answer, Declined) and not answer.never_accepted),
            f"a reference belongs to one payout, and its key is not free for another: {answer}",
        )
    await _settled(case, order.reference)
    demand(
        await connector.inquire_payout(order.reference) == found,
        "another order under the same reference changes nothing",
    )


async def check_refused_payouts(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a payout to a closed account comes to nothing, with a code."""
    if not isinstance(connector, PaysOut):
        return
    rail = _rail(connector, AMOUNT)
    order = PayoutOrder(_payout_reference(case), AMOUNT, rail, case.closed_account, HOLDER)
    answer = await connector.pay_out(order)
    demand(not isinstance(answer, Approved), "nothing left")
    if isinstance(answer, Declined) and answer.never_accepted:
        found = await connector.inquire_payout(order.reference)
        demand(
            isinstance(found, NothingThere | Declined),
            f"a payout that was never accepted is not there, not {found}",
        )
        return
    if not isinstance(answer, Declined | SentBack):
        await _settled(case, order.reference)
        answer = await connector.inquire_payout(order.reference)
    demand(
        isinstance(answer, Declined | SentBack) and answer.code,
        f"a payout to a closed account is Declined or SentBack with a code, not {answer}",
    )
    demand(
        not isinstance(await connector.inquire_payout(order.reference), Approved), "nothing left"
    )


async def check_rails(connector: Connector, case: ConnectorCase) -> None:  # noqa: ARG001 (one shape for every check)
    """Prove that a connector names each of its rails once, with amounts that exist."""
    if not isinstance(connector, PaysOut):
        return
    terms = connector.payout_rails
    names = [each.rail for each in terms]
    demand(names and set(names) <= RAILS, f"the rails are of {sorted(RAILS)}, not {names}")
    demand(len(set(names)) == len(names), "a rail is named once")
    for each in terms:
        demand(
            0 < each.least_paise <= (each.most_paise or each.least_paise),
            f"{each.rail} carries some amount",
        )
    demand(
        any(_carries(each, Money(1_00)) for each in terms)
        and any(_carries(each, Money(10_00_000_00)) for each in terms),
        "one rupee and ten lakhs have a rail",
    )


async def check_balance(connector: Connector, case: ConnectorCase) -> None:  # noqa: ARG001 (one shape for every check)
    """Prove that a balance has a time, and that asking twice is no harm."""
    if not isinstance(connector, TellsBalance):
        return
    for _ in range(2):
        balance = await connector.payout_balance()
        demand(isinstance(balance, PayoutBalance), f"a provider says its balance, not {balance}")
        if isinstance(balance, PayoutBalance):
            demand(balance.at.tzinfo is not None, "the time of a balance is in UTC")
            demand(
                balance.at <= datetime.now(UTC) + BALANCE_AHEAD_MAX, "a balance was counted already"
            )


async def check_accounts_of_payouts(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a bank account has its holder's name, and a closed one has none."""
    if not isinstance(connector, ChecksAccounts):
        return
    demand(connector.check_cost.paise >= 0, "a check costs nothing or something")
    reference = _check_reference(case)
    holder = await connector.check_account(reference, case.good_account, HOLDER)
    if isinstance(holder, Unknown):
        await _checked(case, reference)
        holder = await connector.check_account(reference, case.good_account, HOLDER)
    demand(
        isinstance(holder, RegisteredName) and holder.name, f"an account has a holder, not {holder}"
    )
    if isinstance(holder, RegisteredName) and holder.score is not None:
        demand(0 <= holder.score <= SCORE_MAX, f"a score is 0 to {SCORE_MAX}, not {holder.score}")
    demand(
        holder == await connector.check_account(reference, case.good_account, HOLDER),
        "the same check says the same",
    )
    reference = _check_reference(case)
    closed = await connector.check_account(reference, case.closed_account, HOLDER)
    if isinstance(closed, Unknown):
        await _checked(case, reference)
        closed = await connector.check_account(reference, case.closed_account, HOLDER)
    demand(isinstance(closed, NotRegistered), f"a closed account has none, not {closed}")


def _carries(terms: RailTerms, amount: Money) -> bool:
    return terms.least_paise <= amount.paise <= (terms.most_paise or amount.paise)


def _rail(connector: PaysOut, amount: Money) -> str:
    """Return the connector's preferred rail for an amount."""
    rails = [each.rail for each in connector.payout_rails if _carries(each, amount)]
    demand(rails, f"some rail carries {amount.paise} paise")
    return rails[0]


def _payout_reference(case: ConnectorCase) -> str:
    return (case.payout_reference or case.new_reference)()


def _check_reference(case: ConnectorCase) -> str:
    return (case.check_reference or case.new_reference)()


async def _settled(case: ConnectorCase, reference: str) -> None:
    if case.payout_settled is not None:
        await case.payout_settled(reference)


async def _checked(case: ConnectorCase, reference: str) -> None:
    if case.check_settled is not None:
        await case.check_settled(reference)
