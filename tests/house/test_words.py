"""Words that were replaced by the field's own do not come back."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.house.source import Source, assert_kept, everything

SAY = {
    "BankWord": "BankCallback",
    "Breach": "Violation",
    "BOUNCED": "ABANDONED",
    "Courier": "CallbackSender",
    "Deed": "the name of what changes, such as LeadEvent",
    "Desk": "a context, such as LeadContext",
    "Houses": "BankChoices",
    "LAPSED": "EXPIRED",
    "Office": "OperatorContext",
    "PaymentPorts": "PaymentContext",
    "UNANSWERED": "UNKNOWN",
    "Wish": "the request, such as RefundRequest",
    "charge_unattended": "charge_moto",
    "courier": "callback_sender",
    "give_back": "refund, void or release",
    "open_office": "open_operator_context",
    "open_visit": "open_bank_redirect",
    "start_visit": "start_redirect",
    "turn_dial": "inject_faults",
}
"""A replaced name, and what to say instead (docs/glossary.md)."""
ELSEWHERE = {"BOUNCED": ("src/hundi/letters/", "src/hundi/console/letters.py", "tests/letters/")}
"""Names that are the field's own word in these places: a mail bounces, and no payment does."""

PHRASES = {
    r"\btells? whether\b": "return whether",
    r"\bnone too many\b": "within the limit",
    r"\bmet its twin\b": "duplicate id",
    r"\bis not overtaken\b": "still holds its lease",
    r"\bbusiness verbs\b": "actions",
    r"\bknow (nobody|nothing)\b": "start without",
    r"\bwhat came of\b": "the result of",
    r"\bas (it is|they are) then\b": "the new state",
    r"\bthat is looked at\b": "of the place",
    r"\bwhat is told\b": "the message",
}
"""A riddle, as a pattern, and what to say instead."""


def old_name(source: Source) -> Iterator[str]:
    """Find a name that is gone."""
    for node in source.nodes:
        match node:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.arg(arg=name)
                | ast.alias(name=name)
            ):
                pass
            case (
                ast.ClassDef(name=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                pass
            case _:
                continue
        if name in SAY and not source.name.startswith(ELSEWHERE.get(name, ())):
            yield f"{getattr(node, 'lineno', 1)} {name}: say {SAY[name]}"


def riddle(source: Source) -> Iterator[str]:
    """Find a docstring or comment with a phrase that readers stumble over."""
    for line, text in source.prose():
        for pattern, plain in PHRASES.items():
            match = re.search(pattern, " ".join(text.split()), re.IGNORECASE)
            if match:
                yield f"{line} {match[0]!r}: say {plain}"


def test_old_names_do_not_come_back() -> None:
    assert_kept(old_name, everything())


def test_prose_has_no_riddles() -> None:
    assert_kept(riddle, everything())


# --- the rules find what they are for ---


@pytest.mark.parametrize(
    "planted",
    [
        "class Desk: ...",
        "def f(courier): ...",
        "A.BOUNCED",
        "from a import Wish",
        "async def open_visit(): ...",
    ],
)
def test_an_old_name_is_found(planted: str) -> None:
    assert len(list(old_name(Source("a.py", planted)))) == 1


def test_a_mail_bounces_and_a_payment_does_not() -> None:
    assert list(old_name(Source("src/hundi/letters/rules.py", "A.BOUNCED"))) == []
    assert list(old_name(Source("src/hundi/letters/rules.py", "A.UNANSWERED")))
    assert list(old_name(Source("src/hundi/payments/orders/rules.py", "A.BOUNCED")))


def test_an_old_name_inside_another_is_left_alone() -> None:
    assert list(old_name(Source("a.py", "class Deskew: ...\nwishlist = 'Desk'\n"))) == []


def test_a_riddle_is_found() -> None:
    planted = 'def f():\n    """Tell\n    whether it is open."""\n    # an id met its twin\n'
    assert list(riddle(Source("a.py", planted))) == [
        "2 'Tell whether': say return whether",
        "4 'met its twin': say duplicate id",
    ]


def test_a_string_that_is_no_prose_is_left_alone() -> None:
    assert list(riddle(Source("a.py", "text = 'met its twin'\n"))) == []
