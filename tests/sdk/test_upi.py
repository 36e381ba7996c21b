"""A QR for one order, and what the network says of an address."""

from datetime import UTC, datetime

import pytest

from hundi.sdk import QrOrder, errors
from tests.sdk.both_clients import Call
from tests.sdk.gateway_double import BUYER, QR_PNG, GatewayDouble


def test_a_qr_is_typed(call: Call) -> None:
    double = GatewayDouble()
    order = QrOrder(order_id="Q-1", amount_paise=149_950, buyer=BUYER, custom_var="a=1")
    qr = call(double, "generate_qr", order)
    assert (qr.transaction_id, qr.order_id) == ("215000000000002", "Q-1")
    assert (qr.text, qr.png) == ("upi://pay?pa=shop@hundi&am=1499.50", QR_PNG)
    assert qr.expires_at == datetime(2026, 11, 20, 8, 43, 6, tzinfo=UTC)
    sent = double.opened[-1]
    assert (sent["amount"], sent["currency_code"], sent["buyer_firstname"]) == (
        "1499.50",
        "356",
        "आशा",
    )
    assert (sent["customvar"], sent["mer_dom"]) == ("a=1", "aHR0cHM6Ly9zaG9wLmV4YW1wbGU=")
    assert "png" not in repr(qr)


@pytest.mark.parametrize(
    ("order", "field"),
    [
        (QrOrder(order_id="a b", amount_paise=1), "orderid"),
        (QrOrder(order_id="Q", amount_paise=0), "amount"),
        (QrOrder(order_id="Q", amount_paise=1, currency="XYZ"), "currency_code"),
        (QrOrder(order_id="Q", amount_paise=1, custom_var="x" * 5_000), "customvar"),
    ],
)
def test_a_qr_that_cannot_be_is_not_asked_for(call: Call, order: QrOrder, field: str) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, "generate_qr", order)
    assert (caught.value.field, double.paths) == (field, [])


QR = {"orderid": "Q", "ap_transactionid": "7", "qr_string": "upi://pay", "qr_image": "iVBORw0K"}


def test_a_qr_without_what_is_ours_alone_is_read(call: Call) -> None:
    qr = call(GatewayDouble(odd=QR), "generate_qr", QrOrder(order_id="Q", amount_paise=1))
    assert (qr.text, qr.expires_at) == ("upi://pay", None)


@pytest.mark.parametrize("lost", ["ap_transactionid", "qr_string", "qr_image"])
def test_half_a_qr_is_unreadable(call: Call, lost: str) -> None:
    with pytest.raises(errors.UnreadableReplyError, match=lost):
        call(
            GatewayDouble(odd=QR | {lost: ""}), "generate_qr", QrOrder(order_id="Q", amount_paise=1)
        )


@pytest.mark.parametrize("ends", ["soon", "2026-11-20 14:13:06"])
def test_a_qr_whose_end_is_no_moment_is_unreadable(call: Call, ends: str) -> None:
    with pytest.raises(errors.UnreadableReplyError, match="expires_at"):
        call(
            GatewayDouble(odd=QR | {"expires_at": ends}),
            "generate_qr",
            QrOrder(order_id="Q", amount_paise=1),
        )


def test_a_qr_for_another_order_is_a_mismatch(call: Call) -> None:
    with pytest.raises(errors.MismatchError, match="orderid"):
        call(GatewayDouble(odd=QR), "generate_qr", QrOrder(order_id="Q-1", amount_paise=100))


@pytest.mark.parametrize(
    ("address", "registered", "name"), [("Asha@Hundi", True, "ASHA RAO"), ("xy@hundi", False, "")]
)
def test_an_address_is_registered_or_not(
    call: Call, address: str, *, registered: bool, name: str
) -> None:
    told = call(GatewayDouble(), "validate_vpa", address)
    assert (told.address, told.is_registered, told.name) == (address.lower(), registered, name)
    assert "ASHA" not in repr(told)


def test_a_malformed_address_is_not_asked_about(call: Call) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, "validate_vpa", "asha")
    assert (caught.value.field, double.paths) == ("vpa", [])
