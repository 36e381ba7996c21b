"""A batch of refunds: answered in order, never begun twice, checked before it is sent."""

import pytest

from hundi.sdk import RefundItem, RefundResult, errors
from tests.sdk.both_clients import ID, Call
from tests.sdk.gateway_double import GatewayDouble, refused, reply, success


def test_refunds_are_answered_in_order(call: Call) -> None:
    double = GatewayDouble(refunded={7: 224000000000009})
    items = [RefundItem(ID, 1050), RefundItem("7"), RefundItem("8")]
    first, second, third = call(double, "refund", items, request_id="batch-1")
    assert first == RefundResult(
        transaction_id=ID,
        accepted=True,
        refund_id="224000000000001",
        amount_paise=1050,
        message="Refund accepted",
        code="00",
    )
    assert first.error is None
    assert (second.accepted, second.refund_id, second.amount_paise) == (False, "", None)
    assert isinstance(second.error, errors.StateRefusedError)
    assert (second.error.code, second.error.retry) == ("120", "never")
    assert (third.accepted, third.amount_paise) == (True, 149_950)
    assert double.opened[-1]["refund_request_id"] == "batch-1"
    assert double.opened[-1]["mode"] == "refund"


def test_a_thousand_refunds_travel(call: Call) -> None:
    items = [RefundItem(str(215_000_000_000_000 + number), 149_950) for number in range(1_000)]
    results = call(GatewayDouble(), "refund", items, request_id="batch-2")
    assert [each.transaction_id for each in results] == [each.transaction_id for each in items]
    assert all(each.accepted for each in results)


@pytest.mark.parametrize(
    ("items", "request_id", "field"),
    [
        ([], "r", "transactions"),
        ([RefundItem("7")] * 1_001, "r", "transactions"),
        ([RefundItem("7")], "", "refund_request_id"),
        ([RefundItem("7")], "a b", "refund_request_id"),
        ([RefundItem("7")], "console-215000000000001", "refund_request_id"),
        ([RefundItem("7"), RefundItem("x7")], "r", "transactions[1].ap_transactionid"),
        ([RefundItem("")], "r", "transactions[0].ap_transactionid"),
        ([RefundItem("7", 0)], "r", "amount"),
        ([RefundItem("7", -5)], "r", "amount"),
        ([RefundItem("7", 10.5)], "r", "amount"),
        ([RefundItem("7", 10**12)], "r", "transactions[0].amount"),
    ],
)
def test_a_batch_that_cannot_be_is_not_sent(
    call: Call, items: list[RefundItem], request_id: str, field: str
) -> None:
    double = GatewayDouble()
    with pytest.raises(errors.InvalidRequestError) as caught:
        call(double, "refund", items, request_id=request_id)
    assert caught.value.field == field
    assert double.paths == []


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [{"ap_transactionid": 8, "success": "true", "refund_id": 1}],
        [{"ap_transactionid": 7, "success": "true", "refund_id": 1, "amount": "1,000"}],
        [{"ap_transactionid": 7, "success": "true", "refund_id": 1}] * 2,
    ],
)
def test_answers_about_other_refunds_are_not_believed(call: Call, answers: list[object]) -> None:
    with pytest.raises(errors.UnreadableReplyError):
        call(
            GatewayDouble(odd={"transactions": answers}),
            "refund",
            [RefundItem("7")],
            request_id="r",
        )


def test_a_request_id_used_for_other_refunds_says_so(call: Call) -> None:
    double = GatewayDouble()
    token = reply(success({"access_token": "t", "expires_in": "300"}))
    double.queue = [
        token,
        reply(refused("122", "This request id was already used with other content")),
    ]
    with pytest.raises(errors.OrderRefusedError) as caught:
        call(double, "refund", [RefundItem("7")], request_id="r")
    assert (caught.value.code, caught.value.retry) == ("122", "after_fix")
