"""The refund batch: Base64, JSON spacing, errors of batch and items, forms of the answers."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hundi.wire import fields, strict_json
from hundi.wire.batch import Unread
from hundi.wire.codes import Code
from hundi.wire.fields import FieldError
from hundi.wire.merchant import refunds
from hundi.wire.merchant.refunds import RefundItem, RefundRequest
from hundi.wire.message import read_reply, read_request, write_reply, write_request

ID = 215000000000001


def packed(items, **spacing) -> str:
    """Return items as clients pack them."""
    return base64.b64encode(json.dumps(items, **spacing).encode()).decode()


def parse_refund(values) -> RefundRequest:
    return read_request(RefundRequest, values)


def refused(values):
    """Return the FieldError that parsing raises."""
    with pytest.raises(FieldError) as caught:
        parse_refund(values)
    return caught.value


def one(item) -> RefundItem:
    """Return the only item of a batch."""
    (found,) = parse_refund({"transactions": packed([item])}).items
    return found


def test_a_batch():
    values = {
        "mode": "refund",
        "transactions": packed(
            [{"ap_transactionid": ID, "amount": "10.50"}, {"ap_transactionid": f"{ID + 1}"}]
        ),
    }
    asked = parse_refund(values)
    items = (RefundItem(f"{ID}", 1050), RefundItem(f"{ID + 1}"))
    assert asked == RefundRequest(mode="refund", items=items, request_id="")
    again = write_request(asked)
    assert read_request(RefundRequest, again) == asked


@pytest.mark.parametrize(
    "mode", [{}, {"mode": ""}, {"mode": None}, {"mode": "refund"}, {"mode": "Refund"}]
)
def test_the_mode_may_be_missing(mode):
    assert parse_refund(mode | {"transactions": packed([{"ap_transactionid": 1}])}).mode in {
        "",
        "refund",
        "Refund",
    }


def test_another_mode_is_refused():
    assert (
        refused({"mode": "void", "transactions": packed([{"ap_transactionid": 1}])}).field == "mode"
    )


@pytest.mark.parametrize(
    "spacing", [{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}]
)
def test_json_spacing_says_nothing(spacing):
    items = [{"ap_transactionid": ID, "amount": "1.00", "note": "é"}]
    assert parse_refund({"transactions": packed(items, **spacing)}).items == (
        RefundItem(f"{ID}", 100),
    )


def test_base64_that_travelled_badly_is_read():
    # Bytes that give + and padding: plus signs turned into spaces, lines broken, padding lost.
    text = base64.b64encode(b'[{"ap_transactionid":1,"a":">>>???~~~"}] ').decode()
    assert "+" in text
    for damaged in (text.replace("+", " "), f"{text[:20]}\r\n{text[20:]}\n", text.rstrip("=")):
        assert parse_refund({"transactions": damaged}).items == (RefundItem("1"),)


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (None, "required"),
        ("", "required"),
        ("%%%%", "not Base64"),
        ("abcde", "not Base64"),
        ("é", "not Base64"),
        (base64.b64encode(b"{broken").decode(), "the text inside is not one"),
        (base64.b64encode(b'{"ap_transactionid":1}').decode(), "the text inside is not one"),
        (base64.b64encode(b'[{"ap_transactionid":1},]').decode(), "the text inside is not one"),
        (
            base64.b64encode(b'[{"ap_transactionid":1,"ap_transactionid":2}]').decode(),
            "the text inside is not one",
        ),
        (base64.b64encode(b'[1],"x":[2]').decode(), "the text inside is not one"),
        (base64.b64encode(b"\xff\xfe").decode(), "the text inside is not one"),
        (base64.b64encode(b"[" * 40 + b"]" * 40).decode(), "the text inside is not one"),
        (base64.b64encode(b"[NaN]").decode(), "the text inside is not one"),
        (
            base64.b64encode(rb'[{"ap_transactionid":"\ud800"}]').decode(),
            "the text inside is not one",
        ),
        (packed([]), "1 to 1000 items"),
        (packed([{"ap_transactionid": 1}] * 1001), "1 to 1000 items"),
    ],
)
def test_what_spoils_the_whole_batch(sent, why):
    error = refused({"transactions": sent})
    assert error.field == "transactions"
    assert why in error.allowed
    error.received.encode()


def test_a_list_that_is_not_packed_is_refused():
    assert refused({"transactions": [{"ap_transactionid": 1}]}).field == "transactions"


def test_a_thousand_items_are_read_in_order():
    items = [{"ap_transactionid": number, "amount": "1.00"} for number in range(1, 1001)]
    asked = parse_refund({"transactions": packed(items)})
    assert [each.transaction_id for each in asked.items] == [
        str(number) for number in range(1, 1001)
    ]


@pytest.mark.parametrize(
    ("item", "field"),
    [
        ("text", "transactions"),
        (7, "transactions"),
        (None, "transactions"),
        ([], "transactions"),
        ({}, "ap_transactionid"),
        ({"ap_transactionid": "", "amount": "1.00"}, "ap_transactionid"),
        ({"ap_transactionid": "21x"}, "ap_transactionid"),
        ({"ap_transactionid": 1.5}, "ap_transactionid"),
        ({"ap_transactionid": True}, "ap_transactionid"),
        ({"ap_transactionid": -1}, "ap_transactionid"),
        ({"ap_transactionid": "1" * 21}, "ap_transactionid"),
        ({"ap_transactionid": ID, "amount": ""}, "amount"),
        ({"ap_transactionid": ID, "amount": "0.00"}, "amount"),
        ({"ap_transactionid": ID, "amount": "-1.00"}, "amount"),
        ({"ap_transactionid": ID, "amount": "1.001"}, "amount"),
        ({"ap_transactionid": ID, "amount": "1e2"}, "amount"),
        ({"ap_transactionid": ID, "amount": {}}, "amount"),
        ({"ap_transactionid": ID, "buyer_email": "x"}, "buyer_email"),
        ({"ap_transactionid": ID, "refund_request_id": "a b"}, "refund_request_id"),
        ({"ap_transactionid": ID, "refund_request_id": "x" * 65}, "refund_request_id"),
    ],
)
def test_a_bad_item_spoils_only_itself(item, field):
    asked = parse_refund(
        {"transactions": packed([item, {"ap_transactionid": 9, "amount": "1.00"}])}
    )
    bad, good = asked.items
    assert good == RefundItem("9", 100)
    assert isinstance(bad, Unread)
    assert bad.problem.field == field


@pytest.mark.parametrize(
    ("amount", "paise"),
    [(10.5, 1050), (10, 1000), ("10", 1000), ("0.01", 1), ("9999999999.99", 999999999999)],
)
def test_amounts_are_texts_or_numbers(amount, paise):
    assert one({"ap_transactionid": ID, "amount": amount}) == RefundItem(f"{ID}", paise)


@pytest.mark.parametrize(
    "item", [{"ap_transactionid": ID}, {"ap_transactionid": ID, "amount": None}]
)
def test_no_amount_means_all_that_remains(item):
    assert one(item).amount_paise is None


def test_an_amount_as_text_keeps_its_digits():
    # A float would have lost the paisa.
    raw = b'[{"ap_transactionid":1,"amount":1234567890.01}]'
    assert parse_refund({"transactions": base64.b64encode(raw).decode()}).items == (
        RefundItem("1", 123456789001),
    )


def test_equal_items_are_separate_refunds():
    item = {"ap_transactionid": ID, "amount": "1.00"}
    assert (
        parse_refund({"transactions": packed([item, item])}).items
        == (RefundItem(f"{ID}", 100),) * 2
    )


def test_request_ids_stand_above_or_in_the_item():
    items = [
        {"ap_transactionid": 1, "refund_request_id": "own-1"},
        {"ap_transactionid": 2},
        {"ap_transactionid": 3, "refund_request_id": 7},
    ]
    asked = parse_refund({"transactions": packed(items), "refund_request_id": 42})
    assert asked.request_id == "42"
    assert [each.request_id for each in asked.items] == ["own-1", "", "7"]


@pytest.mark.parametrize("sent", ["a b", "x" * 65, [], "é"])
def test_a_bad_request_id_spoils_the_batch(sent):
    error = refused({"transactions": packed([{"ap_transactionid": 1}]), "refund_request_id": sent})
    assert error.field == "refund_request_id"


@pytest.mark.parametrize("field", ["buyer_email", "buyerPhone", "BUYER_x"])
def test_a_message_of_the_payment_page_refunds_nothing(field):
    assert refused({"transactions": packed([{"ap_transactionid": 1}]), field: "x"}).field == field


_items = st.builds(
    RefundItem,
    st.integers(1, 10**15).map(str),
    st.none() | st.integers(1, 10**12 - 1),
    st.text("AZaz09-_.", min_size=1, max_size=64),
)


def _written(item: RefundItem, *, number: bool):
    identifier = int(item.transaction_id) if number else item.transaction_id
    amount = (
        {} if item.amount_paise is None else {"amount": fields.text_from_paise(item.amount_paise)}
    )
    return {"ap_transactionid": identifier, **amount, "refund_request_id": item.request_id}


@given(st.lists(_items, min_size=1, max_size=20), st.booleans(), st.sampled_from([None, 1]))
def test_every_batch_comes_back(items, number, indent):
    sent = packed([_written(each, number=number) for each in items], indent=indent)
    message = strict_json.parse(json.dumps({"mode": "refund", "transactions": sent}).encode())
    assert parse_refund(message).items == tuple(items)


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_else(raw):
    for text in (base64.b64encode(raw).decode(), raw.decode("latin-1")):
        try:
            parse_refund({"transactions": text})
        except FieldError as error:
            str(error).encode()


def test_the_shape_of_the_answers():
    told = refunds.RefundResults(
        results=(
            refunds.accepted(ID, 1050, 224000000000001),
            refunds.not_accepted(ID, 1050, Code.STATE_FORBIDS, "A refund exists"),
            refunds.not_accepted(0, None, Code.FIELD_INVALID, "ap_transactionid is missing"),
        )
    )
    data = write_reply(told)
    first, _, third = read_reply(refunds.RefundResults, data).results
    assert (first, third.refund_id) == (told.results[0], "")
    shared = {"mode": "refund"}
    assert data == {
        "transactions": [
            {
                "ap_transactionid": ID,
                "amount": "10.50",
                "success": "true",
                "message": "Refund accepted",
                "refund_id": 224000000000001,
                "response_code": "00",
            }
            | shared,
            {
                "ap_transactionid": ID,
                "amount": "10.50",
                "success": "false",
                "message": "A refund exists",
                "refund_id": 0,
                "response_code": "120",
            }
            | shared,
            {
                "ap_transactionid": 0,
                "amount": "",
                "success": "false",
                "message": "ap_transactionid is missing",
                "refund_id": 0,
                "response_code": "110",
            }
            | shared,
        ]
    }
