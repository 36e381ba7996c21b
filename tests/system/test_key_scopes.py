"""API secrets with scopes: what each opens, what it may refund, and what no further key opens."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hundi.api.merchant.endpoint import MerchantAuthentication
from hundi.merchants.directory.api_keys.rules import KeyScope
from hundi.sdk import Client, Gateway, RefundItem
from hundi.wire.merchant.table import OPERATIONS
from hundi.wire.operation import Operation
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import Merchant, Sender
from tests.system.running import RunningGateway, until
from tests.system.shop import AMOUNT_PAISE, Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def keyed(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    yield from open_shop(gateway, server, "keyed", multiple_partial_refunds="on")


def key(gateway: RunningGateway, shop: Shop, name: str, *scopes: str, **options: str) -> Merchant:
    """Make an API secret and return the merchant as its holder knows it."""
    given = [
        part
        for option, value in options.items()
        for part in ("--" + option.replace("_", "-"), value)
    ]
    made = gateway.operate(
        "merchant", "key", "add", shop.merchant.merchant_id, name, *scopes, *given
    )
    holder = replace(shop.merchant, secret=made["secret"])
    assert made["secret"] not in str(
        gateway.operate("merchant", "key", "list", shop.merchant.merchant_id)
    )
    return holder


def known(sender: Sender, holder: Merchant, operation: str = "banks") -> None:
    until(lambda: sender.ask(operation, holder, {}).code != "108", "processes to learn of the key")


def paid(shop: Shop, browser: Browser) -> str:
    order_id = new_order_id()
    scan(shop.gateway, shop.open_page(browser, order_id).upi_link)
    return shop.becomes(order_id, 200, AMOUNT_PAISE).transaction_id


def test_a_key_opens_what_its_scopes_say(
    gateway: RunningGateway, sender: Sender, keyed: Shop, browser: Browser
) -> None:
    reader = key(gateway, keyed, "reports", "read")
    transaction = paid(keyed, browser)
    until(
        lambda: sender.verify(reader, {"ap_transactionid": transaction}).code == "00",
        "the key to count",
    )
    refused = sender.ask("void", reader, {"ap_transactionid": transaction})
    assert refused.code == "108"
    assert "This API secret is for other operations" in refused.message
    assert "reports, for read" in refused.message
    assert "a key with the scope manage" in refused.message
    assert sender.ask("validatevpa", reader, {"vpa": "success@hundi"}).code == "108"
    gateway.operate("merchant", "key", "end", keyed.merchant.merchant_id, "reports")
    until(
        lambda: sender.verify(reader, {"ap_transactionid": transaction}).code == "108",
        "the key to end",
    )
    assert sender.verify(keyed.merchant, {"ap_transactionid": transaction}).code == "00", (
        "the first one counts on"
    )


def test_a_key_refunds_up_to_its_amount(
    gateway: RunningGateway, sender: Sender, keyed: Shop, browser: Browser
) -> None:
    desk = key(gateway, keyed, "desk", "read", "refund", refund_paise="50000")
    known(sender, desk)
    transaction = paid(keyed, browser)
    with Client(desk.credentials, Gateway(base_url=gateway.base_url)) as client:
        (first,) = client.refund([RefundItem(transaction, 30_000)], request_id=new_order_id("R"))
        assert first.accepted, first
        (second,) = client.refund([RefundItem(transaction, 30_000)], request_id=new_order_id("R"))
        assert (second.accepted, second.code) == (False, "120")
        assert "₹500.00 of a payment altogether, by the key desk" in second.message
        (third,) = client.refund([RefundItem(transaction, 20_000)], request_id=new_order_id("R"))
        assert third.accepted, "up to the amount itself"
    (whole,) = keyed.client.refund([RefundItem(transaction)], request_id=new_order_id("R"))
    assert whole.accepted, "the first key has no bound"


def test_what_a_key_may_be_is_said(gateway: RunningGateway, keyed: Shop) -> None:
    number = keyed.merchant.merchant_id
    gateway.operate("merchant", "key", "add", number, "twice", "read")
    for arguments, words in (
        (("twice", "page"), "a name that no key has"),
        (("Desk", "read"), "small letters"),
        (("some", "refund"), "1 to"),
        (("some", "read", "--refund-paise", "5"), "0 without it"),
        (("some", "everything"), "manage"),
    ):
        refused = gateway.invoke("merchant", "key", "add", number, *arguments)
        assert (refused.exit_code, words in refused.output) == (2, True), (
            arguments,
            refused.output,
        )
    refused = gateway.invoke("merchant", "key", "end", number, "nobodys")
    assert refused.exit_code == 2


def test_a_token_is_no_keys_business(sender: Sender, keyed: Shop) -> None:
    assert sender.ask_token(keyed.merchant, keyed.merchant.token_request).code == "00"


def test_every_endpoint_says_its_scope() -> None:
    """A new operation has to choose: nothing opens for a further key by default."""
    with pytest.raises(TypeError):
        MerchantAuthentication()  # pyright: ignore[reportCallIssue]
    folder = Path(__file__).parents[2] / "src" / "hundi" / "api" / "merchant"
    named = [
        found
        for file in folder.glob("*.py")
        for found in re.findall(
            r'merchant_endpoint\(\s*"[\w/]+",\s*([\w.]+)', file.read_text("utf-8")
        )
    ]
    assert inspect.signature(Operation).parameters["scope"].default is inspect.Parameter.empty
    assert {each.scope for each in OPERATIONS} == {*KeyScope}
    assert len(named) + len(OPERATIONS) >= 35
    assert {*named} <= {
        *(f"KeyScope.{each.name}" for each in KeyScope),
        "MerchantAuthentication",
        "AUTHENTICATION",
    }
