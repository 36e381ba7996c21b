"""Reads of all merchants go on without a lost node's rows, or give here the reason to wait.

The list of statements across merchants is compared with the schema (test_schema.py).
"""

import ast
from collections.abc import Iterator

from tests.house import reach
from tests.house.across import ACROSS_MERCHANTS, CLEAN_UPS
from tests.house.source import Source, ours

_LOOKS = {"look", "look_across", "look_by"}
_DEMO = "of a demo's clock, which no cluster has"
_KEYS = "a key that seals anew must miss nobody, or it is retired while it is needed"
_PEOPLE = (
    "a person is proved by the trails of all their places: one left out could hide that they were"
    " removed"
)
_COMPARED = (
    "a statement's line belongs to nobody only where everybody was asked; a file is compared again"
    " each day"
)
_WHOLE = "a report over all merchants is made whole or not at all"
WAITS = {
    "hundi.infra.demo_clock.store.COUNT_DUE": _DEMO,
    "hundi.infra.demo_clock.store.COUNT_EVENTS": _DEMO,
    "hundi.payments.disputes.store.SELECT_NEXT_DUE": _DEMO,
    "hundi.payments.subscriptions.store.SELECT_NEXT_DUE": _DEMO,
    "hundi.payments.subscriptions.store.SELECT_DUE_WITHIN": _DEMO,
    "hundi.payments.subscriptions.store.SELECT_NAMED": (
        "a webhook that is not understood must not be confirmed: its acquirer repeats it"
    ),
    "hundi.infra.secrets.sealed.store.COUNT_SEALED": _KEYS,
    "hundi.money.bank_accounts.papers.store.SELECT_SEALED": _KEYS,
    "hundi.money.bank_accounts.store.SELECT_SEALED": _KEYS,
    "hundi.notifications.endpoints.store.SELECT_SEALED": _KEYS,
    "hundi.partners.identity.store.CONSENTS_AFTER": _KEYS,
    "hundi.partners.leads.store.SELECT_KEYS": _KEYS,
    "hundi.partners.offers.store.SEALED_AFTER": _KEYS,
    "hundi.payments.disputes.store.SELECT_SEALED": _KEYS,
    "hundi.payments.splits.store.SELECT_SEALED": _KEYS,
    "hundi.staff.approvals.store.SELECT_OF_MAKER": (
        "whoever is removed must have nothing left that waits"
    ),
    "hundi.staff.people.store.IS_OLDER": "asked once, by the first start",
    "hundi.staff.people.store.SELECT_OF_PERSON": _PEOPLE,
    "hundi.staff.trail.store.SELECT_ABOUT_PEOPLE": _PEOPLE,
    "hundi.money.bank_accounts.store.SELECT_ALL": (
        "taken over once, after an upgrade, with everybody"
    ),
    "hundi.money.fees.store.SELECT_NUMBERS": "taken over once, after an upgrade, with everybody",
    "hundi.money.payouts.files.store.SELECT_OF_BATCH": (
        "a bank's file is written again whole or not at all"
    ),
    "hundi.money.reconciliation.store.FIND_BY_RRN": _COMPARED,
    "hundi.money.reconciliation.store.SELECT_MERCHANTS": _COMPARED,
    "hundi.money.reconciliation.store.SELECT_OWNERS": _COMPARED,
    "hundi.money.reports.across.store.SELECT_MERCHANTS": _WHOLE,
    "hundi.money.reports.across.store.SUM_BALANCES": _WHOLE,
    "hundi.money.reports.across.store.SUM_CHARGED": _WHOLE,
    "hundi.money.reports.across.store.SUM_SETTLED": _WHOLE,
    "hundi.partners.directory.store.SELECT_ALL": "partners are on every node",
    "hundi.partners.directory.store.SELECT_BY_CARD_TOKEN": "partners are on every node",
}
"""Statements across merchants that wait for a lost node, and the reasons.

Deletions by age (`CLEAN_UPS`) wait, too.
"""
CHOSEN = {
    "hundi.notifications.store.SELECT_OUTSTANDING": (
        "one of these two is chosen, and then looked at"
    ),
    "hundi.notifications.store.SELECT_OUTSTANDING_OF_SPAN": (
        "one of these two is chosen, and then looked at"
    ),
}
"""Statements that no call names; a reviewer checks how they run."""
BOTH = {
    "hundi.merchants.directory.store.SELECT_ALL": _KEYS,
    "hundi.money.chain.store._NEXT_MERCHANT": (
        "the day's root is of everybody, each block of one merchant"
    ),
}
"""Statements that run both ways, and the callers that wait."""


def asked_by(module: str, source: Source) -> Iterator[tuple[str, str]]:
    """Yield each statement across merchants in a call, with the name of the called function."""
    for node in source.nodes:
        if isinstance(node, ast.Call):
            called = (
                node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            )
            for given in node.args:
                name = str(reach.meant(module, given))
                if name in ACROSS_MERCHANTS or name in CLEAN_UPS:
                    yield name, called


def asked() -> dict[str, set[str]]:
    """Return each statement across merchants with the functions that run it."""
    callers: dict[str, set[str]] = {}
    for source in ours():
        for name, called in asked_by(reach.module_of(source), source):
            callers.setdefault(name, set()).add(called)
    return callers


def test_what_asks_all_merchants_goes_on_without_a_lost_node() -> None:
    plainly = {name for name, called in asked().items() if called - _LOOKS} - CLEAN_UPS
    assert plainly == WAITS.keys() | BOTH.keys()
    assert all(called & _LOOKS for name, called in asked().items() if name in BOTH)


def test_every_statement_across_merchants_is_seen() -> None:
    """Each is named in a call, so that the rule above sees which function runs it.

    The audit waits, too.
    """
    assert set(ACROSS_MERCHANTS) - set(asked()) == {"hundi.money.audit", *CHOSEN}
