"""The auditor names events and news by words of its own.

Here they are compared with the words that are written.
"""

import re

from hundi.kernel.events import Kind
from hundi.kernel.states import EventKind
from hundi.money.audit import actions

TEXTS = "\n".join(actions.CHECKS.values())
WORD = re.compile(r"'(\w+)'")


def test_the_auditor_knows_every_kind_of_news() -> None:
    cases = re.findall(r"d\.kind (?:=|IN) (\([^)]*\)|'\w+')", TEXTS)
    assert {word for text in cases for word in WORD.findall(text)} == set(Kind)


def test_the_auditor_names_events_that_are_written() -> None:
    compared = re.findall(r"\be\.kind (?:=|<>|IN) (\([^)]*\)|'\w+')", TEXTS)
    # Where news and event have the same name.
    compared += re.findall(r"d\.kind IN (\([^)]*\)) THEN e\.kind <> d\.kind", TEXTS)
    named = {word for text in compared for word in WORD.findall(text)}
    quiet = {EventKind.MANDATE_APPROVED, EventKind.DEBIT_DONE}
    of_mandates = {each for each in EventKind if each.startswith(("mandate_", "debit_"))}
    of_disputes = {each for each in EventKind if each.startswith("dispute_")}
    of_refunds = {
        EventKind.EXCESS_PAYMENT,
        *(each for each in EventKind if each.startswith("refund_")),
    }
    of_refunds -= {EventKind.REFUND_BEGUN}
    told = of_refunds | of_disputes | of_mandates - quiet
    reviews = {EventKind.HELD, EventKind.REVIEW_RELEASED, EventKind.REVIEW_REJECTED}
    assert named == told | reviews
