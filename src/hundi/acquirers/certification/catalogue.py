"""Which steps certify an account: those of the capabilities that its connector declares."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

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

_SIMULATOR = "only the simulated bank has it, which needs no certification"
_SEEN = "seen in the payments of the other steps"
_BY_HAND = "no step tries it: `hundi acquirer check` lists what to try by hand"
NO_STEPS: Mapping[str, str] = {
    "NamesPayerAccounts": _SEEN,
    "ReopensPages": _SEEN,
    "BringsBack": _BY_HAND,
    "IdentifiesCards": _BY_HAND,
    "TellsDisputes": "no sandbox raises a dispute on request: `hundi acquirer check` says more",
    "ReportsMandates": _BY_HAND,
    "ReportsSales": _BY_HAND,
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
    return (*_of_payments(connector, ways), *_of_others(connector, ways))


def _of_payments(connector: Any, ways: list[PaymentWay]) -> Iterator[CertificationStep]:
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
        if len(paid) == 1:
            yield paid_again(ways[0])
            paid.append("again-paid")
        yield from refund_steps(paid)
    # Only the acquirer's own page or app can add a fee for its customer.
    if isinstance(connector, HostsCheckout):
        yield fee_step(ways[0])
    if isinstance(connector, ReportsSettlements):
        yield report_step()
    if isinstance(connector, TakesMandates):
        yield from mandate_steps(connector)


def _of_others(connector: Any, ways: list[PaymentWay]) -> Iterator[CertificationStep]:
    if isinstance(connector, AnswersEcho):
        yield echo_step()
    if isinstance(connector, ChecksAddresses):
        yield from address_steps()
    sources = [paid_name(way.method) for way in ways]
    if isinstance(connector, PaysOut):
        sources += [f"payout-{each.rail}" for each in connector.payout_rails]
        yield from payout_steps(connector)
    if isinstance(connector, TellsBalance):
        yield balance_step()
    if isinstance(connector, ChecksAccounts):
        yield from check_steps()
    if isinstance(connector, SendsTriggers) and sources:
        yield from webhook_steps(sources, TRIGGERS)
