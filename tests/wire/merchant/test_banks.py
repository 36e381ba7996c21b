"""The bank list: which channels are asked for, and a record of each bank."""

from typing import Any

import pytest

from hundi.wire.fields import FieldError
from hundi.wire.merchant.banks import Bank, Banks, BanksRequest
from hundi.wire.message import read_reply, read_request, write_reply
from hundi.wire.parts import Values


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, BanksRequest()),
        (
            {"chmod": "nb", "mer_dom": "aHR0cHM6Ly94"},
            BanksRequest(channels=("nb",), shop="aHR0cHM6Ly94"),
        ),
        ({"chmod": "nb_emi_nb"}, BanksRequest(channels=("nb", "emi"))),
    ],
)
def test_banks(values: Values, expected: BanksRequest) -> None:
    assert read_request(BanksRequest, values) == expected


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"chmod": "bank"}, "chmod"),
        ({"chmod": ["nb"]}, "chmod"),
        ({"mer_dom": "x" * 256}, "mer_dom"),
    ],
)
def test_banks_bounds(values: dict[str, Any], field: str) -> None:
    with pytest.raises(FieldError) as caught:
        read_request(BanksRequest, values)
    assert caught.value.field == field


def test_a_bank_is_flat_and_a_list_of_banks_is_an_array() -> None:
    bank = Bank(
        channel="nb",
        channel_name="Net banking",
        title="Net banking",
        code="HDFC_C",
        name="HDFC Bank",
        health="up",
        minimum_paise=100,
    )
    sent = write_reply(Banks(banks=(bank,)))
    assert sent == [
        {
            "chmod": "nb",
            "channel_name": "Net banking",
            "title": "Net banking",
            "description": "",
            "bank_code": "HDFC_C",
            "bank_name": "HDFC Bank",
            "health": "up",
            "min_amount": "1.00",
            "max_amount": "",
        }
    ]
    assert read_reply(Banks, sent) == Banks(banks=(bank,))


@pytest.mark.parametrize("sent", [{}, None, "", [1]])
def test_what_is_no_array_of_objects_is_no_list_of_banks(sent: Any) -> None:
    with pytest.raises(FieldError):
        read_reply(Banks, sent)
