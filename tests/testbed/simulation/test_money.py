"""Money that reaches merchants.

A seed does it all, and the auditor with books of its own finds what is wrong.
"""

from datetime import date
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.acquirers.port.answers import Approved, Declined, Unknown
from hundi.acquirers.port.payouts import PayoutOrder
from hundi.kernel.records import replace
from hundi.money.fees.document.rules import PlanDocument, plan_of, read
from hundi.money.fees.rules import FeeFacts, quote
from hundi_testbed.bank.payouts.messages import PayoutAnswer, PayoutRequest
from hundi_testbed.simulation import agreements
from hundi_testbed.simulation.acquirer import SimulatedAcquirer
from hundi_testbed.simulation.auditor_money import Expected, fee_of, judge_merchant
from hundi_testbed.simulation.bank import SimulatedBank
from hundi_testbed.simulation.bank_books import Tell
from hundi_testbed.simulation.bank_payouts import AccountHolder, BankPayout, BankPayouts
from hundi_testbed.simulation.faults import Fault
from hundi_testbed.simulation.life import SimulationPlan
from hundi_testbed.simulation.run import RunOutcome
from hundi_testbed.simulation.server import Server
from hundi_testbed.simulation.world import World
from tests.testbed.simulation.conftest import Run

QUIETER = {Fault.BANK_SLOW: 0.05, Fault.CALLBACK_LOST: 0.1}
PLAN = SimulationPlan(3, hours=0.3, orders_an_hour=60, days=2.0, weights=QUIETER)
"""A run in which little goes wrong by itself."""
DAY = date(2026, 3, 2)


def _found(outcome: RunOutcome, words: str) -> bool:
    return any(words in each.words for each in outcome.findings)


class TwicePaying(BankPayouts):
    """Pays every payout twice."""

    def book(self, payout: BankPayout) -> None:
        """Write a payout down, and make another one of it."""
        super().book(payout)
        again = replace(payout, utr=f"{payout.utr}X")
        self.made[f"{payout.instruction.reference}X"] = again


class ElsewherePaying(BankPayouts):
    """Pays into the account of somebody else."""

    def pay_out(self, request: PayoutRequest) -> PayoutAnswer:
        """Pay out to another number than was asked for."""
        self.accounts["900000000000"] = AccountHolder(1, "Nobody that was paid")
        return super().pay_out(msgspec.structs.replace(request, account="900000000000"))


class TwiceBank(SimulatedBank):
    """A bank that pays twice."""

    def __init__(self, world: World, tell: Tell, folder: Path) -> None:
        """Open."""
        super().__init__(world, tell, folder)
        self.payouts = TwicePaying(world, self.books)


class ElsewhereBank(SimulatedBank):
    """A bank that pays somebody else."""

    def __init__(self, world: World, tell: Tell, folder: Path) -> None:
        """Open."""
        super().__init__(world, tell, folder)
        self.payouts = ElsewherePaying(world, self.books)


@pytest.mark.parametrize(
    ("bank", "words"),
    [(TwiceBank, "was made 2 times"), (ElsewhereBank, "went to the account of 1")],
)
def test_a_bank_that_pays_wrongly_is_found(run: Run, bank: type[SimulatedBank], words: str) -> None:
    outcome = run(replace(PLAN, bank=bank))
    assert _found(outcome, words), outcome.findings
    assert _found(outcome, "is owed"), outcome.findings


class HasteAcquirer(SimulatedAcquirer):
    """Takes silence about a payout for a "no" that no later answer can change.

    Of any other "no" the gateway asks again, and books what was paid after all.
    """

    async def pay_out(self, order: PayoutOrder) -> Approved | Declined | Unknown:
        """Pay out; what was not heard was refused."""
        said = await super().pay_out(order)
        return (
            Declined("timeout", "No answer", never_accepted=True)
            if isinstance(said, Unknown)
            else said
        )


def test_silence_about_a_payout_that_counts_as_refused_is_found(run: Run) -> None:
    """Few payouts leave in two days of faults, and three of thirty seeds lost no answer."""
    weights = {**QUIETER, Fault.BANK_REPLY_LOST: 0.5}
    outcome = run(replace(PLAN, seed=4, days=5.0, acquirer=HasteAcquirer, weights=weights))
    assert _found(outcome, "is owed"), outcome.findings
    assert _found(outcome, "bank_payouts_differ"), outcome.findings


@pytest.mark.parametrize(("received", "found"), [(0, 0), (400_00, 1)])
def test_a_linked_account_gets_less_only_where_its_merchant_got_nothing(
    received: int, found: int
) -> None:
    agreement = replace(agreements.draw(Random(1)), minimum_paise=100, reserve_bps=0)  # noqa: S311 (nothing secret)
    paid = 1_000_00 + received
    books = Expected(paid, 0, 0, 0, 0, received, 1_000_00, 2_000_00, 2_000_01, paid, 0, paid)
    findings = list(judge_merchant(7, agreement, books, {}, 2))
    assert [each.words for each in findings if "linked account got" in each.words] == [
        "merchant 7: from 200000 to 200001 paise were shared, and its linked account got 100000"
    ] * found


BENDS = {
    "fee_income": "DELETE FROM ledger_postings WHERE kind = 'settlement_fee'",
    "tax_payable": (
        "UPDATE ledger_postings SET amount_paise = amount_paise + 1 WHERE kind = 'settlement_tax'"
    ),
    "payouts_in_flight": "DELETE FROM ledger_postings WHERE kind = 'payout_done'",
    "receivable": "DELETE FROM ledger_postings WHERE kind = 'handed_over'",
    "disputed": "DELETE FROM ledger_postings WHERE kind = 'dispute_lost'",
}


def test_a_fee_that_is_forgotten_is_found_and_so_is_whatever_else_is_bent(run: Run) -> None:
    def bend(server: Server) -> None:
        async def act() -> None:
            for table in ("ledger_postings", "ledger_checkpoints", "ledger_rolls"):
                await server.real.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            # Sums that were rolled up before would still have what is taken out.
            await server.real.execute("DELETE FROM ledger_checkpoints")
            await server.real.execute("DELETE FROM ledger_rolls")
            for statement in BENDS.values():
                assert int((await server.real.execute(statement)).split()[-1]), statement

        server.run(act())

    outcome = run(replace(PLAN, bend=bend))
    for account in BENDS:
        assert _found(outcome, f"{account} is "), (account, outcome.findings)
    assert _found(outcome, "is owed"), outcome.findings


@given(seed=st.integers(0, 10**6), paise=st.integers(1, 10**8))
def test_the_auditors_own_fee_is_the_gateways(seed: int, paise: int) -> None:
    agreement = agreements.draw(Random(seed))  # noqa: S311 (nothing secret)
    document = read(agreement.plan)
    assert isinstance(document, PlanDocument)
    plan = plan_of(document, 1, DAY)
    for way, channel, network, kind in (
        (agreements.CARD, "pg", "Visa", "credit"),
        (agreements.BANK, "nb", "", ""),
        (agreements.UPI, "upi", "", ""),
    ):
        charged = quote(plan, FeeFacts(channel, network, kind, paise, DAY))
        assert fee_of(agreement, way, paise) == (charged.fee_paise, charged.tax_paise)
