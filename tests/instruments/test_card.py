"""Card rules: numbers are understood, small changes caught, and no number is ever shown."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.instruments import card
from hundi.instruments.card import RANGES, CardNumber, Problem, Scheme, TypedCard

TODAY = date(2026, 11, 20)


def luhn_digit(body: str) -> str:
    return next(digit for digit in "0123456789" if card.luhn_holds(body + digit))


@st.composite
def numbers(draw) -> tuple[str, Scheme]:
    one = draw(st.sampled_from(RANGES))
    start = str(draw(st.integers(int(one.first), int(one.last))))
    scheme = card.scheme_of(start.ljust(6, "0"))
    assert scheme is not None
    length = draw(st.sampled_from(scheme.lengths))
    body = start.ljust(6, "0")
    body += "".join(
        draw(st.lists(st.sampled_from("0123456789"), min_size=length - 7, max_size=length - 7))
    )
    return body + luhn_digit(body), scheme


def typed(number="4111 1111 1111 1111", expiry="12/30", cvv="123", holder=""):
    return TypedCard(number, expiry, cvv, holder)


@pytest.mark.parametrize(
    ("number", "scheme"),
    [
        ("4111111111111111", Scheme.VISA),
        ("4000000000000119", Scheme.VISA),
        ("5267318187975449", Scheme.MASTERCARD),
        ("2223003122003222", Scheme.MASTERCARD),
        ("6082015309577308", Scheme.RUPAY),
        ("5085000000000000", Scheme.RUPAY),
        ("6521500000000000", Scheme.RUPAY),
        ("6500000000000000", Scheme.DISCOVER),
        ("6531490000000000", Scheme.RUPAY),
        ("6531500000000000", Scheme.DISCOVER),
        ("6069840000000000", Scheme.MAESTRO),
        ("6069850000000000", Scheme.RUPAY),
        ("6011111111111117", Scheme.DISCOVER),
        ("5018000000000009", Scheme.MAESTRO),
        ("378282246310005", Scheme.AMEX),
        ("30569309025904", Scheme.DINERS),
        ("3530111333300000", Scheme.JCB),
        ("9999", None),
        ("6", None),
        ("", None),
    ],
)
def test_the_most_specific_range_names_the_scheme(number, scheme):
    assert card.scheme_of(number) is scheme


@given(numbers())
def test_a_well_formed_number_is_read_whatever_its_scheme(made):
    number, scheme = made
    cvv = "1" * scheme.cvv_length
    assert isinstance(card.read(typed(number, cvv=cvv), TODAY), CardNumber)


@given(numbers(), st.data())
def test_one_wrong_digit_is_always_caught(made, data):
    number, _ = made
    place = data.draw(st.integers(0, len(number) - 1))
    other = data.draw(st.sampled_from([digit for digit in "0123456789" if digit != number[place]]))
    assert not card.luhn_holds(number[:place] + other + number[place + 1 :])


@given(numbers())
def test_only_the_last_four_digits_are_shown(made):
    number, _ = made
    shown = card.masked(number)
    assert len(shown) == len(number)
    assert shown.endswith(number[-4:])
    assert set(shown[:-4]) == {"X"}


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60), st.text(max_size=300))
def test_no_typed_text_upsets_the_reader(number, expiry, cvv, holder):
    read = card.read(TypedCard(number, expiry, cvv, holder), TODAY)
    assert isinstance(read, CardNumber) or read
    assert number not in repr(TypedCard(number, expiry, cvv, holder)) or number in "TypedCard(****)"


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("", Problem.NUMBER_MISSING),
        (" - ", Problem.NUMBER_MISSING),
        ("4111 1111 1111 111a", Problem.NUMBER_NOT_DIGITS),
        ("४१११११११११११११११", Problem.NUMBER_NOT_DIGITS),
        ("41111111111", Problem.NUMBER_LENGTH),
        ("41111111111111111", Problem.NUMBER_LENGTH),
        ("41111111111111111111", Problem.NUMBER_LENGTH),
        ("9999999999999995", Problem.NUMBER_UNKNOWN_SCHEME),
        ("4111111111111112", Problem.NUMBER_CHECK_DIGIT),
    ],
)
def test_a_wrong_number_is_named(number, problem):
    assert card.read(typed(number), TODAY) == (problem,)
    assert problem.field == "number"


@pytest.mark.parametrize(
    ("expiry", "read"),
    [
        ("11/26", (11, 2026)),
        ("1126", (11, 2026)),
        ("11 / 26", (11, 2026)),
        ("12/2030", (12, 2030)),
        ("122030", (12, 2030)),
        ("11-26", (11, 2026)),
        ("12/46", (12, 2046)),
    ],
)
def test_expiry_is_read_as_people_write_it_and_holds_to_the_end_of_its_month(expiry, read):
    found = card.read(typed(expiry=expiry), date(2026, 11, 30))
    assert isinstance(found, CardNumber)
    assert (found.expiry_month, found.expiry_year) == read


@pytest.mark.parametrize(
    ("expiry", "problem"),
    [
        ("", Problem.EXPIRY_MISSING),
        ("13/30", Problem.EXPIRY_UNREADABLE),
        ("00/30", Problem.EXPIRY_UNREADABLE),
        ("1/3", Problem.EXPIRY_UNREADABLE),
        ("12/030", Problem.EXPIRY_UNREADABLE),
        ("१२/३०", Problem.EXPIRY_UNREADABLE),
        ("12/30" + " " * 40, Problem.EXPIRY_UNREADABLE),
        ("10/26", Problem.EXPIRY_PAST),
        ("12/0000", Problem.EXPIRY_PAST),
        ("12/47", Problem.EXPIRY_TOO_FAR),
        ("12/9999", Problem.EXPIRY_TOO_FAR),
    ],
)
def test_a_wrong_expiry_is_named(expiry, problem):
    assert card.read(typed(expiry=expiry), TODAY) == (problem,)


@pytest.mark.parametrize(
    ("number", "cvv", "problem"),
    [
        ("4111111111111111", "", Problem.CVV_MISSING),
        ("4111111111111111", "1234", Problem.CVV_LENGTH),
        ("378282246310005", "123", Problem.CVV_LENGTH),
        ("4111111111111111", "12a", Problem.CVV_LENGTH),
        ("4111111111111111", "१२३", Problem.CVV_LENGTH),
    ],
)
def test_a_wrong_security_code_is_named(number, cvv, problem):
    assert card.read(typed(number, cvv=cvv), TODAY) == (problem,)


def test_everything_wrong_is_said_at_once():
    problems = card.read(typed("1", "1", "1", "x" * 101), TODAY)
    assert isinstance(problems, tuple)
    assert [problem.field for problem in problems] == ["number", "expiry", "cvv", "holder"]


@pytest.mark.parametrize(
    "around", ["{}", '["{}","737"]', "pay with {} 12/40", "737-{}", "a{}b", "{}0"]
)
@pytest.mark.parametrize(
    "number", ["4111111111111111", "4111 1111 1111 1111", "4111.1111-11111111", "378282246310005"]
)
def test_a_number_is_found_within_a_text(number: str, around: str) -> None:
    assert card.holds_number(around.format(number))


@pytest.mark.parametrize(
    "text", ["", "149950", "+91 98765-43210", "ORD-20261122-125845", "4111111111111112", "४" * 16]
)
def test_other_numbers_are_no_card(text: str) -> None:
    assert not card.holds_number(text)


def test_a_text_with_very_many_numbers_is_not_searched_to_its_end() -> None:
    assert card.holds_number("9 " * 10_000)


def test_a_holder_has_no_control_characters() -> None:
    read = card.read(typed(holder="  Asha\0\u202e Rao\n"), TODAY)
    assert isinstance(read, card.CardNumber)
    assert read.holder == "Asha Rao"
