"""The work list of reconciliation: differences from the books, and people's decisions."""

from collections.abc import Mapping, Sequence
from typing import Any

from litestar import Response

from hundi.console import likely, second_person
from hundi.console.guard import ConsoleRoute, message
from hundi.console.likely import SAME_UTR
from hundi.console.queries import across as queries
from hundi.console.verb_forms import do, form_of, refused
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.money.reconciliation.proposals import actions as proposals
from hundi.money.reconciliation.totals.rules import TotalProof
from hundi.staff.people import store as people
from hundi.staff.people.rules import Permission
from hundi.verbs.context import VerbProblemError
from hundi.verbs.reconcile import approve, propose, refuse, retry

SHOWN_MAX = 100
LINES_MAX = 50
"""Lines of our bank account on the page; the newest."""
_CLASSES = {
    "matched": ("Matched", "The line and the books say the same."),
    "late": ("Late", "The line came on a later day; nothing is to be done."),
    "fee_differs": (
        "Fee differs",
        "The acquirer kept another fee than its terms say. Ask it, or correct the fee.",
    ),
    "amount_differs": (
        "Amount differs",
        "The acquirer says another amount. Ask it; correct what it does not mend.",
    ),
    "duplicate": ("Twice", "The line is there twice. Ask the acquirer which one it takes back."),
    "missing_here": (
        "Not in our books",
        "Nobody of us made this payment. Ask the acquirer whose it is.",
    ),
    "missing_there": (
        "Not on the statement",
        "We were told it is paid, and no statement has it. Ask, then try again.",
    ),
}
"""The name of each class, and what to do about it."""

_PROOFS = {
    TotalProof.WAITING: "It has not arrived.",
    TotalProof.OTHER_AMOUNT: "Our account has another amount. Ask the acquirer.",
    TotalProof.ARRIVED: "It arrived. Import the acquirer's file to see for which payments.",
    TotalProof.LINES_DIFFER: "The file's lines come to another amount. Ask for the whole file.",
}
"""What is left to do about a total that is not proved."""


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the differences by class, the items left to people, and the proposals."""
    work_list = await proposals.work(visit.db, SHOWN_MAX)
    names = {
        row["merchant_id"]: row["name"]
        for row in await queries.select_merchants(visit.db, 0, "", queries.MERCHANTS_MAX)
    }
    lines = [dict(each) for each in await proposals.unexplained(visit.db, LINES_MAX)]
    likely_payments = await likely.of_items(visit, work_list["items"], names)
    likely_payouts = await likely.of_account_lines(visit, lines, names)
    me = visit.person.email
    proposed = {(each["owner_id"], each["item_id"]) for each in work_list["proposals"]}
    return visit.page(
        "reconciliation.html",
        "Reconciliation",
        classes=[
            {"name": _CLASSES[name][0], "words": _CLASSES[name][1], **counts}
            for name, counts in work_list["classes"].items()
            if name in _CLASSES
        ],
        items=[
            {
                **each,
                "merchant": names.get(each["merchant_id"], "Nobody's"),
                "label": _CLASSES[each["class"]][0],
                "words": _CLASSES[each["class"]][1],
                "ours": _amount(each["ours_paise"]),
                "theirs": _amount(each["theirs_paise"]),
                "proposed": (each["merchant_id"], each["item_id"]) in proposed,
                "has_line": each["net_paise"] is not None,
                "likely": likely_payments.get(each["item_id"], []),
            }
            for each in work_list["items"]
        ],
        proposals=[
            {
                **each,
                "merchant": names.get(each["merchant_id"], ""),
                "amount": shown(Money(each["amount_paise"])),
                "mine": each["proposed_by"] == me,
            }
            for each in work_list["proposals"]
        ],
        handovers=[
            {**each, "said": _amount(each["said"]), "arrived": _amount(each["arrived"])}
            for each in work_list["handovers"]
        ],
        totals=[
            {
                **each,
                "said": _amount(each["net_paise"]),
                "lines": _amount(each["lines_paise"]),
                "arrived": _amount(each["arrived_paise"]),
                "words": _PROOFS[each["proof"]],
            }
            for each in work_list["totals"]
        ],
        reports=work_list["reports"],
        unexplained=work_list["account_lines_unexplained"],
        **_account_lines(lines, likely_payouts),
        may_work=visit.may(Permission.RECONCILIATION_WORK),
        connectors=sorted({each["connector"] for each in work_list["items"] if each["connector"]}),
    )


def _account_lines(
    lines: Sequence[Mapping[str, Any]], likely_payouts: Mapping[int, list[dict[str, str]]]
) -> dict[str, Any]:
    """Return lines of our bank account: those to look at, and those that a UTR explains."""
    told = [
        {
            **each,
            "amount": shown(Money(each["net_paise"])),
            "likely": likely_payouts.get(each["line_id"], []),
        }
        for each in lines
    ]
    paid_out = [each for each in told if any(one["why"] == SAME_UTR for one in each["likely"])]
    return {"paid_out": paid_out, "lines": [each for each in told if each not in paid_out]}


def _amount(paise: int | None) -> str:
    return "nothing" if paise is None else shown(Money(paise))


async def decide(visit: ConsoleVisit) -> Response[Any]:
    """Approve or refuse another person's proposal."""
    merchant_id, proposal_id = visit.params["merchant_id"], visit.params["proposal"]
    approved = visit.form.get("decision") == "approve"
    if not _known(merchant_id, proposal_id):
        return _refused(visit, "There is no such proposal.")
    proposal = await proposals.find(visit.db, merchant_id, proposal_id)
    maker = await people.select_by_email(visit.db, proposal["proposed_by"]) if proposal else None
    if maker is not None and maker.person_id in await second_person.linkers(visit):
        return _refused(
            visit,
            "Your own link to sign in was made by who proposed it: somebody else has to decide.",
        )
    item, details = proposal["item_id"] if proposal else 0, {"proposal": str(proposal_id)}
    proposers = await second_person.proposers(visit, merchant_id, propose.trail, item, **details)
    if approved and not await second_person.is_second(visit, proposers):
        return _refused(visit, "You proposed it: somebody else has to decide.")
    act = approve if approved else refuse
    try:
        await do(visit, act, visit.form)
    except VerbProblemError as problem:
        return refused(visit, problem)
    return visit.see("reconciliation", act.notice[0])


def _known(*numbers: int) -> bool:
    return all(0 <= each < queries.ID_MAX for each in numbers)


def _refused(visit: ConsoleVisit, words: str) -> Response[Any]:
    return message(visit, "This was refused", words[0].upper() + words[1:], 409)


_WORK = Permission.RECONCILIATION_WORK
ROUTES = (
    ConsoleRoute("GET", "reconciliation", show, Permission.MONEY_SEE, at="all"),
    form_of(propose, propose.screen, "reconciliation"),
    ConsoleRoute("POST", approve.screen, decide, _WORK, fresh=True, at="all"),
    form_of(retry, retry.screen, "reconciliation"),
)
