"""The chart of accounts."""

import pytest

from hundi.money.ledger.chart import rules as chart


def test_every_account_is_found_by_the_code_that_postings_carry() -> None:
    for account in chart.CHART.values():
        assert chart.account_of(account.code) is account
    assert chart.account_of(chart.receivable_from("sandbox")) is chart.RECEIVABLE


def test_an_account_outside_the_chart_is_refused() -> None:
    with pytest.raises(KeyError):
        chart.account_of("suspense")
