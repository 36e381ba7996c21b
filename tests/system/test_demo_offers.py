"""The demo shop as an affiliate.

A paid order's coupons, from the shop's page to the offers page.
"""

import re

import httpx

from tests.system.running import RunningGateway, until
from tests.system.shop import scan

BUYER = {
    "first_name": "Meera",
    "last_name": "Rao",
    "email": "meera@example.in",
    "phone": "9876543210",
}


def test_a_paid_order_of_the_demo_shop_brings_coupons(gateway: RunningGateway) -> None:
    shop = gateway.demo["shop_url"].rstrip("/")
    with httpx.Client(trust_env=False, follow_redirects=True, timeout=30) as browser:
        going = browser.post(f"{shop}/orders", data=BUYER | {"amount": "2500"})
        order = str(going.url).rpartition("/pay")[0]
        affiliate = gateway.demo["partner"]["affiliate"]
        coupons = f"{gateway.demo['offers_url']}/app/{affiliate}/{order[-10:]}"
        assert browser.get(coupons).status_code == 404, "an order that is not paid brings none"
        form = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', going.text))
        action = re.search(r'<form[^>]* action="([^"]+)"', going.text)
        assert action is not None
        page = browser.post(action[1].replace("&amp;", "&"), data=form)
        link = re.search(r'href="(upi://[^"]+)"', page.text)
        assert link is not None
        scan(gateway, link[1].replace("&amp;", "&"))
        paid = until(
            lambda: said if coupons in (said := browser.get(order).text) else "", "the shop to know"
        )
        assert "See your coupons" in paid
        shown = until(
            lambda: answer if (answer := browser.get(coupons)).status_code == 200 else None,
            "the offer to be asked for again",
        )
    assert "Meera Rao, you have 8 coupons" in shown.text
    assert shown.text.count("<code>") == 8
