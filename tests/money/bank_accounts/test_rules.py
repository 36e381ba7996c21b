"""Whose account it is, and what an account has to look like."""

import pytest

from hundi.kernel.refusals import Refused
from hundi.money.bank_accounts.rules import check_account, is_same_name


@pytest.mark.parametrize(
    ("asked", "registered"),
    [
        ("Asha Stores", "ASHA STORES"),
        ("Asha Stores", "STORES ASHA"),
        ("Chai House Pvt. Ltd.", "CHAI HOUSE PRIVATE LIMITED"),
        ("Asha Rao", "MRS ASHA RAO"),
        ("Rao & Sons", "RAO AND SONS"),
        ("M/s Weaver", "WEAVER"),
        ("Mr", "MR"),
    ],
)
def test_names_that_are_the_same(asked: str, registered: str) -> None:
    assert is_same_name(asked, registered)


@pytest.mark.parametrize(
    ("asked", "registered"),
    [
        ("Asha Rao", "ASHA"),
        ("Asha Rao", "ASHA RAI"),
        ("Asha", "SOMEBODY ELSE"),
        ("S Kumar", "M KUMAR"),
        ("S Kumar", "KUMAR"),
        ("Ramesh", "M S RAMESH"),
        ("Asha", ""),
        ("-", "-"),
        ("", ""),
    ],
)
def test_names_that_differ(asked: str, registered: str) -> None:
    assert not is_same_name(asked, registered)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("beneficiary", ("", "Asha", "50100012349999", "HDFC0000001", "Meera")),
        ("holder", ("primary", "=cmd()", "50100012349999", "HDFC0000001", "Meera")),
        ("number", ("primary", "Asha", "5010 0012", "HDFC0000001", "Meera")),
        ("number", ("primary", "Asha", "1", "HDFC0000001", "Meera")),
        ("ifsc", ("primary", "Asha", "50100012349999", "HDFC1000001", "Meera")),
        ("as", ("primary", "Asha", "50100012349999", "HDFC0000001", "")),
    ],
)
def test_what_is_no_account_is_refused_and_no_number_repeated(
    field: str, values: tuple[str, ...]
) -> None:
    with pytest.raises(Refused) as refused:
        check_account(*values)
    assert refused.value.refusal.field == field
    assert values[2] != refused.value.refusal.received
