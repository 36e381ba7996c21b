"""Reconciliation: statements against the books, and corrections that two people decide."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, to_builtins

from hundi.money.reconciliation import actions
from hundi.money.reconciliation.clocks.actions import read_clocks
from hundi.money.reconciliation.csv_lines import OURS
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.proposals.actions import NewProposal
from hundi.staff.people.rules import OPERATOR, Permission
from hundi.verbs.context import VerbContext
from hundi.verbs.parameters import (
    ID_MAX,
    MerchantId,
    NoParameters,
    ParameterHints,
    VerbParameters,
)
from hundi.verbs.reconcile_statements import (
    CONNECTOR_MAX,
    DOCUMENT_MAX,
    connector_named,
    statement_problems,
    take,
    upload,
)
from hundi.verbs.verb import Result, verb

UNEXPLAINED_MAX = 10_000
REASON_MAX = 500
GROUPS = {"terms": "What an acquirer agreed on: its account, fees, and how its CSV is read."}
By = Annotated[
    str,
    Meta(description="Who does this (default: the user of this machine)."),
    ParameterHints(option="--as", signs=True),
]
Connector = Annotated[
    str,
    Meta(max_length=CONNECTOR_MAX, description=f"The acquirer's name; {OURS} for our own account."),
]
_SEE, _WORK = Permission.MONEY_SEE, Permission.RECONCILIATION_WORK
_PROPOSAL = "reconciliation/proposals/{merchant_id:int}/{proposal:int}"
_COLUMNS = {
    "items": ("merchant_id", "item_id", "class", "reference", "ours_paise", "theirs_paise", "day"),
    "reports": ("connector", "wanted_at", "failures", "error", "due_at", "last_day"),
}
_DECIDED = (
    *("proposal_id", "debit", "credit", "amount_paise"),
    *("proposed_by", "decision", "decided_by"),
)
_BY_COMMAND = ParameterHints(only_command=True)


class LinesToList(VerbParameters, frozen=True, kw_only=True):
    """How many lines of our bank account to list."""

    most: Annotated[int, Meta(ge=1, le=UNEXPLAINED_MAX, description="How many at most.")] = 50


class ItemsToRetry(VerbParameters, frozen=True, kw_only=True):
    """The acquirer whose open items are compared again."""

    connector: Annotated[str, Meta(max_length=CONNECTOR_MAX, description="The acquirer's name.")]


class CorrectionToPropose(VerbParameters, frozen=True, kw_only=True):
    """An open item, and the posting that would end it."""

    owner: Annotated[
        int,
        Meta(ge=0, le=ID_MAX, description="Whose item it is: the merchant's id, 0 for nobody's."),
    ]
    item: Annotated[
        int, Meta(ge=1, le=ID_MAX, description="The item's number, from `hundi reconcile work`.")
    ]
    reason: Annotated[
        str,
        Meta(max_length=REASON_MAX, description="The reason, kept with the proposal."),
        ParameterHints(by="name", masked=True, in_forms=True),
    ]
    for_merchant: Annotated[
        int,
        Meta(ge=0, le=ID_MAX, description="Whose books, for nobody's line."),
        ParameterHints(option="--for"),
    ] = 0
    debit: Annotated[
        str,
        Meta(description="The account to debit (default: as follows from the line)."),
        _BY_COMMAND,
    ] = ""
    credit: Annotated[
        str,
        Meta(description="The account to credit (default: as follows from the line)."),
        _BY_COMMAND,
    ] = ""
    amount_paise: Annotated[
        int,
        Meta(ge=0, le=ID_MAX, description="Paise (default: as follows from the line)."),
        _BY_COMMAND,
    ] = 0
    by: By = ""


class CorrectionToDecide(VerbParameters, frozen=True, kw_only=True):
    """A correction that somebody else proposed."""

    merchant_id: MerchantId
    proposal: Annotated[int, Meta(ge=1, le=ID_MAX, description="The proposal's number.")]
    by: By = ""


class AcquirerTermsToShow(VerbParameters, frozen=True, kw_only=True):
    """The acquirer whose terms are shown."""

    connector: Connector


class AcquirerTermsToSet(VerbParameters, frozen=True, kw_only=True):
    """New terms of an acquirer, or of our own bank account."""

    connector: Connector
    file: Annotated[
        str,
        Meta(max_length=DOCUMENT_MAX, description="The terms, in TOML."),
        ParameterHints(document=True),
    ]
    by: By = ""


def _drawn_work(work_list: Mapping[str, Any]) -> dict[str, Any]:
    chosen = {
        part: [{name: row[name] for name in columns} for row in work_list[part]]
        for part, columns in _COLUMNS.items()
    }
    classes = [{"class": name, **counts} for name, counts in work_list["classes"].items()]
    return {**work_list, **chosen, "classes": classes}


def _drawn_clocks(readings: Mapping[str, Any]) -> dict[str, Any]:
    clocks = [{"clock": name, **reading} for name, reading in readings["clocks"].items()]
    return {**readings, "clocks": clocks}


@verb(
    "reconcile work",
    _SEE,
    at="all",
    screen="reconciliation",
    drawn=_drawn_work,
    tables=lambda _: {
        "classes": "Found",
        "items": "To do",
        "proposals": "To decide",
        "handovers": "Hand-overs that have not arrived",
        "totals": "Totals that are not proved",
        "reports": "Reports to fetch",
    },
)
async def work(context: VerbContext, _: NoParameters) -> Result:
    """Show the lines by class, and what is left to people."""
    return await proposals.work(context.db)


@verb(
    "reconcile unexplained",
    _SEE,
    at="all",
    page="List unexplained bank lines",
    title="Lines of our account that match no hand-over",
)
async def unexplained(context: VerbContext, parameters: LinesToList) -> Result:
    """List the lines of our bank account that match no hand-over of an acquirer, newest first."""
    return await proposals.unexplained(context.db, parameters.most)


@verb(
    "reconcile clocks",
    _SEE,
    at="all",
    page="Show the regulatory clocks",
    drawn=_drawn_clocks,
    tables=lambda _: {"clocks": "Clocks", "items": "To look at first"},
)
async def clocks(context: VerbContext, _: NoParameters) -> Result:
    """Show the regulatory clocks: which run, end within a day or have ended, and what accrued."""
    return await read_clocks(context.db, context.now)


@verb(
    "reconcile retry",
    _WORK,
    at="all",
    trail="reconciliation.retry",
    screen="reconciliation/retry",
    title="Tried again",
    notice=("compared", "Compared again."),
)
async def retry(context: VerbContext, parameters: ItemsToRetry) -> Result:
    """Compare again what is left to people of an acquirer: payments may be known by now."""
    # Recorded first: the transactions are many and repeatable, and a crash must not hide the act.
    async with context.db.transaction() as conn:
        await context.recording(OPERATOR, parameters.connector)(conn, 0)
    with statement_problems():
        outcome = await actions.retry(context.db, parameters.connector, context.now)
    return {"resolved": outcome.resolved, "posted": outcome.posted}


@verb(
    "reconcile propose",
    _WORK,
    at="all",
    trail="reconciliation.propose",
    screen="reconciliation/items/{owner:int}/{item:int}",
    title="Proposed",
    notice=("asked", ""),
)
async def propose(context: VerbContext, parameters: CorrectionToPropose) -> Result:
    """Propose the posting that ends an item; another person approves it."""
    merchant_id, item = parameters.owner or parameters.for_merchant, parameters.item
    proposal = NewProposal(
        parameters.owner,
        item,
        merchant_id,
        parameters.reason,
        parameters.by or context.name,
        parameters.debit or None,
        parameters.credit or None,
        parameters.amount_paise,
    )
    recorded = context.signing(parameters.by).recording(
        merchant_id, item, "proposal", reason=parameters.reason
    )
    with statement_problems():
        proposal_id = await proposals.propose(context.db, proposal, context.now, recorded)
    return {"merchant_id": merchant_id, "proposal_id": proposal_id}


@verb(
    "reconcile approve",
    _WORK,
    at="all",
    trail="reconciliation.approve",
    screen=_PROPOSAL,
    title="Decided",
    notice=("corrected", "Approved: the correction is posted."),
)
async def approve(context: VerbContext, parameters: CorrectionToDecide) -> Result:
    """Approve what somebody else proposed: it is posted, and its item is resolved."""
    return await _decided(context, parameters, approved=True)


@verb(
    "reconcile refuse",
    _WORK,
    at="all",
    trail="reconciliation.refuse",
    screen=_PROPOSAL,
    title="Decided",
    notice=("rejected", ""),
)
async def refuse(context: VerbContext, parameters: CorrectionToDecide) -> Result:
    """Refuse what somebody else proposed; its item stays open."""
    return await _decided(context, parameters, approved=False)


async def _decided(
    context: VerbContext, parameters: CorrectionToDecide, *, approved: bool
) -> Result:
    proposal = parameters.merchant_id, parameters.proposal
    recorded = context.signing(parameters.by).recording(*proposal)
    by = parameters.by or context.name
    with statement_problems():
        ruling = await proposals.decide(
            context.db, *proposal, by, context.now, approved=approved, beside=recorded
        )
    return {name: ruling[name] for name in _DECIDED}


@verb(
    "reconcile terms set",
    Permission.FEES_CHANGE,
    at="all",
    trail="reconciliation.set_terms",
    title="Terms",
    only_command="writes terms, which the console's role of the database may not",
)
async def set_terms(context: VerbContext, parameters: AcquirerTermsToSet) -> Result:
    """Keep an acquirer's terms, or how our own bank's CSV is read, as a new version."""
    connector, by = connector_named(parameters.connector), parameters.by or context.name
    recorded = context.signing(parameters.by).recording(
        OPERATOR, parameters.connector, made="version"
    )
    with statement_problems():
        version = await actions.set_terms(
            context.db, connector, parameters.file.encode(), by, context.now, recorded
        )
    return {"connector": parameters.connector, "version": version}


@verb(
    "reconcile terms show",
    _SEE,
    at="all",
    page="Show an acquirer's terms",
    title="Terms of {connector}",
    drawn=lambda terms: terms["fees"],
)
async def show_terms(context: VerbContext, parameters: AcquirerTermsToShow) -> Result:
    """Show an acquirer's newest terms."""
    return to_builtins(await actions.terms_for(context.db, connector_named(parameters.connector)))


VERBS = (
    *(work, unexplained, clocks, upload, take, retry, propose, approve, refuse),
    *(set_terms, show_terms),
)
