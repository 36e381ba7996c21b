"""Sales from terminal managers through the running gateway.

Signed, each entry once, what is wrong named.
"""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from hmac import HMAC
from typing import Any

import pytest

from hundi.kernel.records import replace
from tests.system.conftest import NewMerchant, NewPartner
from tests.system.envelopes import Merchant, Sender
from tests.system.partners import PartnerSender
from tests.system.running import RunningGateway
from tests.system.test_pos import listing, refused

PATH = "/gateway/ms/pos/api/transaction-entries"
DETAIL = "/gateway/ms/pos/api/transaction-detail"
ENTRY = {"terminalid": "T1", "reference": "bill-1", "type": "SALE", "amount": "149.50"}


@dataclass(frozen=True)
class Manager:
    """A partner who manages the terminals of a shop."""

    partner: PartnerSender
    shop: Merchant

    def post(self, body: bytes, *, path: str = PATH, **changes: str | None) -> dict[str, Any]:
        """Send a signed body; a change of None leaves a header out."""
        keys = self.partner.keys
        timestamp = changes.get("timestamp", str(int(time.time()))) or ""
        made = HMAC(keys.secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()
        own = {
            "content-type": "application/json",
            "affiliate": keys.affiliate,
            "timestamp": timestamp,
            "signature": made,
        } | changes
        headers = {name: value for name, value in own.items() if value is not None}
        answer = self.partner.http.post(
            self.partner.gateway.base_url + path, content=body, headers=headers
        )
        assert answer.status_code == 200
        return answer.json()

    def message(self, *entries: Any, merchant: str | None = None) -> bytes:
        return json.dumps(
            {"mercid": merchant or self.shop.merchant_id, "entries": entries}
        ).encode()

    def tell(self, *entries: Any) -> list[dict[str, Any]]:
        reply = self.post(self.message(*entries))
        assert reply["status"] == 200, reply
        told = reply["data"]["entries"]
        for result in ("recorded", "repeated", "refused"):
            assert reply["data"][result] == sum(each["result"] == result for each in told)
        return told


@pytest.fixture(scope="module")
def shop(new_merchant: NewMerchant) -> Merchant:
    return new_merchant("Managed shop", pos_address="127.0.0.0/8")


@pytest.fixture(scope="module")
def manager(gateway: RunningGateway, new_partner: NewPartner, shop: Merchant) -> Manager:
    found = Manager(new_partner("Terminals & Co"), shop)
    for terminal in ("T1", "T2", "T3", "T4"):
        gateway.operate(
            "pos",
            "register",
            shop.merchant_id,
            terminal,
            "A",
            "--manager",
            found.partner.keys.affiliate,
        )
    return found


def test_what_a_terminal_sold_is_recorded_to_the_paisa_and_listed(
    manager: Manager, sender: Sender
) -> None:
    at = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    first, second = manager.tell(
        {
            **ENTRY,
            "amount": "0.01",
            "edit_amount": "0.00",
            "table": "7",
            "mobile": "9876543210",
            "at": at,
        },
        {
            **ENTRY,
            "reference": "bill-2",
            "type": "REFUND",
            "amount": 9999999999.99,
            "edit_amount": "12.5",
        },
    )
    assert [each["result"] for each in (first, second)] == ["recorded", "recorded"]
    assert (first["terminalid"], first["reference"], first["error_code"]) == ("T1", "bill-1", "")
    rows = {each["TRANSACTIONID"]: each for each in listing(sender, manager.shop)["DATA"]}
    assert rows[first["transactionid"]] == {
        "TRANSACTIONID": first["transactionid"],
        "TABLENO": "7",
        "AMOUNT": "0.01",
        "MOBILENO": "XXXXXX3210",
        "TXNTYPE": "SALE",
        "EDITAMOUNT": "0.00",
    }
    told = rows[second["transactionid"]]
    assert (told["AMOUNT"], told["EDITAMOUNT"], told["TXNTYPE"]) == (
        "9999999999.99",
        "12.50",
        "REFUND",
    )


def test_told_again_it_is_kept_once_and_another_sale_under_the_reference_is_refused(
    manager: Manager,
) -> None:
    entry = {**ENTRY, "reference": "again"}
    recorded, in_the_same_message = manager.tell(entry, entry)
    assert (recorded["result"], in_the_same_message["result"]) == ("recorded", "repeated")
    repeated, other = manager.tell(entry, {**entry, "amount": "149.51"})
    assert (repeated["result"], repeated["transactionid"]) == (
        "repeated",
        recorded["transactionid"],
    )
    assert (other["result"], other["error_code"]) == ("refused", "122")
    assert "reference" in other["error"]
    assert manager.tell({**entry, "terminalid": "T2"})[0]["result"] == "recorded", (
        "a reference is the terminal's own"
    )


def test_a_message_that_somebody_kept_and_sends_again_changes_nothing(
    manager: Manager, gateway: RunningGateway
) -> None:
    body = manager.message({**ENTRY, "reference": "replayed", "terminalid": "T3"})
    timestamp = str(int(time.time()))
    signature = HMAC(
        manager.partner.keys.secret.encode(), f"{timestamp}.".encode() + body, sha256
    ).hexdigest()
    replies = [manager.post(body, timestamp=timestamp, signature=signature) for _ in range(3)]
    assert [each["data"]["recorded"] for each in replies] == [1, 0, 0]
    kept = gateway.rows(
        "SELECT count(*) FROM pos_sales WHERE merchant_id = $1 AND reference = 'replayed'",
        manager.shop.number,
    )
    assert kept[0]["count"] == 1
    old = manager.post(body, timestamp=str(int(time.time()) - 301))
    assert (old["status"], old["error_code"]) == (400, "110")
    assert "timestamp" in old["error"]
    assert "within 300" in old["error"]
    # The time is part of what is signed: it cannot be made new.
    assert (
        manager.post(body, timestamp=str(int(time.time()) + 1), signature=signature)["error_code"]
        == "904"
    )


def test_of_many_messages_at_once_each_sale_is_recorded_once(
    manager: Manager, gateway: RunningGateway
) -> None:
    entries = [{**ENTRY, "terminalid": "T4", "reference": f"race-{number}"} for number in range(40)]
    orders = [entries, entries[::-1], entries[20:] + entries[:20], entries[1::2] + entries[::2]] * 2
    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda each: manager.tell(*each), orders))
    results = [entry["result"] for each in told for entry in each]
    assert (results.count("recorded"), results.count("repeated")) == (40, 280)
    ids = {(entry["reference"], entry["transactionid"]) for each in told for entry in each}
    assert len(ids) == 40, "everybody is told the same id"
    kept = gateway.rows(
        (
            "SELECT count(*), sum(amount_paise) AS paise FROM pos_sales WHERE merchant_id = $1 AND"
            " terminal_id = 'T4'"
        ),
        manager.shop.number,
    )
    assert (kept[0]["count"], kept[0]["paise"]) == (40, 40 * 149_50)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("amount", {"amount": "1.001"}, "110"),
    ("amount", {"amount": "0"}, "110"),
    ("amount", {"amount": "-5"}, "110"),
    ("amount", {"amount": "1e3"}, "110"),
    ("amount", {"amount": None}, "110"),
    ("amount", {"amount": ["1.00"]}, "110"),
    ("amount", {"amount": True}, "110"),
    ("edit_amount", {"edit_amount": "x"}, "110"),
    ("edit_amount", {"edit_amount": "."}, "110"),
    ("edit_amount", {"edit_amount": "..0.0"}, "110"),
    ("type", {"type": "TIP"}, "110"),
    ("table", {"table": "x" * 21}, "110"),
    ("mobile", {"mobile": "12345"}, "110"),
    ("reference", {"reference": ""}, "110"),
    ("reference", {"reference": "r" * 65}, "110"),
    ("reference", {"reference": "a\nb"}, "110"),
    ("terminalid", {"terminalid": ""}, "110"),
    ("terminalid", {"terminalid": "T-1"}, "503"),
    ("terminalid", {"terminalid": "NONE"}, "503"),
    ("at", {"at": "yesterday"}, "110"),
    ("at", {"at": "2026-11-22T10:00:00"}, "110"),
    ("at", {"at": "2020-01-01T00:00:00+05:30"}, "110"),
    ("at", {"at": "2099-01-01T00:00:00+05:30"}, "110"),
    ("tip", {"tip": "5.00"}, "110"),
]


def test_each_wrong_entry_names_its_field_and_keeps_no_other_from_being_recorded(
    manager: Manager,
) -> None:
    right = {**ENTRY, "reference": "between"}
    told = manager.tell(
        right,
        *({**ENTRY, "reference": f"bad-{n}", **each} for n, (_, each, _) in enumerate(BAD)),
        "x",
    )
    assert told[0]["result"] in {"recorded", "repeated"}
    for (field, change, code), answer in zip(BAD, told[1:-1], strict=True):
        assert (answer["result"], answer["error_code"], answer["transactionid"]) == (
            "refused",
            code,
            "",
        ), change
        assert field in answer["error"], change
    assert "12345" not in json.dumps(told), "a number is somebody's"
    assert (told[-1]["result"], told[-1]["error_code"]) == ("refused", "110")


@pytest.mark.parametrize("entries", [[], "x", None, {}, [{}] * 201])
def test_a_message_that_is_no_list_of_entries_is_refused_whole(
    manager: Manager, entries: Any
) -> None:
    reply = manager.post(
        json.dumps({"mercid": manager.shop.merchant_id, "entries": entries}).encode()
    )
    assert (reply["status"], reply["data"], reply["error_code"]) == (400, "", "110")
    assert "entries" in reply["error"]


def test_who_proves_nothing_records_nothing(manager: Manager, new_partner: NewPartner) -> None:
    body = manager.message({**ENTRY, "reference": "forged"})
    for changes in (
        {"signature": "0" * 64},
        {"signature": None},
        {"affiliate": None},
        {"affiliate": "AF999999"},
    ):
        assert manager.post(body, **changes)["error_code"] == "904"
    other = replace(manager, partner=new_partner("Another manager"))
    assert other.tell({**ENTRY, "reference": "forged"})[0]["error_code"] == "503", (
        "the terminal is not its own"
    )
    assert manager.tell({**ENTRY, "reference": "forged"})[0]["result"] == "recorded"
    stranger = manager.post(manager.message(ENTRY, merchant="999999999"))
    assert stranger["data"]["entries"][0]["error_code"] == "503", "nobody learns who is a merchant"


def test_a_form_and_a_rotated_secret_are_taken_too(
    manager: Manager, gateway: RunningGateway
) -> None:
    newer = replace(manager, partner=manager.partner.rotated("secret"))
    for each in (manager, newer):
        assert each.tell({**ENTRY, "reference": "rotating"})[0]["result"] in {
            "recorded",
            "repeated",
        }
    gateway.operate("partner", "retire", newer.partner.keys.affiliate, "secret")
    assert manager.post(manager.message(ENTRY))["error_code"] == "904"
    entry = '{"terminalid":"T1","reference":"form","amount":"1.00"}'
    body = f"mercid={manager.shop.merchant_id}&entries=[{entry}]"
    reply = newer.post(body.encode(), **{"content-type": "application/x-www-form-urlencoded"})
    assert reply["data"]["recorded"] == 1


def test_one_transaction_is_told_by_its_reference(
    gateway: RunningGateway, sender: Sender, new_merchant: NewMerchant
) -> None:
    cafe = new_merchant("Asks for one", pos_address="127.0.0.0/8")
    gateway.operate("pos", "register", cafe.merchant_id, "T1", "Counter")
    sold = gateway.operate("pos", "sell", cafe.merchant_id, "T1", "80.00", "--reference", "ORD001")
    gateway.operate("pos", "sell", cafe.merchant_id, "T1", "90.00", "--reference", "ORD002")

    def detail(**changes: str | None) -> dict[str, Any]:
        asked = {
            "mercid": cafe.merchant_id,
            "terminalid": "T1",
            "uniqueid": "REQ001",
            "referenceid": "ORD001",
        } | changes
        data = {name: each for name, each in asked.items() if each is not None}
        answers = [
            sender.http.post(sender.base_url + path, data=data)
            for path in (DETAIL, "/airpay/ms/pos/api/transaction-detail/")
        ]
        assert [each.status_code for each in answers] == [200, 200]
        return answers[0].json()

    reply = detail()
    assert (reply["status"], reply["MERCHANTID"], reply["UNIQUEID"]) == (200, cafe.number, "REQ001")
    assert [(each["TRANSACTIONID"], each["AMOUNT"]) for each in reply["DATA"]] == [
        (sold["transaction_id"], "80.00")
    ]
    assert detail(uniqueid="4711")["UNIQUEID"] == 4711
    refused(detail(referenceid="ORD003"), "503")
    refused(detail(terminalid="T9"), "503")
    refused(detail(mercid="999999999"), "144")
    for name in ("mercid", "terminalid", "uniqueid", "referenceid"):
        assert name in refused(detail(**{name: None}), "110")
