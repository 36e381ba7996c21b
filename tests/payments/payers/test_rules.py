"""Payers' questions: what can be typed, the code, and when nothing is sent any more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.payments.payers.rules import (
    CODES_A_DAY_MAX,
    CODES_AN_HOUR_MAX,
    SentBefore,
    code_of,
    contact_of,
    is_code,
    limit_key,
    reference_of,
)

SECRET = bytes(range(32))
QUESTION = 217_000_000_000_001


@pytest.mark.parametrize(
    ("typed", "contact"),
    [
        (" Asha@Example.IN ", "asha@example.in"),
        ("+91 98765-43210", "9876543210"),
        ("09876543210", "9876543210"),
        ("98765", ""),
        ("asha@", ""),
        ("a@b.example\r\nBcc: c@d.example", ""),
        ("x" * 300 + "@example.in", ""),
        ("", ""),
    ],
)
def test_a_contact_is_compared_in_one_form(typed: str, contact: str) -> None:
    assert contact_of(typed) == contact


@pytest.mark.parametrize(
    ("typed", "reference"),
    [
        (" AH-1 ", "AH-1"),
        ("633400001000", "633400001000"),
        ("217000000000001", "217000000000001"),
        ("x" * 100, "x" * 100),
        ("x" * 101, ""),
        ("  ", ""),
        ("AH\x00-1", ""),
        ("my card 4111 1111 1111 1111", "my card [card]"),
    ],
)
def test_a_reference_stays_exact_and_a_card_in_words_does_not(typed: str, reference: str) -> None:
    assert reference_of(typed) == reference


def test_a_code_has_six_digits_and_belongs_to_one_question_and_key() -> None:
    codes = {code_of(SECRET, QUESTION + number) for number in range(200)}
    assert {len(code) for code in codes} == {6}
    assert len(codes) > 190
    assert code_of(SECRET, QUESTION) != code_of(SECRET[::-1], QUESTION)
    code = code_of(SECRET, QUESTION)
    assert is_code(SECRET, QUESTION, f" {code[:3]} {code[3:]} ")
    assert not is_code(SECRET, QUESTION + 1, code)


@given(st.text())
def test_no_text_but_the_code_is_right(typed: str) -> None:
    assert is_code(SECRET, QUESTION, typed) is ("".join(typed.split()) == code_of(SECRET, QUESTION))


def test_a_limit_knows_a_recipient_in_any_case() -> None:
    assert limit_key(SECRET, "a@b.example") == limit_key(SECRET, "A@B.example")
    assert limit_key(SECRET, "a@b.example") != limit_key(SECRET, "a@c.example")


@pytest.mark.parametrize(
    ("before", "is_enough"),
    [
        (SentBefore(0, 0, 0), False),
        (SentBefore(CODES_AN_HOUR_MAX - 1, CODES_A_DAY_MAX - 1, CODES_AN_HOUR_MAX - 1), False),
        (SentBefore(CODES_AN_HOUR_MAX, CODES_AN_HOUR_MAX, 0), True),
        (SentBefore(0, CODES_A_DAY_MAX, 0), True),
        (SentBefore(0, 0, CODES_AN_HOUR_MAX), True),
    ],
)
def test_each_limit_alone_is_enough(before: SentBefore, *, is_enough: bool) -> None:
    assert before.is_enough is is_enough
