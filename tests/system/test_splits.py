"""Split settlement through the running gateway.

Both forms, exact sums, replaced, repeated, and refused.
"""

import hmac
from collections.abc import Iterator
from typing import Any

import pytest

from hundi.sdk import RefundItem, Split, Transaction
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Reply, Sender, json_body, order, read_reply
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")
PATH = "/gateway/neft/split_payout/transaction_level_split_config_api.php"
NUMBER = "50100123456789"
_ids = iter(range(1, 10_000))


@pytest.fixture(scope="module")
def market(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with two linked accounts, and one that is closed."""
    for shop in open_shop(gateway, server, "market", multiple_partial_refunds="on"):
        for identifier in ("WEAVER", "DYER", "GONE"):
            gateway.operate(
                "split",
                "link",
                shop.merchant.merchant_id,
                identifier,
                f"The {identifier}",
                "HDFC0000001",
                "--number",
                NUMBER,
            )
        gateway.operate("split", "close", shop.merchant.merchant_id, "GONE")
        yield shop


def paid(shop: Shop, browser: Browser, amount_paise: int = 100_001) -> Transaction:
    order_id = new_order_id()
    scan(shop.gateway, shop.open_page(browser, order_id, amount_paise).upi_link)
    return shop.becomes(order_id, 200, amount_paise)


def request_id() -> str:
    return str(next(_ids))


def wished(transaction: Transaction, *parts: tuple[str, str], **more: Any) -> dict[str, Any]:
    """Return the fields of the encrypted form."""
    return {
        "ap_transactionid": transaction.transaction_id,
        "rrn": transaction.rrn,
        "split_request_id": request_id(),
        "split_type": "percentage",
        "primary_split_value": "20.00",
        "splits": [{"identifier": identifier, "value": value} for identifier, value in parts],
    } | more


PARTS = ("WEAVER", "33.33"), ("DYER", "46.67")


def ask(sender: Sender, shop: Shop, payload: dict[str, Any], **changes: str | None) -> Reply:
    return sender.post(PATH, json_body(shop.merchant.envelope(payload, **changes)), shop.merchant)


def flat(shop: Shop, transaction: Transaction, **changes: str) -> dict[str, str]:
    return {
        "merchant_id": shop.merchant.merchant_id,
        "TRANSACTION_ID": transaction.transaction_id,
        "RRN": transaction.rrn,
        "SPLIT_REQUEST_ID": request_id(),
        "PRIACCT_IDENTIFIER": shop.merchant.merchant_id,
        "PRIACCT_SPLIT_VALUE": "20.00",
        "OTHER_IDENTIFIERS": "WEAVER|DYER",
        "SPLIT_VALUES": "33.33|46.67",
        "TOKEN": hmac.new(
            shop.merchant.secret.encode(),
            (shop.merchant.privatekey + transaction.transaction_id).encode(),
            "sha256",
        ).hexdigest(),
    } | changes


def ask_flat(
    sender: Sender, shop: Shop, fields: dict[str, str], api_key: str | None = None
) -> Reply:
    body = json_body(fields)
    key = shop.merchant.secret if api_key is None else api_key
    answer = sender.http.post(
        sender.base_url + PATH, content=body.content, headers={**body.headers, "Api-Key": key}
    )
    return read_reply(answer, shop.merchant)


def test_per_cents_are_shared_to_the_paisa_and_recorded_with_their_ledger_accounts(
    gateway: RunningGateway, sender: Sender, market: Shop, browser: Browser
) -> None:
    transaction = paid(market, browser)
    payload = wished(transaction, *PARTS)
    reply = ask(sender, market, payload)
    assert (reply.code, reply.envelope["status"]) == ("00", "success")
    assert reply.data == {
        "split_request_id": payload["split_request_id"],
        "status": "configured",
        "ap_transactionid": transaction.transaction_id,
        "primary_amount": "200.01",
        "splits": [
            {"identifier": "WEAVER", "amount": "333.30"},
            {"identifier": "DYER", "amount": "466.70"},
        ],
    }
    assert ask(sender, market, payload).data == reply.data, "the same request again changes nothing"
    shown = gateway.operate(
        "split", "show", market.merchant.merchant_id, transaction.transaction_id
    )
    assert [(each["identifier"], each["ledger_account"], each["due_paise"]) for each in shown] == [
        ("primary", "payable", 20_001),
        ("WEAVER", "payable_linked:1", 33_330),
        ("DYER", "payable_linked:2", 46_670),
    ]
    assert market.events(transaction.order_id)[-1] == "split_configured"


def test_a_new_request_replaces_and_a_refund_reduces_every_part(
    gateway: RunningGateway, sender: Sender, market: Shop, browser: Browser
) -> None:
    transaction = paid(market, browser, 100_000)
    assert ask(sender, market, wished(transaction, *PARTS)).code == "00"
    absolute = wished(
        transaction, ("DYER", "750.00"), split_type="absolute", primary_split_value="250.00"
    )
    assert ask(sender, market, absolute).data["splits"] == [
        {"identifier": "DYER", "amount": "750.00"}
    ]
    market.client.refund(
        [RefundItem(transaction.transaction_id, 20_000)], request_id=new_order_id("R")
    )
    shown = gateway.operate(
        "split", "show", market.merchant.merchant_id, transaction.transaction_id
    )
    assert [
        (each["identifier"], each["configured_paise"], each["due_paise"]) for each in shown
    ] == [
        ("primary", 25_000, 20_000),
        ("DYER", 75_000, 60_000),
    ]
    # Amounts of a new one are of what is left.
    left = wished(transaction, ("DYER", "800.00"), split_type="absolute", primary_split_value="0")
    assert ask(sender, market, left).code == "00"
    again = ask(sender, market, absolute)
    assert (again.code, again.data["status"], again.data["splits"][0]["amount"]) == (
        "00",
        "replaced",
        "750.00",
    )
    assert ask(sender, market, absolute | {"rrn": "000000000000"}).code == "110", (
        "another payment is meant"
    )


def test_the_sdk_and_the_flat_form_do_the_same(
    sender: Sender, market: Shop, browser: Browser
) -> None:
    transaction = paid(market, browser)
    fields = flat(market, transaction)
    reply = ask_flat(sender, market, fields)
    assert (reply.code, reply.data["primary_amount"]) == ("00", "200.01")
    told = market.client.split(
        Split(
            transaction_id=transaction.transaction_id,
            rrn=transaction.rrn,
            request_id=fields["SPLIT_REQUEST_ID"],
            primary=2_000,
            shares={"WEAVER": 3_333, "DYER": 4_667},
        )
    )
    assert (told.primary_paise, told.shares_paise) == (20_001, {"WEAVER": 33_330, "DYER": 46_670})


@pytest.mark.parametrize(
    ("changes", "api_key"),
    [
        ({"TOKEN": "0" * 64}, None),
        ({"TOKEN": ""}, None),
        ({}, ""),
        ({}, "wrong"),
    ],
)
def test_the_flat_form_proves_its_sender(
    sender: Sender, market: Shop, browser: Browser, changes: dict[str, str], api_key: str | None
) -> None:
    reply = ask_flat(sender, market, flat(market, paid(market, browser), **changes), api_key)
    assert (reply.code, reply.data) == ("108", [])


def test_the_flat_form_of_another_merchant_reaches_nothing(
    sender: Sender, market: Shop, rival: Shop, browser: Browser
) -> None:
    transaction = paid(market, browser)
    assert ask_flat(sender, rival, flat(rival, transaction)).code == "503"
    assert (
        ask_flat(sender, rival, flat(rival, transaction, PRIACCT_IDENTIFIER="someone")).code
        == "503"
    )
    assert (
        ask_flat(sender, market, flat(market, transaction, PRIACCT_IDENTIFIER="someone")).code
        == "110"
    )
    assert ask_flat(sender, market, flat(market, transaction, SPLIT_VALUES="33.33")).code == "110"
    assert ask_flat(sender, market, flat(market, transaction, RRN="")).code == "110"


BAD = [
    ({"splits": [{"identifier": "WEAVER", "value": "79.99"}]}, "110", "add up to 100.00"),
    ({"splits": [{"identifier": "WEAVER", "value": "80.01"}]}, "110", "add up to 100.00"),
    ({"splits": [{"identifier": "NOBODY", "value": "80.00"}]}, "110", "NOBODY"),
    ({"splits": [{"identifier": "GONE", "value": "80.00"}]}, "110", "GONE"),
    ({"splits": [{"identifier": "WEAVER", "value": "40.00"}] * 2}, "110", "once"),
    ({"splits": []}, "110", "splits"),
    ({"splits": "WEAVER"}, "110", "splits"),
    ({"splits": [{"identifier": "WEAVER"}]}, "110", "value"),
    (
        {"splits": [{"identifier": "WEAVER", "value": "0"}], "primary_split_value": "100"},
        "110",
        "value",
    ),
    ({"split_type": "half"}, "110", "split_type"),
    ({"split_type": "absolute"}, "110", "₹1,000.01"),
    ({"split_request_id": "x"}, "110", "split_request_id"),
    ({"split_request_id": "1" * 16}, "110", "split_request_id"),
    ({"rrn": "000000000000"}, "110", "rrn"),
    ({"rrn": ""}, "110", "the RRN of this transaction"),
    ({"ap_transactionid": "1"}, "503", ""),
    ({"ap_transactionid": "9" * 20}, "503", ""),
    ({"ap_transactionid": "x"}, "110", "ap_transactionid"),
]


def test_what_cannot_be_shared_so_is_refused_with_the_reason(
    sender: Sender, market: Shop, browser: Browser
) -> None:
    transaction = paid(market, browser)
    for changes, code, words in BAD:
        reply = ask(sender, market, wished(transaction, ("WEAVER", "80.00")) | changes)
        assert (reply.code, reply.data) == (code, []), changes
        assert words in reply.envelope["message"], changes
    # Nothing a customer's browser has seen configures a split.
    assert ask(sender, market, order("X") | wished(transaction, ("WEAVER", "80.00"))).code == "110"
    assert (
        ask(sender, market, wished(transaction, ("WEAVER", "80.00")), privatekey=None).code == "108"
    )


def test_the_vendors_form_names_its_merchant_by_the_api_secret(
    gateway: RunningGateway, sender: Sender, market: Shop, browser: Browser
) -> None:
    transaction = paid(market, browser)

    def asked(api_key: str | None = None, **changes: str) -> Reply:
        fields = flat(market, transaction, **changes)
        del fields["merchant_id"]
        return ask_flat(sender, market, fields, api_key)

    assert asked(PRIACCT_IDENTIFIER="primary").data["primary_amount"] == "200.01"
    assert asked(PRIACCT_IDENTIFIER="primary", TOKEN="0" * 64).code == "108"
    # A secret that names nobody, as imported ones may: the merchant's own share is named by its id.
    assert asked("secret-of-another-form", PRIACCT_IDENTIFIER="primary").code == "101"
    assert asked("secret-of-another-form").code == "108"
    assert (
        asked(f"api-{market.merchant.merchant_id}-guessed", PRIACCT_IDENTIFIER="primary").code
        == "108"
    )
    assert asked("api-1-guessed", PRIACCT_IDENTIFIER="primary").code == "501"


def test_a_used_request_id_with_other_content_is_refused(
    sender: Sender, market: Shop, browser: Browser
) -> None:
    first, second = paid(market, browser), paid(market, browser)
    payload = wished(first, *PARTS)
    assert ask(sender, market, payload).code == "00"
    assert (
        ask(
            sender,
            market,
            payload | {"primary_split_value": "53.33", "splits": payload["splits"][1:]},
        ).code
        == "122"
    )
    other = wished(second, *PARTS) | {"split_request_id": payload["split_request_id"]}
    assert ask(sender, market, other).code == "122"


def test_what_is_unpaid_refunded_or_settled_is_not_shared(
    gateway: RunningGateway, sender: Sender, market: Shop, browser: Browser
) -> None:
    unpaid = new_order_id()
    market.open_page(browser, unpaid)
    named = wished(paid(market, browser), *PARTS) | {"rrn": ""}
    assert (
        ask(sender, market, named | {"ap_transactionid": market.verify(unpaid).transaction_id}).code
        == "120"
    )
    refunded = paid(market, browser)
    market.client.refund([RefundItem(refunded.transaction_id)], request_id=new_order_id("R"))
    assert ask(sender, market, wished(refunded, *PARTS)).code == "120"
    settled = paid(market, browser)
    assert ask(sender, market, wished(settled, *PARTS)).code == "00"
    gateway.rows(
        "UPDATE payments SET settled_at = now() WHERE payment_id = $1", int(settled.transaction_id)
    )
    assert ask(sender, market, wished(settled, *PARTS)).code == "120"


def test_linked_accounts_are_listed_without_their_numbers(
    gateway: RunningGateway, market: Shop
) -> None:
    listed = gateway.operate("split", "accounts", market.merchant.merchant_id)
    assert [(each["identifier"], each["number"], each["state"]) for each in listed] == [
        ("WEAVER", "…6789", "open"),
        ("DYER", "…6789", "open"),
        ("GONE", "…6789", "closed"),
    ]
    rows = gateway.rows(
        "SELECT sealed_number FROM linked_accounts WHERE merchant_id = $1", market.merchant.number
    )
    assert all(NUMBER.encode() not in row["sealed_number"] for row in rows)
    own = "primary", market.merchant.merchant_id
    reserved = [(name, "Mine", "HDFC0000001") for name in own]
    for arguments in (("WEAVER", "Again", "HDFC0000001"), ("NEW", "New", "HDFC1"), *reserved):
        ended = gateway.invoke(
            "split", "link", market.merchant.merchant_id, *arguments, "--number", NUMBER
        )
        assert (ended.exit_code, NUMBER in ended.output) == (2, False)
