"""The plain interface at the running gateway: an order's whole life, and every attack on it."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from hundi.merchants.bearer_keys import rules
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant
from tests.system.plain import PlainServer, bearer_key, order, server_of
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False, timeout=30) as client:
        yield client


@pytest.fixture(scope="module")
def shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(
        gateway, server, "plain", notification_form="standard", multiple_partial_refunds="on"
    )


@pytest.fixture(scope="module")
def plain(gateway: RunningGateway, http: httpx.Client, shop: Shop) -> PlainServer:
    return server_of(gateway, http, shop.merchant, "server")


@pytest.fixture(scope="module")
def rival(
    gateway: RunningGateway, http: httpx.Client, server: MerchantServer
) -> Iterator[PlainServer]:
    for other in open_shop(gateway, server, "plain-rival"):
        yield server_of(gateway, http, other.merchant, "server")


def paid(plain: PlainServer, browser: Browser, order_id: str = "") -> dict[str, Any]:
    """Create an order and pay it on its page; return it as it stands then."""
    made = plain.post("orders", order(order_id or new_order_id()))
    scan(plain.gateway, browser.get(made["page_url"]).upi_link)

    def look() -> dict[str, Any] | None:
        told = plain.get(f"orders/{made['order_id']}")
        return told if told["state"] == "paid" else None

    return until(look, "the order to be paid")


def problem(answer: httpx.Response, status: int, reason: str) -> dict[str, Any]:
    """Check a refusal and return its document."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    told = answer.json()
    assert (answer.status_code, told["status"], told["reason"]) == (status, status, reason), told
    assert told["request_id"] == answer.headers["x-request-id"]
    return told


def test_an_order_lives_from_its_key_to_its_webhook(
    plain: PlainServer, shop: Shop, browser: Browser
) -> None:
    made = plain.post("orders", order(new_order_id(), note="by hand"))
    assert (made["state"], made["amount_paise"], made["note"]) == ("open", 149_950, "by hand")
    scan(plain.gateway, browser.get(made["page_url"]).upi_link)
    name = made["order_id"]
    told = until(
        lambda: (found := plain.get(f"orders/{name}"))["state"] == "paid" and found, "payment"
    )
    assert told["captured_paise"] == 149_950
    assert (told["page_url"], told["rrn"] != "") == ("", True)
    refund = plain.post(
        "refunds", {"transaction_id": told["transaction_id"], "amount_paise": 5_000}, "refund-1"
    )
    assert refund["amount_paise"] == 5_000
    until(lambda: plain.get(f"refunds/{refund['refund_id']}")["state"] == "done", "the refund")
    (listed,) = plain.get(f"orders/{name}/refunds")["items"]
    assert listed["refund_id"] == refund["refund_id"]

    def heard() -> list[dict[str, Any]]:
        events = [
            Webhook(shop.merchant.webhook_key).verify(each.body, each.headers)
            for each in list(shop.endpoint.heard)
        ]
        mine = [each for each in events if each["data"]["order"]["order_id"] == name]
        return mine if {"refund_done"} <= {each["type"] for each in mine} else []

    events = until(heard, "the webhooks")
    assert events[0]["data"]["order"]["state"] == "paid"
    about = next(each["data"]["refund"] for each in events if each["type"] == "refund_done")
    assert (about["refund_id"], about["amount_paise"]) == (refund["refund_id"], 5_000)
    sent = {each["id"]: each for each in events}
    assert {each["id"]: each for each in every(plain, "events") if each["id"] in sent} == sent


def every(plain: PlainServer, path: str) -> list[dict[str, Any]]:
    """Return a list's rows, page by page."""
    rows, cursor, pages = [], "", set()
    while cursor not in pages:
        pages.add(cursor)
        page = plain.get(f"{path}?cursor={cursor}" if cursor else path)
        rows += page["items"]
        if page["next_cursor"] is None or not page["items"]:
            break
        cursor = page["next_cursor"]
    return rows


def test_who_has_no_key_learns_nothing(plain: PlainServer, gateway: RunningGateway) -> None:
    for key in ("", "x", plain.key[:-1], plain.key + "A", f"hundi_999999999999_{'A' * 43}"):
        stranger = PlainServer(gateway, plain.http, key)
        answer = stranger.send("GET", "orders")
        problem(answer, 401, "token_unknown")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert key[20:] not in answer.text or len(key) < 20
    basic = plain.send("GET", "orders", authorization=f"Basic {plain.key}")
    problem(basic, 401, "token_unknown")
    until(lambda: plain.send("GET", "orders").status_code == 200, "a key to count again")


def test_a_key_opens_what_its_scopes_say(
    plain: PlainServer, shop: Shop, gateway: RunningGateway, browser: Browser
) -> None:
    reader = server_of(gateway, plain.http, shop.merchant, "reader", "read")
    till = server_of(gateway, plain.http, shop.merchant, "till", "page")
    told = problem(reader.send("POST", "orders", order(new_order_id())), 403, "key_out_of_scope")
    assert told["allowed"] == "a key with the scope page"
    log = "SELECT words FROM refused_requests WHERE merchant_id = $1 AND reference = $2"
    (row,) = gateway.rows(log, shop.merchant.number, told["request_id"])
    assert row["words"].startswith("The bearer key is for other operations; Authorization was")
    problem(till.send("GET", "orders"), 403, "key_out_of_scope")
    bought = paid(plain, browser)
    wanted = {"transaction_id": bought["transaction_id"]}
    problem(reader.send("POST", "refunds", wanted, "k-1"), 403, "key_out_of_scope")
    small = PlainServer(
        gateway,
        plain.http,
        bearer_key(gateway, shop.merchant, "small", "refund", refund_paise="10000"),
    )
    problem(small.send("POST", "refunds", wanted, "k-2"), 409, "state_forbids")
    made = small.post("refunds", wanted | {"amount_paise": 10_000}, "k-3")
    assert made["amount_paise"] == 10_000
    over = small.send("POST", "refunds", wanted | {"amount_paise": 1}, "k-4")
    told = problem(over, 409, "state_forbids")
    assert (told["field"], "by the key small" in told["allowed"]) == ("amount_paise", True)


def test_orders_and_refunds_are_told_of_live_merchants_alone(
    plain: PlainServer, sandbox: Merchant, gateway: RunningGateway
) -> None:
    server = server_of(gateway, plain.http, sandbox, "plain-sandbox")
    name = server.post("orders", order(new_order_id()))["order_id"]
    for path in (f"orders/{name}", "orders", f"orders/{name}/refunds", "refunds/215000000000001"):
        told = problem(server.send("GET", path), 403, "sandbox_merchant")
        assert told["code"] == "130"
    for path in ("payment_links", "settlements", "payouts", "disputes", "events"):
        server.get(path)


def test_an_ended_and_a_forged_key_open_nothing(
    plain: PlainServer, shop: Shop, gateway: RunningGateway
) -> None:
    merchant_id = shop.merchant.merchant_id
    leaked = server_of(gateway, plain.http, shop.merchant, "leaked", "read")
    leaked.get("orders")
    rows = {
        row["name"]: row for row in gateway.operate("merchant", "bearer-key", "list", merchant_id)
    }
    assert rows["leaked"]["used"] != ""
    assert leaked.key not in str(rows)
    gateway.operate("merchant", "bearer-key", "end", merchant_id, "leaked")
    problem(leaked.send("GET", "orders"), 401, "token_unknown")
    again = ("merchant", "bearer-key", "add", merchant_id, "leaked", "read")
    assert gateway.invoke(*again).exit_code == 2, "a name stands for one key for ever"
    text = rules.new_text(shop.merchant.number)
    gateway.rows(
        "INSERT INTO bearer_keys (merchant_id, name, digest, scopes, refund_paise, made_by,"
        " made_at, proof) VALUES ($1, 'forged', $2, '{read}', 0, 'asha', now(), $3)",
        shop.merchant.number,
        rules.digest_of(text),
        bytes(32),
    )
    forged = PlainServer(gateway, plain.http, text)
    problem(forged.send("GET", "orders"), 401, "token_unknown")


def test_nothing_of_another_merchant_is_found(
    plain: PlainServer, rival: PlainServer, browser: Browser
) -> None:
    bought = paid(plain, browser)
    link = plain.post(
        "payment_links", {"reference": "L-1", "amount_paise": 100, "description": "Tea"}
    )
    refund = plain.post(
        "refunds", {"transaction_id": bought["transaction_id"], "amount_paise": 100}, "other-1"
    )
    for path in (
        f"orders/{bought['order_id']}",
        f"orders/{bought['order_id']}/refunds",
        f"refunds/{refund['refund_id']}",
        f"payment_links/{link['link_id']}",
    ):
        assert plain.send("GET", path).status_code == 200
        problem(rival.send("GET", path), 404, "no_records")
    stolen = {"transaction_id": bought["transaction_id"]}
    problem(rival.send("POST", "refunds", stolen, "other-1"), 404, "no_records")
    problem(rival.send("POST", f"payment_links/{link['link_id']}/cancel"), 404, "no_records")
    assert rival.get("orders")["items"] == []


def test_a_key_of_a_request_does_it_once(plain: PlainServer, browser: Browser) -> None:
    bought = paid(plain, browser)
    wanted = {"transaction_id": bought["transaction_id"], "amount_paise": 1_000}
    problem(plain.send("POST", "refunds", wanted), 422, "field_invalid")
    first = plain.send("POST", "refunds", wanted, "once-1")
    again = plain.send("POST", "refunds", wanted, "once-1")
    assert first.json()["refund_id"] == again.json()["refund_id"]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    told = problem(
        plain.send("POST", "refunds", wanted | {"amount_paise": 999}, "once-1"),
        409,
        "request_id_reused",
    )
    assert (told["field"], told["received"]) == ("Idempotency-Key", "once-1")
    problem(plain.send("POST", "orders", order(new_order_id()), "once-1"), 409, "request_id_reused")
    made = plain.post("orders", order("once-" + new_order_id()), "once-2")
    problem(plain.send("POST", "orders", order(new_order_id()), "once-2"), 409, "request_id_reused")
    assert plain.post("orders", order(made["order_id"]), "once-2")["order_id"] == made["order_id"]
    for wrong in ("", "a b", "x" * 65):
        answer = plain.send("POST", "refunds", wanted, wrong)
        problem(answer, 422, "field_invalid")


def test_requests_at_one_moment_have_one_effect(plain: PlainServer, browser: Browser) -> None:
    bought = paid(plain, browser)
    wanted = {"transaction_id": bought["transaction_id"], "amount_paise": 700}
    answers: list[httpx.Response] = []

    def ask() -> None:
        with httpx.Client(trust_env=False, timeout=30) as http:
            one = PlainServer(plain.gateway, http, plain.key)
            answers.append(one.send("POST", "refunds", wanted, "at-once"))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {each.status_code for each in answers} == {201}, [each.text for each in answers]
    assert len({each.json()["refund_id"] for each in answers}) == 1
    assert len(plain.get(f"orders/{bought['order_id']}/refunds")["items"]) == 1


def test_bad_input_is_named(plain: PlainServer) -> None:
    for wrong, field, received in (
        ({"amount_paise": "149950"}, "amount_paise", '"149950"'),
        ({"amount_paise": 10.5}, "amount_paise", "10.5"),
        ({"amount_paise": 0}, "amount_paise", "0"),
        ({"amount_paise": True}, "amount_paise", "true"),
        ({"amount_paise": None}, "amount_paise", ""),
        ({"amount": 5}, "amount", "an unknown field"),
        ({"order_id": "a b"}, "order_id", "a b"),
        ({"channels": ["upi", "upi"]}, "channels", '"upi"'),
        ({"channels": "upi"}, "channels", '"upi"'),
        ({"buyer": {"email": "x"}}, "buyer.email", "x"),
        ({"buyer": []}, "buyer", "[]"),
        ({"currency": "XXX"}, "currency", "XXX"),
    ):
        answer = plain.send("POST", "orders", order(new_order_id()) | wrong)
        told = problem(answer, 422, "field_invalid")
        assert (told["field"], told["received"], told["allowed"] != "") == (field, received, True)
    address = f"{plain.gateway.base_url}/v1/orders"
    headers = {"authorization": f"Bearer {plain.key}", "content-type": "application/json"}
    for body in (b"{", b"[]", b"{}{}", b'{"order_id":"a","order_id":"b"}', b"\xff", b"nul"):
        answer = plain.http.post(address, content=body, headers=headers)
        problem(answer, 400, "envelope_unreadable")
    long = plain.http.post(address, content=b" " * 70_000, headers=headers)
    problem(long, 413, "body_too_large")
    typed = {**headers, "content-type": "text/xml"}
    problem(plain.http.post(address, content=b"{}", headers=typed), 400, "envelope_unreadable")
    problem(plain.send("GET", "orders?cursor=x"), 422, "field_invalid")
    problem(plain.send("GET", "orders?before=1"), 422, "field_invalid")
    problem(plain.send("GET", "orders?limit=1"), 422, "field_invalid")
    for query in ("state=paid&" + "&".join(f"x{at}=" for at in range(70)), "state=paid&state=open"):
        told = problem(plain.send("GET", f"orders?{query}"), 422, "field_invalid")
        assert told["field"] == "query", "what is passed over would widen the list"
    problem(plain.send("GET", "nothing"), 404, "no_records")
    answer = plain.send("DELETE", "orders")
    problem(answer, 405, "envelope_unreadable")
    assert set(answer.headers["allow"].split(", ")) == {"GET", "POST"}


def test_pages_of_a_list_have_every_row_once(plain: PlainServer) -> None:
    names = {plain.post("orders", order(new_order_id("P")))["order_id"] for _ in range(51)}
    rows = [row["order_id"] for row in every(plain, "orders")]
    assert len(rows) == len(set(rows))
    assert names <= set(rows)
    assert {row["state"] for row in every(plain, "orders?state=paid")} <= {"paid"}


def test_what_the_payment_interface_has_is_here_too(
    plain: PlainServer, gateway: RunningGateway
) -> None:
    new = {"reference": "L-7", "amount_paise": 25_000, "description": "Two cups", "valid_days": 3}
    link = plain.post("payment_links", new, "link-7")
    assert (link["amount_paise"], link["state"], link["reference"]) == (25_000, "open", "L-7")
    assert plain.post("payment_links", new, "link-7") == link
    assert link["link_id"] in {row["link_id"] for row in every(plain, "payment_links")}
    ended = plain.post(f"payment_links/{link['link_id']}/cancel", None)
    assert ended["state"] == "cancelled"
    code = plain.post("qr_codes", order(new_order_id("QR")), "qr-7")
    assert code["text"].startswith("upi://pay?")
    for path in ("settlements", "payouts", "disputes"):
        assert plain.get(path) == {"items": [], "next_cursor": None}
    problem(plain.send("GET", "settlements/1"), 404, "no_records")
    problem(plain.send("GET", "disputes/1"), 404, "no_records")


def test_no_log_and_no_table_has_a_key(
    plain: PlainServer, shop: Shop, gateway: RunningGateway
) -> None:
    secret = plain.key.rpartition("_")[2]
    plain.send("POST", "orders", order(new_order_id(), currency=plain.key))
    plain.send("POST", f"orders?key={plain.key}", {plain.key: plain.key})
    plain.send("GET", f"orders?cursor={plain.key}")
    plain.send("GET", f"nothing/{plain.key}")
    plain.send("GET", "orders", authorization=f"Token {plain.key}")
    told = plain.send("POST", "refunds", {"transaction_id": plain.key}, plain.key)
    assert secret not in told.text
    refused = gateway.operate("refusal", "list", shop.merchant.merchant_id)
    assert secret not in json.dumps(refused)
    assert secret not in gateway.logged()
    kept = "SELECT count(*) FROM {} AS kept WHERE kept::text LIKE '%' || $1 || '%'"
    for table in ("bearer_keys", "idempotency_keys", "refused_requests", "trail_entries"):
        assert gateway.value(kept.format(table), secret) == 0, table
