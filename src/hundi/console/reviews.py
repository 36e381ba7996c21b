"""Payments that a risk rule holds: an operator releases or rejects each, with a reason."""

from typing import Any

from litestar import Response

from hundi.console.guard import ConsoleRoute
from hundi.console.names import method_name
from hundi.console.payments import words
from hundi.console.queries import across as queries
from hundi.console.risk_words import because_words
from hundi.console.verb_forms import choice_of
from hundi.console.visits import ConsoleVisit
from hundi.kernel.money import Money, shown
from hundi.payments.reviews import store
from hundi.staff.people.rules import Permission
from hundi.verbs.review import reject, release

SHOWN_MAX = 100


async def show(visit: ConsoleVisit) -> Response[Any]:
    """Show the held payments, the oldest first."""
    payments_held = await store.select_waiting(visit.db, SHOWN_MAX)
    names = await queries.names_of(visit.db, {row["merchant_id"] for row in payments_held})
    rows = [
        {
            **row,
            "merchant": names.get(row["merchant_id"], ""),
            "amount": shown(Money(row["amount_paise"], row["currency"])),
            "money": words(row["state"]),
            "how": method_name(row["method"]),
            "because": because_words(row["because"] or ""),
        }
        for row in payments_held
    ]
    return visit.page(
        "reviews.html", "Reviews", rows=rows, may_decide=visit.may(Permission.RISK_CHANGE)
    )


_DECISIONS = {"release": release, "reject": reject}
ROUTES = (
    ConsoleRoute("GET", "reviews", show, Permission.PAYMENTS_SEE, at="all"),
    choice_of("decision", _DECISIONS, "reviews/{merchant_id:int}/{transaction:int}", "reviews"),
)
