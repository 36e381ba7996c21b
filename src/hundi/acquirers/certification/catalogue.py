"""Which steps certify an account: those of the capabilities that its connector declares."""

from collections.abc import Collection, Iterator, Mapping

from hundi.acquirers.certification.after_payment import (
    TRIGGERS,
    address_steps,
    echo_step,
    refund_steps,
    report_step,
    webhook_steps,
)
from hundi.acquirers.certification.mandates import mandate_steps
from hundi.acquirers.certification.paying_out import (
    balance_step,
    check_steps,
    payout_name,
    payout_steps,
)
from hundi.acquirers.certification.payments import (
    fee_step,
    hold_steps,
    paid_again,
    paid_name,
    steps_of_way,
    unused_step,
)
from hundi.acquirers.certification.steps import CertificationStep
from hundi.acquirers.certification.ways import WAYS, PaymentWay
from hundi.acquirers.port.checkout import HostsCheckout, SendsTriggers
from hundi.acquirers.port.lines import AnswersEcho
from hundi.acquirers.port.mandates import TakesMandates
from hundi.acquirers.port.payments import (
    ChecksAddresses,
    CompletesAuthorisations,
    Connector,
    Refunds,
)
from hundi.acquirers.port.payouts import ChecksAccounts, PaysOut, TellsBalance
from hundi.acquirers.port.settlement_reports import ReportsSettlements

_PAYMENTS_REFUNDED = 2
"""One is refunded in parts, and one as a whole."""
_SIMULATOR = "only the simulated bank has it, which needs no certification"
_SEEN = "seen in the payments of the other steps"
_BY_HAND = "no step tries it: `hundi acquirer check` lists what to try by hand"
NO_STEPS: Mapping[str, str] = {
    "NamesPayerAccounts": _SEEN,
    "ReopensPages": _SEEN,
    "BringsBack": _BY_HAND,
    "IdentifiesCards": _BY_HAND,
    **dict.fromkeys(
        (
            "TellsDisputes",
            "ListsDisputes",
            "AcceptsDisputes",
            "ContestsDisputes",
            "DividesDisputes",
        ),
        "no sandbox raises a dispute on request: `hundi acquirer check` says more",
    ),
    "ReportsMandates": _BY_HAND,
    "ReportsSales": _BY_HAND,
    "ReportsTotals": "the reconciliation compares totals with our bank account, days later",
    **dict.fromkeys(
        ("SplitsSettlement", "ReversesShares", "RefundsShares"),
        "no step opens a linked account: its acquirer verifies people for it",
    ),
    "ChargesCurrencies": _BY_HAND,
    "SpeaksBack": _SIMULATOR,
    "TokenisesCards": _SIMULATOR,
    "ListsTransfers": _SIMULATOR,
    "ReceivesTransfers": _SIMULATOR,
    "IssuesVouchers": _SIMULATOR,
    "TakesCardMandates": "tried with TakesMandates",
    "TakesBankMandates": "tried with TakesMandates",
    "SimulatesUpiApp": _SIMULATOR,
    "SimulatesCounters": _SIMULATOR,
    "KeepsBooks": "`hundi audit` compares the books",
}
"""Capabilities without a step of their own, and why."""


def steps_of(connector: Connector, methods: Collection[str]) -> tuple[CertificationStep, ...]:
    """Return the steps of an account, in their order. methods: which it may take."""
    ways = [way for method, way in WAYS.items() if method in methods]
    return (
        *_of_payments(connector, ways),
        *_of_others(connector),
        *_of_webhooks(connector, ways),
        *(mandate_steps(connector) if isinstance(connector, TakesMandates) else ()),
    )


def _of_payments(connector: Connector, ways: list[PaymentWay]) -> Iterator[CertificationStep]:
    if not ways:
        return
    yield unused_step()
    for way in ways:
        yield from steps_of_way(way)
    holding = next((way for way in ways if way.holds), None)
    if isinstance(connector, CompletesAuthorisations) and holding is not None:
        yield from hold_steps(holding)
    paid = [paid_name(way.method) for way in ways]
    if isinstance(connector, Refunds):
        if sum(not way.optional for way in ways) < _PAYMENTS_REFUNDED:
            again = paid_again(next((way for way in ways if not way.optional), ways[0]))
            yield again
            paid.append(again.name)
        yield from refund_steps(paid)
    # Only the acquirer's own page or app can add a fee for its customer.
    if isinstance(connector, HostsCheckout):
        yield fee_step(ways[0])
    if isinstance(connector, ReportsSettlements):
        yield report_step()


def _of_others(connector: Connector) -> Iterator[CertificationStep]:
    if isinstance(connector, AnswersEcho):
        yield echo_step()
    if isinstance(connector, ChecksAddresses):
        yield from address_steps()
    if isinstance(connector, PaysOut):
        yield from payout_steps(connector)
    if isinstance(connector, TellsBalance):
        yield balance_step()
    if isinstance(connector, ChecksAccounts):
        yield from check_steps()


def _of_webhooks(connector: Connector, ways: list[PaymentWay]) -> Iterator[CertificationStep]:
    sources = [paid_name(way.method) for way in ways]
    if isinstance(connector, PaysOut):
        sources += [payout_name(each) for each in connector.payout_rails]
    if isinstance(connector, SendsTriggers) and sources:
        yield from webhook_steps(sources, TRIGGERS)
