"""The contract of connectors that pay out and check bank accounts."""

import asyncio

from hundi.acquirers.contract.steps import AMOUNT, OTHER_AMOUNT, ConnectorCase, demand, demand_moved
from hundi.acquirers.port.answers import (
    Approved,
    BankAccount,
    Declined,
    NothingThere,
    NotRegistered,
    RegisteredName,
)
from hundi.acquirers.port.payments import Connector
from hundi.acquirers.port.payouts import ChecksAccounts, PayoutOrder, PaysOut
from hundi.kernel.records import replace

GOOD_ACCOUNT = BankAccount("50100012349999", "HDFC0000001")
CLOSED_ACCOUNT = BankAccount("50100012340002", "HDFC0000001")
"""The test account of most networks.

Tests of a real acquirer's sandbox replace it.
"""
HOLDER = "CHAI HOUSE"


async def check_payouts(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a payout happens once for a reference and an account.

    A refused payout moves no money.
    """
    if not isinstance(connector, PaysOut):
        return
    for gaps in (connector.payout_gaps_s, connector.returned_gaps_s):
        demand(gaps and all(gap > 0 for gap in gaps), "the schedules of payouts have positive gaps")
    order = PayoutOrder(case.new_reference(), AMOUNT, "imps", GOOD_ACCOUNT, HOLDER)
    demand(
        isinstance(await connector.inquire_payout(order.reference), NothingThere),
        "an unused payout is not there",
    )
    for answer in await asyncio.gather(*(connector.pay_out(order) for _ in range(2))):
        demand(not isinstance(answer, Declined), "a payout to a good account is not declined")
    found = await connector.inquire_payout(order.reference)
    demand_moved(found, AMOUNT, "a payout is found by inquiry")
    demand(
        await connector.inquire_payout(order.reference) == found,
        "a payout that is asked about again is the same",
    )
    for other in (replace(order, amount=OTHER_AMOUNT), replace(order, account=CLOSED_ACCOUNT)):
        demand(
            not isinstance(await connector.pay_out(other), Approved),
            "a reference belongs to one payout",
        )
    refused = replace(order, reference=case.new_reference(), account=CLOSED_ACCOUNT)
    refusal = await connector.pay_out(refused)
    demand(
        isinstance(refusal, Declined) and refusal.code,
        "a payout to a closed account is Declined with a code",
    )
    demand(
        not isinstance(await connector.inquire_payout(refused.reference), Approved), "nothing left"
    )


async def check_accounts_of_payouts(connector: Connector, case: ConnectorCase) -> None:
    """Prove that a bank account has its holder's name, and a closed one has none."""
    if not isinstance(connector, ChecksAccounts):
        return
    reference = case.new_reference()
    holder = await connector.check_account(reference, GOOD_ACCOUNT, HOLDER)
    demand(isinstance(holder, RegisteredName) and holder.name, "an account has a holder")
    demand(
        holder == await connector.check_account(reference, GOOD_ACCOUNT, HOLDER),
        "the same check says the same",
    )
    closed = await connector.check_account(case.new_reference(), CLOSED_ACCOUNT, HOLDER)
    demand(isinstance(closed, NotRegistered), "a closed account has none")
