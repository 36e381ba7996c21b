"""The wall between merchants, over every operation, page and id.

Another's records are as unknown as invented ones.

What is tried is generated: the operations and their fields from the interface's description, the
pages from the routes. An operation, a field or a page that is new fails here until somebody says
which id it takes.
"""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hundi.api.description import document
from hundi.api.interfaces import PARTNERS
from hundi.page import routing
from hundi.sdk import NewPaymentLink, RefundItem, Split
from hundi.wire.merchant.table import OPERATIONS
from tests.documents import pdf
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import API, PAGE, Reply, Sender, json_body, order
from tests.system.running import RunningGateway, until
from tests.system.shop import CARD, SESSION, VISA, Shop, enter_otp, new_order_id, scan, settled
from tests.system.test_subscriptions import approved

pytestmark = pytest.mark.usefixtures("books_hold")

NAMES_NO_RECORD = {
    "oauth2",
    "banks",
    "validatevpa",
    "subscription/list",
    "settlement/list",
    "payout/list",
    "notification/list",
    "link/list",
    "dispute/list",
    "settlement/next",
    "fees",
    "bankaccount/list",
}
"""Operations that take no id of a record: what they return is the sender's own."""
MAKE_ORDERS = {"generateorder", "seamless", "page", "link/create"}
"""Operations that make an order or a link: each merchant has ids of its own for them."""
HELD_ELSEWHERE = {
    "gst-verification": "test_gst.py::test_another_partners_keys_prove_nothing",
    "gst-calculator": "test_gst.py::test_another_partners_keys_prove_nothing",
    "aadhaar-xml": "test_identity.py::test_a_foreign_or_made_up_request_is_unknown",
    "aadhaar-verification": "test_identity.py::test_a_foreign_or_made_up_request_is_unknown",
    "createlead": "test_leads.py::test_a_foreign_lead_is_unknown",
    "card-details": "test_partners.py::test_cards_are_issued_in_programmes_that_partners_see",
    "transaction-detail-bulk": "test_pos.py::test_another_merchants_terminal_is_unknown",
    "transaction-detail": "test_pos.py::test_another_merchants_terminal_is_unknown",
    "transaction-entries": "test_pos_entries.py::test_who_proves_nothing_records_nothing",
}
"""Partners' interfaces, and the test of each that tries another one's records."""
IDS = {
    *(
        "orderid",
        "ap_transactionid",
        "rrn",
        "refund_id",
        "transactions",
        "UID",
        "token",
        "settlement_id",
        "dispute_id",
    ),
    *("link_id", "link_reference"),
}
"""Fields that name a record."""
PLAIN = re.compile(
    r"(buyer_|sb_|card_|upi_tpv_|customer_|currency_|iso_|client_).*|amount|chmod|mer_dom|customvar|txnsubtype|mode|pay_by"
    r"|vpa|bank_code|split_type|split_request_id|primary_split_value|splits|refund_request_id|merchant_id|grant_type"
    r"|scope|state|before|after|name|content|note|description|minimum|surplus|valid_days|items"
)
"""Fields that name none. A request id of a refund or split is a key of the sender's own."""
INVENTED = {
    "orderid": "T-none",
    "UID": "CUST-none",
    "token": "card_" + "0" * 32,
    "link_reference": "T-none",
}
"""What nobody has, in the form of each field; an id of digits where none is named."""
INVENTED_DIGITS = "100000000000001"
NOTHING = re.compile("No records found|0 of 1 refunds accepted.*No records found|0 saved cards")


@dataclass(frozen=True)
class Records:
    """A merchant with a record of every kind: their ids by field, and the payments' attempts."""

    shop: Shop
    ids: dict[str, list[str]]
    attempts: list[str]
    sessions: list[str]


@pytest.fixture(scope="module")
def theirs(gateway: RunningGateway, server: MerchantServer, sender: Sender) -> Iterator[Records]:
    """Paid, split, held, given back, subscribed and saved at one merchant."""
    for shop in open_shop(
        gateway,
        server,
        "walled",
        saved_cards="on",
        channels="upi_pg",
        multiple_partial_refunds="on",
    ):
        linked = ("WEAVER", "The weaver", "HDFC0000001", "--number", "50100123456789")
        gateway.operate("split", "link", shop.merchant.merchant_id, *linked)
        customer, names = new_order_id("CUST"), ("paid", "held", "saved", "open")
        paid, held, saved, waiting = orders = [new_order_id(name) for name in names]
        with Browser() as browser:
            pages = [
                shop.open_page(browser, paid),
                shop.open_page(browser, held, authorise_only=True),
            ]
            pages += [
                shop.open_page(browser, saved, customer_id=customer),
                shop.open_page(browser, waiting),
            ]
            scan(gateway, pages[0].upi_link)
            for page, more in ((pages[1], {}), (pages[2], {"save": "yes"})):
                challenge = browser.submit(page.form("/card"), number=VISA, **CARD, **more)
                settled(browser, enter_otp(browser, challenge))
        plan = approved(sender, shop)
        first, kept = shop.becomes(paid, 200), shop.becomes(saved, 200)
        parts = {"request_id": "4711", "primary": 2000, "shares": {"WEAVER": 8000}}
        shop.client.split(Split(transaction_id=first.transaction_id, rrn=first.rrn, **parts))
        (refund,) = shop.client.refund(
            [RefundItem(kept.transaction_id)], request_id=new_order_id("R")
        )
        shop.hears_event(saved, "refund_done")
        payments = [str(shop.payment(each)["payment_id"]) for each in orders]
        ids = {
            "orderid": [*orders, plan["orderid"]],
            "ap_transactionid": [*payments, plan["ap_transactionid"]],
            "transactions": payments[:3],
            "rrn": [first.rrn, kept.rrn],
            "refund_id": [str(refund.refund_id)],
            "UID": [customer],
            "token": [kept.saved_card],
        }
        link = shop.client.create_link(
            NewPaymentLink(
                reference=new_order_id("LINK"), amount_paise=10_000, description="A table runner"
            )
        )
        ids |= {"link_id": [link.link_id], "link_reference": [link.reference]}
        gateway.operate(
            "settlement", "terms", "set", shop.merchant.merchant_id, "--instant-bps", "50"
        )
        gateway.operate("settlement", "run", "--merchant", shop.merchant.merchant_id, "--instant")
        ids["settlement_id"] = [each.settlement_id for each in shop.client.settlements()]
        reference = f"{shop.merchant.merchant_id}-{shop.attempts(paid)[-1]['attempt_id']}"
        raised = gateway.bank.post(
            "/control/dispute", json={"reference": reference, "reason": "10.4", "amount_paise": 100}
        )
        assert raised.status_code == 200, raised.text
        ids["dispute_id"] = [
            each.dispute_id for each in until(shop.client.disputes, "the dispute to be told")
        ]
        shop.hears_event(paid, "dispute_opened")
        attempts = [str(row["attempt_id"]) for each in orders for row in shop.attempts(each)]
        yield Records(shop, ids, attempts, [page.path for page in pages])


def operations() -> dict[str, tuple[str, list[str]]]:
    """Return every operation of the description by its name.

    Its address, and the fields of its message.
    """
    described = document.document()

    def resolved(schema: dict[str, Any]) -> dict[str, Any]:
        # Of several forms of a body the first one is sealed.
        schema = schema["anyOf"][0] if "anyOf" in schema else schema
        named = schema.get("$ref", "").rpartition("/")[2]
        return described["components"]["schemas"][named] if named else schema

    found: dict[str, tuple[str, list[str]]] = {}
    for path, item in described["paths"].items():
        outer = resolved(next(iter(item["post"]["requestBody"]["content"].values()))["schema"])
        inner = resolved(outer["properties"]["encdata"]["contentSchema"])
        name = path.partition(API)[2].strip("/") or ("split" if "split" in path else "page")
        found[name] = path, list(inner["properties"])
    return found


def state_of(gateway: RunningGateway, shop: Shop) -> dict[str, str]:
    """Return a digest of all that every table holds of a merchant, once nothing is on its way."""
    waiting = (
        "SELECT count(*) FROM deliveries WHERE merchant_id = $1 AND state IN ('waiting', 'sending')"
    )
    until(lambda: gateway.value(waiting, shop.merchant.number) == 0, "all news to be delivered")
    tables = gateway.rows(
        "SELECT table_name AS name FROM information_schema.columns JOIN information_schema.tables"
        " USING (table_name)"
        " WHERE column_name = 'merchant_id' AND table_type = 'BASE TABLE' AND columns.table_schema"
        " = 'public'"
    )
    names = sorted({each["name"] for each in tables} - PASSING)
    # Without the times of the next look at a row.
    row = "to_jsonb(t) - ARRAY['due_at', 'ask_at', 'inquire_at', 'inquiries']"
    digest = (
        f"SELECT md5(string_agg(({row})::text, '|' ORDER BY ({row})::text)) FROM {{}} AS t WHERE"
        " merchant_id = $1"
    )
    return {name: gateway.value(digest.format(name), shop.merchant.number) for name in names}


PASSING = {
    "access_tokens",
    "known_networks",
    "token_failures",
    "refused_requests",
    "ledger_rolls",
    "ledger_checkpoints",
    "search_keys",
    "search_marks",
    "day_tallies",
    "hour_tallies",
    "tally_marks",
}
"""What changes by itself, or because somebody named the merchant: no record of a payment."""


def message(name: str, field: str, value: str) -> dict[str, Any]:
    """Return a message of an operation that names one record by one of its fields."""
    if field == "transactions":
        items = json.dumps([{"ap_transactionid": value}]).encode()
        return {"mode": "refund", "transactions": base64.b64encode(items).decode()}
    if name == "split":
        parts = {
            "split_type": "percentage",
            "primary_split_value": "0",
            "splits": [{"identifier": "WEAVER", "value": "100"}],
        }
        return {
            "ap_transactionid": INVENTED_DIGITS,
            "rrn": INVENTED_DIGITS,
            "split_request_id": "1",
            **parts,
            field: value,
        }
    if name == "dispute/evidence":
        return {field: value, "content": base64.b64encode(pdf()).decode()}
    return {field: value} | ({"sb_amount": "1.00"} if name == "subscription/change" else {})


def said(reply: Reply, value: str) -> str:
    """Return all of a reply but what is its own each time: its id, and the value that was sent."""
    shown = {name: each for name, each in reply.envelope.items() if name != "request_id"}
    return json.dumps(shown).replace(value, "…")


def test_every_operation_field_and_interface_is_known_here() -> None:
    described = operations()
    assert {path for path, _ in described.values()} - {PAGE} == {
        each.address for each in OPERATIONS
    }
    unknown = {
        each
        for _, fields in described.values()
        for each in fields
        if each not in IDS and not PLAIN.fullmatch(each)
    }
    assert not unknown, "say whether these fields name a record"
    assert {path.rpartition("/")[2] for each in PARTNERS for path in each.paths} == set(
        HELD_ELSEWHERE
    )
    for test in HELD_ELSEWHERE.values():
        file, _, name = test.partition("::")
        assert name in (Path(__file__).parent / file).read_text(), test


@pytest.mark.parametrize("name", sorted(operations().keys() - NAMES_NO_RECORD - MAKE_ORDERS))
def test_anothers_record_is_as_unknown_as_an_invented_one(
    gateway: RunningGateway, sender: Sender, rival: Shop, theirs: Records, name: str
) -> None:
    path, fields = operations()[name]
    before, ours = state_of(gateway, theirs.shop), rival.merchant
    named = [field for field in fields if field in IDS]
    assert named

    def ask(field: str, value: str) -> Reply:
        outer = ours.envelope(message(name, field, value))
        return sender.post(path, json_body(outer), ours, token=sender.token(ours))

    for field in named:
        invented = INVENTED.get(field, INVENTED_DIGITS)
        nothing = said(ask(field, invented), invented)
        assert NOTHING.search(nothing), nothing
        for value in theirs.ids[field]:
            assert said(ask(field, value), value) == nothing, field
    if name == "split":
        pair = {"ap_transactionid": theirs.ids["ap_transactionid"][0], "rrn": theirs.ids["rrn"][0]}
        both = ours.envelope(message(name, "rrn", "") | pair)
        assert sender.post(path, json_body(both), ours, token=sender.token(ours)).code == "503"
    assert state_of(gateway, theirs.shop) == before


@pytest.mark.parametrize("name", ["generateorder", "page"])
def test_anothers_order_id_makes_an_order_of_ones_own(
    gateway: RunningGateway,
    sender: Sender,
    rival: Shop,
    theirs: Records,
    browser: Browser,
    name: str,
) -> None:
    before = state_of(gateway, theirs.shop)
    for order_id in theirs.ids["orderid"]:
        if name == "page":
            own = rival.open_page(browser, order_id).path.removeprefix(SESSION).split(".")[1]
        else:
            made = sender.ask(name, rival.merchant, order(f"{order_id}.q"))
            assert made.code == "00"
            own = made.data["ap_transactionid"]
        assert str(own) not in theirs.ids["ap_transactionid"]
    assert state_of(gateway, theirs.shop) == before


def page_routes() -> list[tuple[str, str]]:
    """Return every method and address below a session or a mandate's page."""
    routes = routing.routes(["/pay/v4/"], ["/pay/"]).routes
    below = [each for each in routes if "{session:str}" in each.path or "{link:str}" in each.path]
    assert len(below) > 15
    return [(method, each.path) for each in below for method in sorted(each.methods - {"OPTIONS"})]


@pytest.mark.parametrize(("method", "route"), page_routes())
def test_no_page_opens_for_another_payment_than_its_own(
    gateway: RunningGateway, rival: Shop, theirs: Records, browser: Browser, method: str, route: str
) -> None:
    """The other's payment under our session's seal, and ours under theirs, with attempts."""
    before = state_of(gateway, theirs.shop)
    merchant, payment, seal = (
        rival.open_page(browser, new_order_id()).path.removeprefix(SESSION).split(".")
    )
    for session in theirs.sessions:
        their_merchant, their_payment, their_seal = session.removeprefix(SESSION).split(".")
        for forged in (
            f"{their_merchant}.{their_payment}.{seal}",
            f"{merchant}.{their_payment}.{seal}",
            f"{merchant}.{payment}.{their_seal}",
            f"{their_merchant}.{payment}.{their_seal}",
        ):
            path = re.sub(r"\{(session|link):str\}", forged, route).replace("{verb:str}", "cancel")
            path = path.replace("{attempt_id:int}", theirs.attempts[0]).replace(
                "{name:str}", f"{theirs.attempts[0]}.svg"
            )
            answer = browser.http.request(
                method, gateway.base_url + path, data={"card": theirs.ids["token"][0]}
            )
            assert answer.status_code == 404, forged
    assert state_of(gateway, theirs.shop) == before


def test_a_session_of_ones_own_reaches_no_attempt_and_no_card_of_another(
    gateway: RunningGateway, rival: Shop, theirs: Records, browser: Browser
) -> None:
    before, order_id = state_of(gateway, theirs.shop), new_order_id()
    page = rival.open_page(browser, order_id)
    own = rival.events(order_id)
    for attempt in theirs.attempts:
        for way in ("3ds", "bank"):
            browser.http.get(f"{page.url}/{way}/{attempt}")
            browser.http.post(f"{page.url}/{way}/{attempt}")
        assert browser.http.get(f"{page.url}/qr/{attempt}.svg").status_code == 404
    browser.http.post(f"{page.url}/saved", data={"card": theirs.ids["token"][0]})
    assert rival.events(order_id) == own
    assert state_of(gateway, theirs.shop) == before
