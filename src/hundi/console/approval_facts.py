"""What a request asks for, in people's words: its values, what they replace, where it leads."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hundi.console.lists import words
from hundi.console.plan_words import compared
from hundi.console.price_words import price_lines
from hundi.console.queries import across
from hundi.console.visits import ConsoleVisit
from hundi.kernel.clock import business_day
from hundi.kernel.money import Money, shown
from hundi.money.bank_accounts import store as accounts
from hundi.money.bank_accounts.rules import PRIMARY
from hundi.money.fees import store as plans
from hundi.money.fees.document.rules import PlanDocument, read
from hundi.money.settlements import store as settlements
from hundi.money.settlements.rules import DAY_MINUTES, DEFAULT_TERMS
from hundi.payments.risk import actions as risk
from hundi.payments.risk import store as rule_sets
from hundi.staff.approvals.rules import Approval
from hundi.staff.people.rules import Permission

_LABELS: Mapping[str, str] = {
    "holder": "Payee",
    "account_ending": "Account number ends with",
    "ifsc": "IFSC of the bank's branch",
    "key": "Key",
    "scopes": "The key may",
    "refund_paise": "Refunds with it, each up to",
    "bearer_days": "Ends after days",
    "webhook_id": "Notification",
    "days": "Can be paid for days",
    "description": "What it is for",
    "account_kind": "Kind of account",
    "acquirer": "Account",
    "serves": "For",
    "cut_off": "A day ends at",
    "base_event": "Days are counted from",
    "centre": "Bank holidays of",
    "minimum_paise": "Least to settle",
    "reserve_bps": "Reserve",
    "reserve_days": "Reserve is kept for days",
    "hold": "Settlements are held",
    "instant_bps": "Price of settling at once",
    "no_instant": "No settling at once any more",
    "merchant_id": "Merchant",
    "merchant": "Merchant",
}
"""The names of values for people; another one is said as it is called."""
_DOCUMENTS = ("document", "file")
_UNSAID = frozenset({"payment_id", "order", "by", "by_marks", "marks_digest", *_DOCUMENTS})
"""What a page says elsewhere: of the payment, and by comparing a document."""
_PLACES: Mapping[str, tuple[str, str, Permission]] = {
    "bank_account": ("bank-account", "The bank account in force", Permission.MONEY_SEE),
    "price_plan": ("price-plan", "The price plan in force", Permission.MONEY_SEE),
    "api_secret": ("keys", "The keys", Permission.KEYS_CHANGE),
    "risk_publish": ("risk/form", "The rules in force", Permission.RISK_CHANGE),
    "assistant_link": ("links", "The payment links", Permission.PAYMENTS_SEE),
    "assistant_resend": ("deliveries", "The notifications", Permission.DEVELOPERS_SEE),
    "customer_erasure": (
        "customers/{customer}/erasure?by={by_marks}",
        "What would be erased, and what stays",
        Permission.PERSONAL_REVEAL,
    ),
    "acquirer_change": ("acquirers/{acquirer}", "The account", Permission.CHANNELS_SEE),
}
"""The page of what a request is about, by its kind: an address below the place, its words, and who
may see it.
"""


@dataclass(frozen=True, slots=True)
class ApprovalFact:
    """One value of a request. was: the one in force, "" where none is replaced."""

    label: str
    value: str
    was: str = ""


@dataclass(frozen=True, slots=True)
class ApprovalFacts:
    """What a request asks for.

    lines: of a document compared with the one in force, () for none, None for too long a one.
    href, words: of the page of what it is about, "" for none.
    """

    facts: Sequence[ApprovalFact]
    lines: Sequence[tuple[str, str]] | None = ()
    href: str = ""
    words: str = ""


async def facts_of(visit: ConsoleVisit, approval: Approval) -> ApprovalFacts:
    """Return what a request asks for; sealed parts stay sealed."""
    payload = approval.payload
    # What a decided request replaced is not what is in force now.
    before = await _before(visit, approval) if approval.state == "waiting" else {}
    names = await _merchants(visit, payload)
    facts = [
        ApprovalFact(label_of(name), names.get(name) or value_of(name, value), was)
        for name, value in payload.items()
        if name not in _UNSAID and not name.endswith("_sealed") and value != ""
        for was in [value_of(name, before[name]) if name in before else ""]
    ]
    lines = await _lines(visit, approval)
    place = _PLACES.get(approval.kind)
    if place is None or not visit.may(place[2]):
        return ApprovalFacts(facts, lines)
    return ApprovalFacts(facts, lines, visit.href(place[0].format(**payload)), place[1])


def label_of(name: str) -> str:
    """Return the name of a value for people."""
    return _LABELS.get(name) or words(name.removesuffix("_paise").removesuffix("_bps"))


def value_of(name: str, value: Any) -> str:  # noqa: ANN401 (whatever JSON holds)
    """Return a value for people: rupees, per cent, yes or no, words."""
    if name.endswith("_paise"):
        return shown(Money(value))
    if name.endswith("_bps") and value is not None:
        return f"{value / 100:.2f} %"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if name == "scopes" or isinstance(value, list):
        return ", ".join(map(str, value if isinstance(value, list) else value.split()))
    return words(value) if name == "base_event" else str(value)


async def _merchants(visit: ConsoleVisit, payload: Mapping[str, Any]) -> dict[str, str]:
    """Return merchants that a request names, in words; 0 is all of them."""
    named = {name: payload[name] for name in ("merchant", "merchant_id") if name in payload}
    known = await across.names_of(visit.db, {each for each in named.values() if each})
    return {
        name: f"{known.get(number, '')} ({number})".strip() if number else "All merchants"
        for name, number in named.items()
    }


async def _before(visit: ConsoleVisit, approval: Approval) -> dict[str, Any]:
    """Return the values in force that a request replaces, by the names of its own."""
    if approval.kind == "bank_account":
        account = await accounts.newest(visit.db, approval.merchant_id, PRIMARY)
        if account is None:
            return {}
        return {
            "holder": account.holder,
            "account_ending": account.last4,
            "ifsc": account.ifsc,
        }
    if approval.kind == "settlement_terms_set":
        versions = await settlements.terms_of(visit.db, approval.payload["merchant_id"])
        agreed = asdict(versions[-1] if versions else DEFAULT_TERMS)
        hour, minute = divmod(agreed["cut_off_minute"] % DAY_MINUTES, 60)
        return {**agreed, "hold": agreed["held"], "cut_off": f"{hour:02}:{minute:02}"}
    return {}


async def _lines(visit: ConsoleVisit, approval: Approval) -> Sequence[tuple[str, str]] | None:
    """Return how a request's document differs from the one in force, () without a document."""
    wanted = next((approval.payload[each] for each in _DOCUMENTS if each in approval.payload), None)
    if wanted is None:
        return ()
    if approval.kind == "price_plan":
        document = read(wanted)
        after = price_lines(document) if isinstance(document, PlanDocument) else [wanted]
        before = await _prices(visit, approval) if approval.state == "waiting" else []
        return compared("\n".join(before), "\n".join(after))
    row = await rule_sets.select_live(visit.db, approval.payload.get("merchant", 0))
    in_force = row["document"] if row else risk.default_document()
    return compared(in_force if approval.state == "waiting" else "", wanted)


async def _prices(visit: ConsoleVisit, approval: Approval) -> list[str]:
    """Return the prices in force, in words."""
    heads = await plans.select_heads(visit.db, approval.merchant_id)
    today = business_day(visit.now)
    for head in sorted(heads, key=lambda each: each["plan_no"], reverse=True):
        if head["first_day"] <= today:
            plan = await plans.select_plan(visit.db, approval.merchant_id, head["plan_no"])
            return price_lines(plans.document_of(plan["document"])) if plan else []
    return []
