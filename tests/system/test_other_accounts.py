"""What the keys of one account at an acquirer prove about what was begun at another one.

Nothing.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from hundi.sdk import RefundItem
from tests.conftest import NewFolder
from tests.system.acquirer_accounts import acquirer
from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop, new_order_id, scan
from tests.system.test_bank_callbacks import reference_of, signature, state_of, word

STRAY_KEY = "a key that somebody learned 4711"


@pytest.fixture(scope="module")
def apart(new_folder: NewFolder) -> Iterator[RunningGateway]:
    """A gateway of its own: what is added to it stays."""
    with RunningGateway(new_folder("other-accounts")) as running:
        yield running
        assert running.operate("audit", "--without-acquirer", "stray")["holds"]


@pytest.fixture(scope="module")
def rival(apart: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant with an account of its own, whose key is known to many.

    It was used for a test once, and is disabled.
    """
    for opened in open_shop(apart, server, "rival"):
        fields = {"url": apart.simbank_url, "key": STRAY_KEY}
        merchant = ("--merchant", opened.merchant.merchant_id, "--paid-to", "operator")
        acquirer(apart, "add", "stray", "sandbox", *merchant, fields=fields)
        acquirer(apart, "disable", "stray")
        until(
            lambda: {by_stray(apart, {}, "another key of 16 letters") for _ in range(20)} == {401},
            "every process to know the account",
        )
        yield opened


@pytest.fixture(scope="module")
def shop(apart: RunningGateway, rival: Shop, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose payments are at the acquirer of the settings."""
    assert rival.gateway is apart
    yield from open_shop(apart, server, "shop")


def by_stray(gateway: RunningGateway, said: dict[str, Any], key: str = STRAY_KEY) -> int:
    """Call the other account's address, signed with its key, and return the HTTP status."""
    body = json.dumps(said).encode()
    headers = {
        "content-type": "application/json",
        "simbank-signature": signature(key, body, time.time()),
    }
    return httpx.post(
        f"{gateway.base_url}/callbacks/stray", content=body, headers=headers, trust_env=False
    ).status_code


def test_nobody_is_paid_by_the_word_of_another_account(
    apart: RunningGateway, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    page = shop.open_page(browser, order_id)
    before = state_of(shop, order_id)
    assert by_stray(apart, word(reference_of(shop, order_id))) == 204
    # The attempt's own acquirer is asked, and knows of no money.
    until(lambda: shop.attempts(order_id)[0]["inquiries"] > 0, "the bank to be asked")
    assert state_of(shop, order_id) == before
    assert shop.verify(order_id).status_code == 211
    scan(apart, page.upi_link)
    shop.becomes(order_id, 200)


def test_no_refund_ends_by_the_word_of_another_account(
    apart: RunningGateway, shop: Shop, browser: Browser
) -> None:
    order_id = new_order_id()
    scan(apart, shop.open_page(browser, order_id).upi_link)
    paid = shop.becomes(order_id, 200)
    apart.inject_faults(lose_request=1.0)
    try:
        (result,) = shop.client.refund(
            [RefundItem(paid.transaction_id)], request_id=new_order_id("R")
        )
        reference = f"{shop.merchant.merchant_id}-R{result.refund_id}"
        assert by_stray(apart, word(reference, kind="refund", status="done")) == 204
        state = "SELECT state::text FROM refunds WHERE merchant_id = $1 AND refund_id = $2"
        assert apart.value(state, shop.merchant.number, int(result.refund_id)) != "done"
    finally:
        apart.inject_faults()


def test_terminals_of_others_sell_nothing_by_it(
    apart: RunningGateway, rival: Shop, shop: Shop
) -> None:
    sale = {
        "kind": "pos_sale", "event_id": f"pos_{time.monotonic_ns():x}", "terminal_id": "T1",
        "txn_type": "SALE", "amount_paise": 100, "edited_paise": 0, "table_no": "", "mobile": "",
    }  # fmt: skip
    for each, status in ((rival, 204), (shop, 422)):
        apart.operate("pos", "register", each.merchant.merchant_id, "T1", "Counter")
        assert by_stray(apart, sale | {"merchant_id": each.merchant.number}) == status
        assert len(apart.operate("pos", "sales", each.merchant.merchant_id, "T1")) == (
            1 if status == 204 else 0
        )
