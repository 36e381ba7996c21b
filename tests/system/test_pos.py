"""Terminals through the running gateway.

Fed by commands and by the simulated terminal, listed to listed addresses.
"""

import json
import re
import time
from typing import Any

import pytest

from tests.system.browser import Browser
from tests.system.conftest import NewMerchant
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway, until
from tests.system.test_bank_callbacks import say

PATH = "/gateway/ms/pos/api/transaction-detail-bulk"


def listing(
    sender: Sender, merchant: Merchant, terminal: str = "T1", unique: str = "4711", **changes: Any
) -> dict[str, Any]:
    fields = {"mercid": merchant.merchant_id, "terminalid": terminal, "uniqueid": unique} | changes
    answer = sender.http.post(
        sender.base_url + PATH,
        data={name: each for name, each in fields.items() if each is not None},
    )
    assert answer.status_code == 200
    return answer.json()


def refused(reply: dict[str, Any], code: str) -> str:
    assert {name: reply[name] for name in ("status", "message", "error_code")} == {
        "status": 502,
        "message": [],
        "error_code": code,
    }
    return reply["error"]


@pytest.fixture(scope="module")
def cafe(gateway: RunningGateway, new_merchant: NewMerchant) -> Merchant:
    """A merchant with a terminal, whose sales this machine may list."""
    merchant = new_merchant("Café Malgudi", pos_address="127.0.0.0/8")
    gateway.operate("pos", "register", merchant.merchant_id, "T1", "Counter")
    return merchant


def test_what_was_sold_is_listed_newest_first(
    gateway: RunningGateway, sender: Sender, cafe: Merchant
) -> None:
    gateway.operate("pos", "register", cafe.merchant_id, "T2", "Garden")
    assert listing(sender, cafe, "T2") == {
        "status": 200,
        "MERCHANTID": cafe.number,
        "UNIQUEID": 4711,
        "DATA": [],
    }
    first = gateway.operate(
        "pos", "sell", cafe.merchant_id, "T2", "149.50", "--table", "7", "--mobile", "9876543210"
    )
    second = gateway.operate(
        "pos",
        "sell",
        cafe.merchant_id,
        "T2",
        "80.00",
        "--edited",
        "100.00",
        "--kind",
        "REFUND",
        "--reference",
        "r-2",
    )
    again = gateway.operate(
        "pos",
        "sell",
        cafe.merchant_id,
        "T2",
        "80.00",
        "--edited",
        "100.00",
        "--kind",
        "REFUND",
        "--reference",
        "r-2",
    )
    assert again == second
    assert listing(sender, cafe, "T2", "0000000815")["UNIQUEID"] == 815
    assert listing(sender, cafe, "T2")["DATA"] == [
        {
            "TRANSACTIONID": second["transaction_id"],
            "TABLENO": "",
            "AMOUNT": "80.00",
            "MOBILENO": "",
            "TXNTYPE": "REFUND",
            "EDITAMOUNT": "100.00",
        },
        {
            "TRANSACTIONID": first["transaction_id"],
            "TABLENO": "7",
            "AMOUNT": "149.50",
            "MOBILENO": "XXXXXX3210",
            "TXNTYPE": "SALE",
            "EDITAMOUNT": "0.00",
        },
    ]
    assert len(gateway.operate("pos", "sales", cafe.merchant_id, "T2")) == 2
    gateway.operate("pos", "close", cafe.merchant_id, "T2")
    refused(listing(sender, cafe, "T2"), "503")


def test_the_simulated_terminal_tells_the_gateway(
    gateway: RunningGateway, sender: Sender, cafe: Merchant, browser: Browser
) -> None:
    screen = browser.get(gateway.simbank_url + "/terminal")
    (form,) = screen.forms
    wrong = browser.submit(
        form,
        merchant_id=cafe.merchant_id,
        terminal_id="T 1",
        amount="0",
        mobile="12",
        txn_type="SALE",
    )
    assert wrong.status == 422
    assert "1 to 16 letters and digits" in wrong.text
    assert "The amount has to be more than nothing." in wrong.text
    sold = {"merchant_id": cafe.merchant_id, "terminal_id": "T1", "txn_type": "SALE"}
    handed = browser.submit(
        form, amount="99.90", mobile="6000000001", table_no="4", edited="110", **sold
    )
    assert re.search(r"Handed to the gateway as pos_[0-9a-f]{16}", handed.text)
    (row,) = until(lambda: listing(sender, cafe)["DATA"], "the sale to be told")
    assert (row["AMOUNT"], row["EDITAMOUNT"], row["TABLENO"], row["MOBILENO"]) == (
        "99.90",
        "110.00",
        "4",
        "XXXXXX0001",
    )
    # A terminal that is registered after its first sale loses none.
    early = browser.submit(form, amount="5.00", **(sold | {"terminal_id": "T3"}))
    told = early.link("/terminal/sales/")
    until(
        lambda: "does not know this terminal yet" in browser.get(told).text,
        "the gateway's no to be shown",
    )
    assert f"hundi pos register {cafe.merchant_id} T3 Counter" in browser.get(told).text
    gateway.operate("pos", "register", cafe.merchant_id, "T3", "Late")
    until(lambda: listing(sender, cafe, "T3")["DATA"], "the early sale to be told again")
    until(lambda: "The gateway took it" in browser.get(told).text, "the bank to note it")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 204),
        ({"terminal_id": "T9"}, 409),
        ({"merchant_id": 999_999_999}, 409),
        ({"table_no": "x" * 21}, 422),
    ],
)
def test_what_the_network_tells_is_kept_waited_for_or_refused_for_good(
    gateway: RunningGateway, sender: Sender, cafe: Merchant, changes: dict[str, Any], status: int
) -> None:
    sale = {
        "kind": "pos_sale", "event_id": f"pos_{time.monotonic_ns():x}",
        "merchant_id": int(cafe.merchant_id), "terminal_id": "T1", "txn_type": "SALE",
        "amount_paise": 100, "edited_paise": 0, "table_no": "", "mobile": "",
    }  # fmt: skip
    assert say(gateway, sender, json.dumps(sale | changes).encode()).status_code == status


def test_who_is_not_on_the_list_learns_nothing(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    closed = new_merchant("Closed by default")
    gateway.operate("pos", "register", closed.merchant_id, "T1", "Counter")
    words = refused(listing(sender, closed), "144")
    nobody = Merchant.of({**gateway.demo["merchants"][0], "merchant_id": "999999999"})
    assert refused(listing(sender, nobody), "144") == words
    elsewhere = new_merchant("Elsewhere", pos_address="203.0.113.7")
    assert refused(listing(sender, elsewhere), "144") == words
    (kept,) = gateway.operate("refusal", "list", closed.merchant_id)
    assert "127.0.0.1 is not on the list" in kept["detail"]


def test_another_merchants_terminal_is_unknown(
    gateway: RunningGateway, sender: Sender, cafe: Merchant, new_merchant: NewMerchant
) -> None:
    other = new_merchant("Other café", pos_address="127.0.0.1")
    gateway.operate("pos", "register", other.merchant_id, "SECRET", "Counter")
    refused(listing(sender, cafe, "SECRET"), "503")
    assert listing(sender, other, "SECRET")["status"] == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"mercid": None}, "mercid"),
        ({"mercid": "x"}, "mercid"),
        ({"mercid": "1234567890123"}, "mercid"),
        ({"terminalid": None}, "terminalid"),
        ({"terminalid": "T" * 17}, "terminalid"),
        ({"terminalid": "T-1"}, "terminalid"),
        ({"uniqueid": None}, "uniqueid"),
        ({"uniqueid": "123"}, "uniqueid"),
        ({"uniqueid": "12345678901"}, "uniqueid"),
        ({"uniqueid": "12a4"}, "uniqueid"),
    ],
)
def test_a_bad_parameter_is_named(
    sender: Sender, cafe: Merchant, changes: dict[str, str | None], field: str
) -> None:
    assert field in refused(listing(sender, cafe, **changes), "110")
