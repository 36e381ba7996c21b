"""Until when the law keeps payments, and what an erasure says of itself."""

from datetime import date

import pytest

from hundi.payments.customers.erasing.rules import ERASED, ErasableRows, laws_of, said


@pytest.mark.parametrize(
    ("newest", "until"),
    [
        (date(2026, 11, 30), (date(2031, 11, 30), date(2033, 12, 31), date(2035, 3, 31))),
        (date(2027, 3, 31), (date(2032, 3, 31), date(2033, 12, 31), date(2035, 3, 31))),
        (date(2027, 4, 1), (date(2032, 4, 1), date(2034, 12, 31), date(2036, 3, 31))),
        (date(2028, 2, 29), (date(2033, 2, 28), date(2034, 12, 31), date(2036, 3, 31))),
    ],
)
def test_terms_go_by_the_transaction_and_by_its_financial_year(
    newest: date, until: tuple[date, ...]
) -> None:
    assert tuple(each.until for each in laws_of(newest)) == until


def test_every_kind_that_is_erased_has_words() -> None:
    assert list(ERASED) == list(ErasableRows.__slots__)


def test_an_erasure_says_what_it_did() -> None:
    assert said(ErasableRows(letters=2, links=1)) == (
        "Erased: letters: 2, contact data of payment links that are over: 1."
    )
    assert said(ErasableRows()) == "Nothing was left to erase."
