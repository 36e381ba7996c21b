"""The page takes payments from the domains that a merchant registered."""

import base64
from collections.abc import Iterator

import httpx
import pytest

from tests.system.conftest import open_shop
from tests.system.endpoint import MerchantServer
from tests.system.envelopes import PAGE, Sender, form, order
from tests.system.running import RunningGateway
from tests.system.shop import SESSION, Shop, new_order_id
from tests.system.test_page_refusals import assert_refused, assert_tells, payments_of

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture(scope="module")
def domain_shop(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant that has registered where its payments start."""
    yield from open_shop(gateway, server, "homely", domain="https://shop.example")


def from_domain(
    sender: Sender, shop: Shop, order_id: str, origin: str | None, mer_dom: str | None
) -> httpx.Response:
    claimed = base64.b64encode(mer_dom.encode()).decode() if mer_dom is not None else None
    body = form(shop.merchant.envelope(order(order_id, mer_dom=claimed)))
    headers = body.headers | ({"origin": origin} if origin is not None else {})
    query = {"token": sender.token(shop.merchant)}
    return sender.http.post(
        sender.base_url + PAGE, content=body.content, headers=headers, params=query
    )


@pytest.mark.parametrize(
    ("origin", "mer_dom"),
    [
        ("https://shop.example", None),
        ("https://SHOP.example:443", "https://shop.example/cart"),
        (None, "https://shop.example"),
        ("null", "https://shop.example"),
    ],
)
def test_a_payment_from_a_registered_domain_starts(
    sender: Sender, domain_shop: Shop, origin: str | None, mer_dom: str | None
) -> None:
    answer = from_domain(sender, domain_shop, new_order_id(), origin, mer_dom)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(SESSION)


@pytest.mark.parametrize(
    ("origin", "mer_dom", "named"),
    [
        ("https://evil.example", "https://shop.example", "https://evil.example"),
        ("https://shop.example", "https://evil.example", "https://evil.example"),
        ("http://shop.example", None, "http://shop.example"),
        ("https://shop.example.evil.example", None, "https://shop.example.evil.example"),
        ("https://shop.example:8443", None, "https://shop.example:8443"),
        ("null", None, "none"),
        (None, None, "none"),
    ],
)
def test_a_payment_from_elsewhere_is_u04_and_names_the_domain(
    sender: Sender, domain_shop: Shop, origin: str | None, mer_dom: str | None, named: str
) -> None:
    order_id = new_order_id()
    screen = assert_refused(
        from_domain(sender, domain_shop, order_id, origin, mer_dom), "U04", domain_shop
    )
    assert_tells(domain_shop, screen, "domain", named, "allowed: https://shop.example")
    assert payments_of(domain_shop, order_id) == 0
