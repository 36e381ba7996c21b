"""Payments that a risk rule holds: an operator releases or rejects each, with a reason."""

from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.payments import words
from hundi.console.queries import across as queries
from hundi.console.recording import recording_at
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.kernel.refusals import RefusalCode, refuse
from hundi.payments.reviews import actions, store
from hundi.payments.reviews.rules import Decision, Reviewed
from hundi.staff.people.rules import Permission

SHOWN_MAX = 100


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show what is held, the oldest first."""
    found = await store.select_waiting(visit.db, SHOWN_MAX)
    names = await queries.names_of(visit.db, {row["merchant_id"] for row in found})
    rows = [
        {
            **row,
            "merchant": names.get(row["merchant_id"], ""),
            "amount": shown(Money(row["amount_paise"], row["currency"])),
            "money": words(row["state"]),
            "how": words(row["method"]),
        }
        for row in found
    ]
    return visit.page(
        "reviews.html", "Reviews", rows=rows, may_decide=visit.may(Permission.RISK_CHANGE)
    )


_DECISIONS = {"release": Decision.RELEASED, "reject": Decision.REJECTED}


async def decide(visit: ConsoleVisit) -> Response[Any]:
    """Release a held payment, or reject it: then its money goes back."""
    merchant_id, payment_id = visit.params["merchant_id"], visit.params["payment_id"]
    if not all(0 < each < queries.ID_MAX for each in (merchant_id, payment_id)):
        raise refuse(RefusalCode.NO_RECORDS, field="payment", received=str(payment_id))
    wanted = visit.form.get("decision", "")
    if wanted not in _DECISIONS:
        raise refuse(
            RefusalCode.FIELD_INVALID,
            field="decision",
            received=wanted[:20],
            allowed=" ".join(_DECISIONS),
        )
    decision = _DECISIONS[wanted]
    reviewed = Reviewed(decision, visit.form.get("reason", "").strip(), visit.person.email)
    recorded = recording_at(
        visit, merchant_id, f"review.{decision}", payment_id, reason=reviewed.reason
    )
    await actions.decide(visit.db, merchant_id, payment_id, reviewed, visit.now, recorded)
    return visit.see("reviews", f"review_{decision}")


ROUTES = (
    ConsoleRoute("GET", "reviews", show, Permission.PAYMENTS_SEE, at="all"),
    ConsoleRoute(
        *("POST", "reviews/{merchant_id:int}/{payment_id:int}", decide, Permission.RISK_CHANGE),
        fresh=True,
        at="all",
    ),
)
