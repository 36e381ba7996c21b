"""Capture and void: one ending, about the right transaction, and what cannot be."""

import pytest

from hundi.sdk import errors
from hundi.wire.merchant.record import TransactionRecord
from tests.sdk.both_clients import AUTHORISED, ID, Call
from tests.sdk.gateway_double import GatewayDouble, changed, reply, success


def test_an_authorisation_is_captured_once(call: Call) -> None:
    double = GatewayDouble(record=AUTHORISED)
    told = call(double, "capture", ID, amount_paise=100_000)
    assert (told.payment_status, told.transaction_type) == ("CAPTURE", 330)
    assert told.is_paid
    assert not told.is_voided
    assert double.opened[-1]["amount"] == "1000.00"
    with pytest.raises(errors.StateRefusedError) as caught:
        call(double, "capture", ID)
    assert (caught.value.code, caught.value.retry) == ("120", "never")
    assert "amount" not in double.opened[-1]


def test_an_authorisation_is_voided(call: Call) -> None:
    told = call(GatewayDouble(record=AUTHORISED), "void", ID)
    assert told.is_voided
    assert told.is_final
    assert not told.is_paid


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (changed(AUTHORISED, ap_transactionid="9"), errors.MismatchError),
        (changed(AUTHORISED, merchant_id="54321"), errors.MismatchError),
        (changed(AUTHORISED, keep_hash=True, message="Success!"), errors.SecureHashError),
    ],
)
def test_an_ending_of_something_else_is_not_believed(
    call: Call, record: TransactionRecord, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        call(GatewayDouble(odd=record.written()), "capture", ID)


@pytest.mark.parametrize("amount_paise", [0, -1, 10.0, True])
def test_an_amount_that_is_none_is_not_captured(call: Call, amount_paise: object) -> None:
    double = GatewayDouble(record=AUTHORISED)
    with pytest.raises(errors.InvalidRequestError, match="amount"):
        call(double, "capture", ID, amount_paise=amount_paise)
    assert double.paths == []


def test_a_forgotten_token_is_renewed_for_what_moves_money(call: Call) -> None:
    double = GatewayDouble(record=AUTHORISED)
    double.queue = [reply(success({"access_token": "old", "expires_in": "300"}))]
    assert call(double, "capture", ID).is_paid
    assert len(double.tokens) == 1
