"""A customer's browser has nothing that opens an operation, however forged (decision 0016).

The cipher has no authentication, so these customers are given more than any attack yields: each
message is right to the last byte, with privatekey, checksum and the token of a payment page. What
they lack is an address that asked for tokens.
"""

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from hundi.wire.merchant.refunds import REFUND
from hundi.wire.merchant.splits import SPLIT
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.merchant.token import ISSUE
from hundi.wire.operation import API, PREFIX
from tests.system.browser import Browser, read_screen
from tests.system.conftest import NewMerchant
from tests.system.envelopes import PAGE, Merchant, Reply, Sender, form, json_body, order, read_reply
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, pay_card, settled

pytestmark = pytest.mark.usefixtures("books_hold")
ADDRESSES = [operation.address for operation in OPERATIONS if operation is not ISSUE]
NOT_FOR_THIS = "106"


def at_address(gateway: RunningGateway, address: str) -> Iterator[Sender]:
    with httpx.Client(
        trust_env=False, timeout=30, transport=httpx.HTTPTransport(local_address=address)
    ) as http:
        yield Sender(gateway.base_url, http)


@pytest.fixture(scope="module")
def customer(gateway: RunningGateway) -> Iterator[Sender]:
    """Sends from an address that never asked for a token."""
    yield from at_address(gateway, "127.0.0.66")


@pytest.fixture(scope="module")
def second_server(gateway: RunningGateway) -> Iterator[Sender]:
    """Sends from another server of a merchant."""
    yield from at_address(gateway, "127.0.0.77")


def refund_of(transaction_id: int | str, amount: str = "1.00") -> dict[str, Any]:
    items = json.dumps([{"ap_transactionid": str(transaction_id), "amount": amount}])
    return {"mode": "refund", "transactions": base64.b64encode(items.encode()).decode()}


def messages(transaction_id: str, order_id: str, rrn: str) -> Mapping[str, dict[str, Any]]:
    """Return a message of each operation that the gateway would perform for the merchant."""
    split = {
        "ap_transactionid": transaction_id,
        "rrn": rrn,
        "split_type": "percentage",
        "split_value": {"primary": "100"},
    }
    by_id = {"ap_transactionid": transaction_id}
    return {
        "refund": refund_of(transaction_id),
        "verify": {"orderid": order_id},
        "generateorder": order(new_order_id()),
        "capture": by_id,
        "void": by_id,
        "split": split,
    }


def asked(
    sender: Sender, merchant: Merchant, path: str, payload: dict[str, Any], **query: str
) -> Reply:
    return sender.post(path, json_body(merchant.envelope(payload)), merchant, **query)


@pytest.fixture
def paid(shop: Shop, browser: Browser) -> dict[str, Any]:
    """A paid order of a customer, with the merchant's own view of it."""
    order_id = new_order_id()
    settled(browser, pay_card(browser, shop.open_page(browser, order_id)))
    told = shop.verify(order_id)
    return {"transaction_id": told.transaction_id, "order_id": order_id, "rrn": told.rrn}


@pytest.mark.parametrize("path", ADDRESSES)
def test_a_perfect_forgery_opens_no_operation(
    customer: Sender, sender: Sender, shop: Shop, paid: dict[str, Any], path: str
) -> None:
    payload = messages(**paid).get(
        path.strip("/").rpartition("/")[2], {"orderid": paid["order_id"]}
    )
    of_a_page = sender.token(shop.merchant)
    held = asked(customer, shop.merchant, path, payload, token=of_a_page)
    assert (held.code, held.data) == (NOT_FOR_THIS, []), held.message
    assert asked(sender, shop.merchant, path, payload, token=of_a_page).code != NOT_FOR_THIS, (
        "the merchant's own address"
    )


def test_a_forged_refund_moves_nothing_and_the_merchants_own_does(
    gateway: RunningGateway, customer: Sender, sender: Sender, shop: Shop, paid: dict[str, Any]
) -> None:
    path, batch = REFUND.address, refund_of(paid["transaction_id"])
    refunds = "SELECT count(*) FROM refunds WHERE merchant_id = $1 AND payment_id = $2"
    counted = (refunds, shop.merchant.number, int(paid["transaction_id"]))
    assert (
        asked(customer, shop.merchant, path, batch, token=sender.token(shop.merchant)).code
        == NOT_FOR_THIS
    )
    assert gateway.value(*counted) == 0
    assert asked(sender, shop.merchant, path, batch, token=sender.token(shop.merchant)).code == "00"
    assert gateway.value(*counted) == 1


def test_split_has_no_token_and_takes_only_a_network_that_was_issued_one(
    customer: Sender, sender: Sender, shop: Shop, paid: dict[str, Any]
) -> None:
    payload = messages(**paid)["split"]
    assert asked(customer, shop.merchant, SPLIT.address, payload).code == NOT_FOR_THIS
    sender.token(shop.merchant)
    assert asked(sender, shop.merchant, SPLIT.address, payload).code != NOT_FOR_THIS


def scoped(sender: Sender, merchant: Merchant, scope: str) -> str:
    """Return a token of a scope."""
    reply = sender.ask_token(merchant, merchant.token_request | {"scope": scope})
    assert (reply.code, reply.data["scope"]) == ("00", scope)
    return reply.data["access_token"]


def test_a_token_of_the_page_opens_nothing_else_even_at_home(sender: Sender, shop: Shop) -> None:
    of_the_page = scoped(sender, shop.merchant, "page")
    assert sender.verify(shop.merchant, {"orderid": "any"}, token=of_the_page).code == NOT_FOR_THIS
    outer = form(shop.merchant.envelope(order(new_order_id())))
    assert sender.raw(PAGE, outer, token=of_the_page).status_code == 303


def test_a_token_of_the_operations_opens_them_from_anywhere_and_no_page(
    sender: Sender, customer: Sender, shop: Shop
) -> None:
    of_operations = scoped(sender, shop.merchant, "operations")
    assert customer.verify(shop.merchant, {"orderid": "none"}, token=of_operations).code == "503"
    answer = sender.raw(
        PAGE, form(shop.merchant.envelope(order(new_order_id()))), token=of_operations
    )
    assert read_screen(answer).codes[0] == NOT_FOR_THIS
    assert "must not pass through a browser" in shop.refusal_of(read_screen(answer))


def test_the_forms_of_our_sdk_carry_a_token_that_opens_no_operation(
    sender: Sender, shop: Shop
) -> None:
    screen_token = shop.client.access_token("page")
    assert sender.verify(shop.merchant, {"orderid": "any"}, token=screen_token).code == NOT_FOR_THIS
    assert shop.client.access_token("operations") != screen_token


def test_another_server_of_the_merchant_is_known_once_it_asked_for_a_token(
    sender: Sender, second_server: Sender, new_merchant: NewMerchant
) -> None:
    merchant, nothing = new_merchant("Two servers"), {"orderid": "none"}
    first = sender.token(merchant)
    assert second_server.verify(merchant, nothing, token=first).code == NOT_FOR_THIS
    second = second_server.token(merchant)
    # Servers behind several addresses may share tokens; each address has asked for one of its own
    # once.
    assert second_server.verify(merchant, nothing, token=first).code == "503"
    assert sender.verify(merchant, nothing, token=second).code == "503"


def test_a_merchant_may_demand_scoped_tokens_and_list_its_servers(
    gateway: RunningGateway, sender: Sender, second_server: Sender, new_merchant: NewMerchant
) -> None:
    merchant, nothing = new_merchant("Strict"), {"orderid": "none"}
    unscoped, of_operations = sender.token(merchant), scoped(sender, merchant, "operations")
    gateway.operate("merchant", "senders", merchant.merchant_id, "--scoped-tokens", "on")
    assert sender.verify(merchant, nothing, token=unscoped).code == NOT_FOR_THIS
    assert second_server.verify(merchant, nothing, token=of_operations).code == "503"
    listed = ("--scoped-tokens", "off", "--operation-address", "127.0.0.77")
    shown = gateway.operate("merchant", "senders", merchant.merchant_id, *listed)
    assert (shown["operation_addresses"], shown["scoped_tokens"]) == (["127.0.0.77"], False)
    assert sender.verify(merchant, nothing, token=of_operations).code == NOT_FOR_THIS
    assert second_server.verify(merchant, nothing, token=unscoped).code == "503"


def test_the_merchant_reads_why(
    gateway: RunningGateway, sender: Sender, customer: Sender, shop: Shop
) -> None:
    reply = customer.verify(shop.merchant, {"orderid": "any"}, token=sender.token(shop.merchant))
    assert "ask for one with the scope operations" in reply.message
    assert "127.0.0" not in reply.message
    (kept,) = gateway.operate(
        "refusal", "list", shop.merchant.merchant_id, reply.envelope["request_id"]
    )
    assert (
        "no token was issued to 127.0.0.66 within a day, and this one to 127.0.0.1"
        in json.dumps(kept)
    )


def test_behind_an_unnamed_proxy_nobody_passes_for_the_merchants_server(
    second_server: Sender, new_merchant: NewMerchant
) -> None:
    """The proxy's own address would be everybody's.

    127.0.0.1 alone is named in this gateway's settings.
    """
    merchant, forwarded = new_merchant("Behind a stranger"), {"x-forwarded-for": "203.0.113.9"}

    def sent(operation: str, outer: dict[str, str], **query: str) -> Reply:
        address = f"{second_server.base_url}{PREFIX}{API}{operation}/"
        return read_reply(
            second_server.http.post(address, data=outer, headers=forwarded, params=query), merchant
        )

    codes = {}
    for scope in ("", "operations"):
        wanted = merchant.envelope(merchant.token_request | {"scope": scope}, privatekey=None)
        token = sent("oauth2", wanted).data["access_token"]
        codes[scope] = sent("verify", merchant.envelope({"orderid": "none"}), token=token).code
    assert codes == {"": NOT_FOR_THIS, "operations": "503"}


@pytest.mark.parametrize("scope", ["operation", "page operations", "PAGE"])
def test_another_scope_is_refused_by_name(sender: Sender, shop: Shop, scope: str) -> None:
    reply = sender.ask_token(shop.merchant, shop.merchant.token_request | {"scope": scope})
    assert reply.code == "110"
    assert "scope was" in reply.message
    assert "page" in reply.message


def test_what_customers_send_does_not_fill_the_merchants_list(
    gateway: RunningGateway, sender: Sender, customer: Sender, new_merchant: NewMerchant
) -> None:
    merchant = new_merchant("Beset")
    token = sender.token(merchant)
    for _ in range(70):
        assert customer.verify(merchant, {"orderid": "any"}, token=token).code == NOT_FOR_THIS
    kept = gateway.value(
        "SELECT count(*) FROM refused_requests WHERE merchant_id = $1", merchant.number
    )
    assert kept == 60, "each minute's first of one address"
