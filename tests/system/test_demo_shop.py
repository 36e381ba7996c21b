"""The demo shop beside its gateway: what it answers about orders that are not its own."""

import httpx

from tests.sdk.gateway_double import PAID, changed
from tests.sdk.told import browser_return
from tests.system.envelopes import Merchant
from tests.system.running import RunningGateway


def test_an_order_of_somebody_else_is_unknown_and_no_fault_in_the_log(
    gateway: RunningGateway,
) -> None:
    shop = gateway.demo["shop_url"].rstrip("/")
    owner = next(
        each for each in gateway.demo["merchants"] if each["notification_url"].startswith(shop)
    )
    merchant = Merchant.of(owner)
    record = changed(PAID, orderid="NOT-OF-THE-SHOP", merchant_id=merchant.merchant_id)
    with httpx.Client(trust_env=False, timeout=30) as browser:
        answers = [
            browser.get(f"{shop}/orders/NOT-OF-THE-SHOP"),
            browser.post(f"{shop}/orders/NOT-OF-THE-SHOP/check"),
            browser.post(
                f"{shop}/return", data=browser_return(record, credentials=merchant.credentials)
            ),
        ]
    assert [each.status_code for each in answers] == [404] * 3
    assert all("We do not know this order" in each.text for each in answers)
    assert '"path":"/demo-shop' not in gateway.logged()
