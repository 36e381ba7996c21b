"""Whatever an acquirer answers in words holds no number of a card or a person.

Each text of each answer is tried.
"""

import dataclasses
import inspect
import types
from collections.abc import Iterator
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest

from hundi.acquirers.port.answers import Approved, BankAccount, Declined, Unknown
from hundi.acquirers.port.capabilities import CAPABILITIES
from hundi.instruments.card import CardFacts
from hundi.kernel.money import Money

CARD, GROUPED, AADHAAR = "4532987610345214", "4532 9876 1034 5214", "983214065774"
TYPED = (CARD, GROUPED, AADHAAR, f"card {GROUPED} of {AADHAAR} was refused")
_FOUND_BY = "money, or what is kept for it, is found by it"
_NOT_KEPT = "goes to the customer's browser, and is not kept"
_NO_WORDS = "a number of our own, or one of some words"
EXACT: dict[tuple[str, str], str] = {
    **dict.fromkeys(
        (
            *(("Approved", "rrn"), ("Declined", "rrn"), ("Voided", "rrn")),
            *(("SentBack", "utr"), ("Underway", "utr")),
        ),
        _FOUND_BY,
    ),
    **dict.fromkeys(
        (("Approved", "approval_code"), ("CardFacts", "token"), ("PhaseName", "case")), _FOUND_BY
    ),
    **dict.fromkeys(
        (
            *(("MandateStanding", "name"), ("NoticeGiven", "name")),
            *(("ShareMade", "name"), ("ShareMade", "utr")),
        ),
        _FOUND_BY,
    ),
    **dict.fromkeys((("DisputeWord", name) for name in ("original", "receipt", "rrn")), _FOUND_BY),
    **dict.fromkeys((("BankCallback", "event_id"), ("BankCallback", "reference")), _FOUND_BY),
    **dict.fromkeys((("Trigger", "event_id"), ("TerminalSale", "reference")), _FOUND_BY),
    **dict.fromkeys(
        (("Transfer", "utr"), ("Voucher", "number"), ("Redirect", "authentication_id")), _FOUND_BY
    ),
    **dict.fromkeys((("BankEntry", "code"), ("InstalmentPlan", "bank_code")), _FOUND_BY),
    **dict.fromkeys(
        (("VirtualAccount", "number"), ("VirtualAccount", "ifsc")), "where a customer sends money"
    ),
    **dict.fromkeys(
        (("BankAccount", "number"), ("BankAccount", "ifsc")),
        "a bank account, kept sealed or as a hash",
    ),
    **dict.fromkeys(
        (("Redirect", "url"), ("UpiLink", "url"), ("VirtualAccount", "app_link")), _NOT_KEPT
    ),
    **dict.fromkeys(
        (("BookEntry", name) for name in ("kind", "reference", "rrn", "state", "currency")),
        "not kept",
    ),
    **dict.fromkeys(
        ((page, "next") for page in ("BookPage", "DisputePage", "ReportPage", "TotalsPage")),
        "sent back there",
    ),
    **dict.fromkeys(
        (("Money", "currency"), ("Transfer", "mode"), ("BankEntry", "method")), _NO_WORDS
    ),
    **dict.fromkeys(
        (("TerminalSale", name) for name in ("terminal_id", "kind", "mobile")),
        "checked where it is kept",
    ),
    **dict.fromkeys((("Authentication", "trans_status"), ("Authentication", "eci")), _NO_WORDS),
}
"""Texts of answers that stay as they came, and why."""
REFERENCES = {
    *(("ReportLine", name) for name in ("reference", "number", "settlement", "utr")),
    *(("SettlementTotal", name) for name in ("settlement", "utr")),
}
"""Texts that are exact while they are one word."""
ADDRESSES = {("Approved", "payer_vpa")}
"""Twelve digits of a UPI address may be a telephone number."""


def answers() -> set[type]:
    """Return every kind of value that a connector answers with, and what they are made of."""
    found: set[type] = set()
    for capability in CAPABILITIES.values():
        for call in vars(capability).values():
            if inspect.isfunction(call) and "return" in (hints := get_type_hints(call)):
                found |= set(records_in(hints["return"]))
    return found


def records_in(hint: Any) -> Iterator[type]:
    """Yield the records of a type.

    Itself, members of a union, elements, and what their fields are.
    """
    if get_origin(hint) in {Union, types.UnionType, tuple}:
        for each in get_args(hint):
            yield from records_in(each)
    elif dataclasses.is_dataclass(hint) or (
        isinstance(hint, type) and issubclass(hint, msgspec.Struct)
    ):
        assert isinstance(hint, type)
        yield hint
        for each in get_type_hints(hint).values():
            yield from records_in(each)


def texts_of(kind: type) -> list[str]:
    return [name for name, hint in get_type_hints(kind).items() if hint is str]


TEXTS = sorted((kind.__name__, name) for kind in answers() for name in texts_of(kind))
KINDS = {kind.__name__: kind for kind in answers()}


def made(kind: type, name: str, text: str) -> Any:
    """Return an answer with a text in one field, and valid values in other required fields."""
    fitting = {str: "", int: 1, bool: False, Money: Money(1)}
    hints = get_type_hints(kind)
    needed = {
        each: fitting.get(hints[each])
        for each in inspect.signature(kind).parameters
        if each in hints
    }
    return kind(**needed | {name: text})


@pytest.mark.parametrize(("kind", "name"), [each for each in TEXTS if each not in EXACT])
def test_words_of_an_answer_are_masked_when_it_is_made(kind: str, name: str) -> None:
    for typed in TYPED:
        kept = getattr(made(KINDS[kind], name, typed), name)
        if ((kind, name) in REFERENCES and typed.isalnum()) or (
            (kind, name) in ADDRESSES and typed == AADHAAR
        ):
            assert kept == typed
        else:
            assert all(each not in kept for each in (CARD, GROUPED, AADHAAR)), (kind, name, kept)


def test_what_stays_exact_is_still_answered() -> None:
    assert set(EXACT) <= set(TEXTS)
    assert len(TEXTS) - len(EXACT) >= 15


def test_an_answer_without_numbers_is_as_it_was_made() -> None:
    said = Declined("U30", "The debit was declined at 14:05 (code 51).", "632499999999")
    assert (said.code, said.message, said.rrn) == (
        "U30",
        "The debit was declined at 14:05 (code 51).",
        "632499999999",
    )
    account = BankAccount(CARD, "HDFC0000001")
    paid = Approved(Money(100), AADHAAR, payer_vpa="919876543210@upi", payer_account=account)
    assert (paid.rrn, paid.payer_vpa, paid.payer_account) == (AADHAAR, "919876543210@upi", account)
    assert CardFacts("1111", "visa", "credit", "Bank", "IN", CARD).token == CARD


@pytest.mark.parametrize("length", range(200, 220))
def test_a_number_that_was_cut_off_with_the_words_goes_too(length: int) -> None:
    said = f"{'The bank says a lot. ' * 10}{GROUPED} was refused"[:length]
    assert "4532 987" not in Unknown("", said).message


def test_an_answer_that_is_decoded_or_changed_is_masked_as_well() -> None:
    told = msgspec.convert({"amount": Money(1), "rrn": "1", "message": GROUPED}, Approved)
    assert told.message == "[card]"
    assert msgspec.structs.replace(told, message=GROUPED).message == "[card]"
    assert dataclasses.replace(Unknown(), message=GROUPED).message == "[card]"
