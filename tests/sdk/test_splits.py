"""The division of a settlement: by percentages, by amounts, and what cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.sdk import Split, SplitType, errors
from tests.sdk.both_clients import ID, Call, in_sync
from tests.sdk.gateway_double import PAID, GatewayDouble

SHARES = {"vendor-1": 2025, "vendor-2": 975}
SPLIT = Split(transaction_id=ID, rrn=PAID.rrn, request_id="1001", primary=7000, shares=SHARES)


def test_a_split_by_percentages(call: Call) -> None:
    double = GatewayDouble()
    told = call(double, "split", SPLIT)
    assert (told.request_id, told.transaction_id, told.status) == ("1001", ID, "configured")
    assert told.shares_paise == {"vendor-1": 30_364, "vendor-2": 14_620}
    assert told.primary_paise == 104_966
    assert double.opened[-1]["primary_split_value"] == "70.00"
    assert double.opened[-1]["splits"][0] == {"identifier": "vendor-1", "value": "20.25"}


@given(
    st.integers(0, 10**9),
    st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.integers(1, 10**9)),
)
def test_a_split_by_amounts_comes_back_to_the_paisa(primary: int, shares: dict[str, int]) -> None:
    asked = Split(
        transaction_id="7",
        rrn="",
        request_id="1",
        primary=primary,
        shares=shares,
        unit=SplitType.ABSOLUTE,
    )
    if not 1 <= len(shares) <= 50:
        with pytest.raises(errors.InvalidRequestError, match="parts"):
            in_sync(GatewayDouble(), "split", asked)
        return
    told = in_sync(GatewayDouble(), "split", asked)
    assert (told.primary_paise, told.shares_paise) == (primary, shares)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"primary": 6999}, "splits"),
        ({"primary": -1}, "primary_split_value"),
        ({"shares": {"v": 0}}, "value"),
        ({"shares": {"a|b": 3000}}, "splits[0].identifier"),
        ({"request_id": "r-1"}, "split_request_id"),
        ({"transaction_id": ""}, "ap_transactionid"),
    ],
)
def test_a_split_that_cannot_be_is_not_sent(
    call: Call, changes: dict[str, object], field: str
) -> None:
    double = GatewayDouble()
    values = {
        name: getattr(SPLIT, name)
        for name in ("transaction_id", "rrn", "request_id", "primary", "shares")
    }
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, "split", Split(**(values | changes)))
    assert (caught.value.field, double.paths) == (field, [])


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"split_request_id": "2", "ap_transactionid": ID}, "split_request_id"),
        ({"split_request_id": "1001", "ap_transactionid": "8"}, "ap_transactionid"),
    ],
)
def test_a_split_of_something_else_is_a_mismatch(
    call: Call, data: dict[str, object], field: str
) -> None:
    told = data | {"primary_amount": "0.00", "splits": []}
    with pytest.raises(errors.MismatchError) as caught:
        call(GatewayDouble(odd=told), "split", SPLIT)
    assert caught.value.field == field
