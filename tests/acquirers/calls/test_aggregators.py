"""What aggregators share: amounts as acquirers write them."""

import pytest

from hundi.acquirers.calls.aggregators import paise_of, whole_of


@pytest.mark.parametrize(
    ("said", "paise"),
    [
        ("1499.50", 149_950),
        ("1499.5000", 149_950),
        ("0.01", 1),
        ("99999999999.99", 9_999_999_999_999),
        ("1499.505", 0),
        ("100000000000.00", 0),
        ("-1.00", 0),
        ("1e3", 0),
        ("1,499.50", 0),
        ("\u0967.00", 0),
        ("", 0),
        (None, 0),
        ([], 0),
        ({"value": "1.00"}, 0),
        (True, 0),
    ],
)
def test_an_amount_is_one_or_nothing(said: object, paise: int) -> None:
    assert paise_of(said) == paise


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("0", 0),
        ("007", 7),
        ("9999999999999", 9_999_999_999_999),
        ("10000000000000", None),
        ("9" * 5_000, None),
        ("\u00b2", None),
        ("\u0967", None),
        ("-1", None),
        ("1\n", None),
        ("", None),
        (1, None),
        (None, None),
    ],
)
def test_a_whole_number_is_of_plain_digits_and_not_too_large(said: object, number: object) -> None:
    assert whole_of(said) == number
