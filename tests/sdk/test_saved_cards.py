"""Saved cards by the SDK: what it sends, reads and does not believe."""

from datetime import UTC, datetime

import pytest

from hundi.sdk import Order, errors
from hundi.wire.message import write_reply
from tests.sdk.both_clients import Call
from tests.sdk.card_double import KEPT
from tests.sdk.gateway_double import BUYER, PAID, GatewayDouble, changed


def test_an_order_names_customer_and_card() -> None:
    sent = Order(
        order_id="O-1", amount_paise=100, buyer=BUYER, customer_id="asha-7", saved_card="card_1"
    ).fields()
    assert (sent["UID"], sent["token"]) == ("asha-7", "card_1")
    assert {"UID", "token"}.isdisjoint(
        Order(order_id="O-1", amount_paise=100, buyer=BUYER).fields()
    )


def test_cards_are_listed_and_deleted(call: Call) -> None:
    double = GatewayDouble()
    (card,) = call(double, "saved_cards", "asha-7")
    assert (card.token, card.customer_id, card.number, card.scheme) == (
        "card_1",
        "asha-7",
        "XXXXXXXXXXXX1111",
        "Visa",
    )
    assert (card.type, card.issuer) == ("cc", "Simulated Issuer Bank")
    assert card.saved_at == datetime(2026, 11, 20, 8, 35, 6, tzinfo=UTC)
    assert "card_1" not in repr(card)
    assert call(double, "delete_saved_card", "card_1") == card


def test_a_payment_says_which_card_was_kept(call: Call) -> None:
    told = call(
        GatewayDouble(record=changed(PAID, token="card_1")),
        "verify",
        order_id="ORD-1001",
        amount_paise=149_950,
    )
    assert told.saved_card == "card_1"


@pytest.mark.parametrize(
    ("name", "argument", "data"),
    [
        ("saved_cards", "asha-7", {"cards": [write_reply(KEPT) | {"UID": "ravi-8"}]}),
        ("delete_saved_card", "card_1", write_reply(KEPT) | {"token": "card_2"}),
    ],
)
def test_anothers_card_is_a_mismatch(call: Call, name: str, argument: str, data: object) -> None:
    with pytest.raises(errors.MismatchError) as caught:
        call(GatewayDouble(odd=data), name, argument)
    assert "card_" not in str(caught.value)


def test_nobodys_cards_are_not_asked_for(call: Call) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, "saved_cards", "")
    assert (caught.value.field, double.paths) == ("UID", [])
