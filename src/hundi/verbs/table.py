"""The nouns of the verbs, and the module and meaning of each."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hundi.verbs.verb import OperatorVerb

NOUNS: Mapping[str, str] = {
    "route": "Routing: which acquirer takes a payment: show, try on past payments, set.",
    "acquirer": (
        "Accounts at acquirers: add, rotate and disable them, and what to try before money moves."
    ),
    "status": "The public status page: announce incidents and maintenance, name acquirers.",
    "risk": "Risk rules: show, check, try on past payments, publish.",
    "dispute": "Disputes: what customers' banks want back, and what is answered.",
    "complaint": "Complaints: what payers say is wrong with a payment, and the answers.",
    "staff": "People of the console: invite, list, roles, remove, reset, sessions.",
    "fee": "Fees: merchants' price plans, and what a payment costs.",
    "payout": "Payouts: settled money to bank accounts, released by two people.",
    "payment": "Payments: what happened to one, from the order to the postings.",
    "delivery": "Deliveries: notifications to merchants' servers, and sending them again.",
    "letter": "Letters: what people are told by mail, SMS or WhatsApp, and sending one again.",
    "template": "Templates: the registered texts of SMS and WhatsApp messages.",
    "consent": "Consent: which customers agree to WhatsApp messages.",
    "bank-account": "Bank accounts that merchants are paid out to, and whose they are.",
    "settlement": "Settlements: what merchants are owed, day by day.",
    "report": "Reports: extracts of the books, for merchants and accountants.",
    "partner": "Partners: who may call the auxiliary interfaces, and what they called.",
    "pos": "Terminals in merchants' shops, and what was sold through them.",
    "lead": "Leads: businesses that want to become merchants.",
    "split": "Splits: linked accounts, and how a payment is shared with them.",
    "merchant": "Merchants: who may take payments, with which secrets and settings.",
    "calendar": "The days on which banks settle, for each centre.",
    "review": "Payments that a risk rule holds: list, release, reject.",
    "link": "Payment links: amounts that are paid at an address of their own.",
    "reconcile": "Statements against the books: import, what differs, corrections by two people.",
    "refusal": "Refused requests: the exact reason, for the merchant's developer.",
    "subscription": "Subscriptions: mandates, their debits, and stopping them.",
    "mcp": "Assistants: a server they read the books with and propose acts to, and their keys.",
}
"""Noun → its meaning. Its module has the noun's name, and lists its verbs as `VERBS`."""


THINGS: Mapping[str, tuple[str, str]] = {
    "merchant": ("a merchant", "Merchants"),
    "payment": ("a payment", "Payments"),
    "link": ("a payment link", "Payment links"),
    "subscription": ("a subscription", "Subscriptions"),
    "split": ("a linked account", "Linked accounts"),
    "pos": ("a terminal", "Terminals"),
    "dispute": ("a dispute", "Disputes"),
    "complaint": ("a complaint", "Complaints"),
    "review": ("a held payment", "Held payments"),
    "risk": ("risk rules", "Risk rules"),
    "route": ("the routing plan", "Routing"),
    "acquirer": ("an acquirer", "Acquirers"),
    "status": ("an announcement", "Status page"),
    "fee": ("a fee", "Fees"),
    "settlement": ("a settlement", "Settlements"),
    "report": ("a report", "Reports"),
    "payout": ("a payout", "Payouts"),
    "reconcile": ("a correction", "Reconciliation"),
    "bank-account": ("a bank account", "Bank accounts"),
    "calendar": ("a bank day", "Bank days"),
    "delivery": ("a delivery", "Deliveries"),
    "letter": ("a letter", "Letters"),
    "template": ("a template", "Templates"),
    "consent": ("a customer's consent", "Consent"),
    "refusal": ("a refused request", "Refused requests"),
    "partner": ("a partner", "Partners"),
    "lead": ("a lead", "Leads"),
    "staff": ("a person", "People"),
    "mcp": ("an assistant's key", "Assistants"),
}
"""Noun → what pages call one of it and many of it, in the order of the pages."""


def verbs_of(noun: str) -> "list[OperatorVerb[Any]]":
    """Return the verbs of a noun, in the order of its help."""
    return list(_module(noun).VERBS)


def _module(noun: str) -> Any:  # noqa: ANN401 (a module)
    return import_module(f"hundi.verbs.{noun.replace('-', '_')}")


def groups_of(noun: str) -> Mapping[str, str]:
    """Return the groups of verbs with two words, and the meaning of each."""
    return getattr(_module(noun), "GROUPS", {})


def all_verbs() -> "Iterator[OperatorVerb[Any]]":
    """Yield every verb."""
    for noun in NOUNS:
        yield from verbs_of(noun)
