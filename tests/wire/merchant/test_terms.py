"""Messages about what a merchant is settled by.

Prices as they travel, and a message without fields.
"""

import pytest

from hundi.wire.fields import FieldError
from hundi.wire.merchant.terms import NextSettlement, OwnTerms, Price
from hundi.wire.message import read_reply, read_request, write_reply

TOLD = {
    "rule": "cards",
    "channels": ["pg"],
    "networks": [],
    "not_networks": ["amex"],
    "card_types": [],
    "not_card_types": [],
    "above_amount": "",
    "up_to_amount": "2000.00",
    "percent": "1.85",
    "fixed_amount": "0.00",
    "minimum_amount": "0.00",
    "maximum_amount": "",
}


def test_a_price_is_read_and_written_as_it_was() -> None:
    price = read_reply(Price, TOLD)
    assert (price.channels, price.not_networks, price.basis_points) == (("pg",), ("amex",), 185)
    assert (price.above_paise, price.up_to_paise, price.minimum_paise) == (None, 200_000, 0)
    assert list(write_reply(price).items()) == list(TOLD.items())


@pytest.mark.parametrize("wrong", [{"channels": "pg"}, {"up_to_amount": "x"}, {"percent": ""}])
def test_a_price_that_is_none_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(FieldError) as refused:
        read_reply(Price, TOLD | wrong)
    assert refused.value.field in wrong


def test_an_empty_time_is_none_and_a_balance_keeps_its_sign() -> None:
    told = {
        "settlement_day": "",
        "due_at": "",
        "items": 0,
        "net_amount": "0.00",
        "splits_amount": "0.00",
        "carried_amount": "-1.50",
        "iso_currency": "INR",
        "held": True,
    }
    ahead = read_reply(NextSettlement, told)
    assert (ahead.day, ahead.due_at, ahead.carried_paise, ahead.held) == (None, None, -150, True)
    assert write_reply(ahead) == told


def test_a_message_without_fields_takes_none_of_the_payment_page() -> None:
    assert read_request(OwnTerms, {"request_seal": "x"}) == OwnTerms()
    with pytest.raises(FieldError) as refused:
        read_request(OwnTerms, {"buyer_email": "asha@example.in"})
    assert refused.value.allowed == "only no field"
