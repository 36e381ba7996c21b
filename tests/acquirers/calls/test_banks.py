"""Tables of banks and wallets, and what an operator's account has of them."""

import pytest

from hundi.acquirers.calls.banks import ANY_BANK, any_bank, bank_table
from hundi.acquirers.kinds import AcquirerConfigurationError, banks_of
from hundi.acquirers.port.payments import BankEntry

TABLE = bank_table(
    netbanking="""
HDFC HDFB HDFC Bank
HDFC_C HDFCCONB HDFC Bank - Corporate
""",
    wallet="PHPE PHONEPE PhonePe",
)


def test_a_line_is_our_code_the_acquirers_and_a_name() -> None:
    assert TABLE.entries == (
        BankEntry("netbanking", "HDFC", "HDFC Bank"),
        BankEntry("netbanking", "HDFC_C", "HDFC Bank - Corporate"),
        BankEntry("wallet", "PHPE", "PhonePe"),
    )
    assert TABLE.codes["netbanking", "HDFC_C"] == "HDFCCONB"


def test_an_account_has_those_that_its_operator_lists_or_all() -> None:
    assert banks_of("payu", TABLE, ()).entries == TABLE.entries
    listed = banks_of("payu", TABLE, ("PHPE", "HDFC"))
    assert [each.code for each in listed.entries] == ["HDFC", "PHPE"]
    with pytest.raises(AcquirerConfigurationError, match=r"payu: banks: this acquirer has no SBIN"):
        banks_of("payu", TABLE, ("SBIN", "HDFC"))


def test_a_choice_on_the_acquirers_page_is_one_entry() -> None:
    table = any_bank("Someone", netbanking="NB", wallet="MW")
    assert [each.name for each in table.entries] == [
        "All banks, on Someone's page",
        "All wallets, on Someone's page",
    ]
    assert table.codes == {("netbanking", ANY_BANK): "NB", ("wallet", ANY_BANK): "MW"}
