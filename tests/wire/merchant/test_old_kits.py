"""The messages of old kits: their names, their texts, and what they read."""

import json
from typing import Any

import msgspec
import pytest
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] (it is compiled, and has no stubs)

from hundi.api.addresses import of_kit
from hundi.wire.fields import FieldError
from hundi.wire.merchant import old_kits
from hundi.wire.merchant.old_kits import KIT_OPERATIONS, KIT_REFUND, KIT_VERIFY, START
from hundi.wire.merchant.payments import PaymentRequest
from hundi.wire.merchant.record import TransactionRecord
from hundi.wire.merchant.refunds import RefundRequest, RefundResults, accepted
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.message import read_request

ORDER = {
    "orderid": "O1",
    "amount": "10.00",
    "currency": "356",
    "isocurrency": "INR",
    "buyerEmail": "a@b.co",
    "buyerPhone": "9876543210",
    "buyerFirstName": "A",
    "buyerLastName": "B",
}
RECORD = TransactionRecord(
    ap_transactionid="7",
    orderid="O1",
    merchant_id="1",
    amount="10.00",
    transaction_status=200,
    transaction_payment_status="SUCCESS",
    customvar="a<b>&]]>\x00c",
    bank_response_msg="Approved",
)


def test_every_operation_is_one_of_version_4_at_addresses_of_its_own() -> None:
    assert all(kit.operation in OPERATIONS for kit in KIT_OPERATIONS)
    addresses = [each for kit in (START, *KIT_OPERATIONS) for each in of_kit(kit, ["/airpay"])]
    assert len(addresses) == len(set(addresses))
    assert {"/pay/index.php", "/airpay/pay", "/gateway/pay/index.php"} <= set(addresses)
    assert {"/airpay/order/verify.php", "/airpay/api/refundtxn.php"} <= set(addresses)


def test_a_kits_form_is_an_order_of_version_4() -> None:
    asked = read_request(PaymentRequest, old_kits.order_values(ORDER))
    assert (asked.order_id, asked.amount_paise, asked.buyer.firstname) == ("O1", 1_000, "A")


@pytest.mark.parametrize(
    ("sent", "period", "subtype"),
    [
        ({"sb_period": "Month"}, "M", "12"),
        ({"sb_period": "week", "txnsubtype": "12"}, "W", "12"),
        ({"sb_period": "D", "txnsubtype": "2"}, "D", "2"),
        ({"sb_period": "", "txnsubtype": ""}, "", ""),
    ],
)
def test_a_written_out_period_is_a_subscription(
    sent: dict[str, str], period: str, subtype: str
) -> None:
    values = old_kits.order_values(sent)
    assert (values["sb_period"], values["txnsubtype"]) == (period, subtype)


@pytest.mark.parametrize("length", [1, 25, 26, 40])
def test_an_order_id_has_25_characters_at_most(length: int) -> None:
    form = {"orderid": "x" * length}
    if length <= old_kits.ORDER_ID_MAX:
        assert old_kits.order_values(form) == form
        return
    with pytest.raises(FieldError, match="1 to 25"):
        old_kits.order_values(form)


@pytest.mark.parametrize("name", ["ReturnURL", "returnurl", "return_url", "RETURN_URL"])
def test_an_address_to_come_back_to_is_found_in_every_spelling(name: str) -> None:
    assert old_kits.return_address({"a": "b", name: " https://x.example "}) == "https://x.example"
    assert old_kits.return_address({name: ""}) == ""


@pytest.mark.parametrize(("name", "older"), [("processor_id", False), ("airpayid", True)])
def test_a_refund_is_read_as_version_4_reads_it(name: str, *, older: bool) -> None:
    sent = {"mode": "refund", "transactions": f'[{{"amount":10.50,"{name}":7}}]'}
    values, is_array = old_kits.refund_values(sent)
    assert is_array is older
    (item,) = read_request(RefundRequest, values).items
    assert (item.transaction_id, item.amount_paise) == ("7", 1_050)  # pyright: ignore[reportAttributeAccessIssue] (it was read)


@pytest.mark.parametrize("listed", ["", "{}", "7", "[", '[{"a":1,"a":2}]'])
def test_a_refund_without_an_array_is_refused(listed: str) -> None:
    with pytest.raises(FieldError, match="transactions"):
        old_kits.refund_values({"transactions": listed})


def test_the_checksum_of_a_refund_may_cover_two_spellings_of_its_array() -> None:
    body = b'{"mode": "refund", "transactions": [ {"amount": 10.50, "a": "b/c"} ]}'
    listed = '[{"amount":10.50,"a":"b/c"}]'
    assert old_kits.refund_texts("1", {"mode": "refund", "transactions": listed}, body) == (
        '1refund[ {"amount": 10.50, "a": "b/c"} ]',
        f"1refund{listed}",
    )
    as_form = old_kits.refund_texts("1", {"mode": "refund", "transactions": listed}, b"mode=refund")
    assert as_form[0] == f"1refund{listed}"


def test_the_newer_of_two_names_counts() -> None:
    both = {"merchant_txn_id": "A", "orderid": "B", "rrn": "9"}
    assert KIT_VERIFY.renamed(both) == {"orderid": "B", "rrn": "9"}
    assert KIT_REFUND.renamed({"processor_id": "7"}) == {"ap_transactionid": "7"}


def test_the_reply_in_xml_is_well_formed_whatever_people_wrote() -> None:
    fields = old_kits.kit_form(RECORD, "I", mode="live", left_out=("RISK",))
    assert "RISK" not in fields
    whole: Any = etree.fromstring(old_kits.xml({"TRANSACTION": fields}))
    told = {each.tag: each.text or "" for each in whole.find("TRANSACTION")}
    assert told == {**fields, "CUSTOMVAR": "a<b>&]]> c"}
    assert (told["BANKRESPONSEMSG"], told["TRANSACTIONSTATUS"]) == ("Approved", "200")


def test_the_reply_in_xml_is_well_formed_with_every_character_there_is() -> None:
    every = "".join(map(chr, (*range(0x10100), 0x1F600, 0x10FFFF)))
    told: Any = etree.fromstring(old_kits.xml({"CUSTOMVAR": every}))
    assert len(told.find("CUSTOMVAR").text) == len(every)
    assert old_kits.xml({"A": "\ufffe\uffff"}).endswith(b"<A>  </A></RESPONSE>")


def test_the_array_of_a_refund_has_truth_values() -> None:
    (told,) = old_kits.refund_array("1", "1 of 1", RefundResults(results=(accepted(7, 500, 9),)))
    sent = json.loads(msgspec.json.encode(told))
    assert (sent["success"], sent["transactions"][0]["success"]) == (True, True)
    assert sent["transactions"][0]["amount"] == "5.00"
