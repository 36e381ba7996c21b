"""A key is rotated and the old one retired while customers pay.

Nobody is refused, nothing is started again.
"""

from collections.abc import Iterator

import pytest

from tests.system.browser import Browser
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan

pytestmark = pytest.mark.usefixtures("books_hold")


@pytest.fixture
def rotating(gateway: RunningGateway, server: MerchantServer) -> Iterator[Shop]:
    """A merchant whose secrets are sealed anew."""
    yield from open_shop(gateway, server, "rotating")


def _keys(gateway: RunningGateway) -> dict[str, tuple[str, int]]:
    return {row["key_id"]: (row["use"], row["sealed"]) for row in gateway.operate("keys", "list")}


def test_a_key_is_rotated_under_load(gateway: RunningGateway, rotating: Shop) -> None:
    processes = {each.pid for part in ("api", "worker") for each in gateway.part(part)}
    before = list(_keys(gateway))
    crowd = customers(rotating, 30, (BY_UPI, BY_CARD))
    rotated: dict[str, object] = {}
    with Browser() as browser:
        order_id = new_order_id()
        screen = rotating.open_page(browser, order_id)
        at_once(crowd, lambda: rotated.update(gateway.operate("keys", "rotate")), width=4)
        for each in crowd:
            each.ends()
        assert [each.broken for each in crowd if each.broken] == [], "a customer was turned away"

        keys = _keys(gateway)
        assert list(keys) == [rotated["key_id"], *before]
        assert [keys[key_id][1] for key_id in before] == [0] * len(before)
        assert keys[str(rotated["key_id"])][1] >= rotated["merchants"]  # type: ignore[operator]
        for key_id in before:
            gateway.operate("keys", "retire", key_id)
        assert {use for use, _ in list(_keys(gateway).values())[1:]} == {"derives"}

        assert browser.get(screen.url).at == "choose", "an address that a customer has stays good"
        scan(gateway, screen.upi_link, "success@hundi")
        rotating.becomes(order_id, 200)
    again = customers(rotating, 4, (BY_UPI, BY_CARD))
    at_once(again)
    for each in again:
        each.ends()
    assert {each.pid for part in ("api", "worker") for each in gateway.part(part)} == processes
    cards = [
        _cards(rotating, some)
        for some in ([each.order_id for each in crowd], [each.order_id for each in again])
    ]
    assert cards[0] == cards[1], "risk rules know a card by the same hash as before"
    # A card that is typed at an aggregator's page is not seen here.
    assert (cards[0] == set()) == (gateway.face == "aggregator")


def _cards(shop: Shop, order_ids: list[str]) -> set[str]:
    """Return the hashes under which risk rules count the cards of some orders."""
    rows = shop.gateway.rows(
        "SELECT DISTINCT a.risk -> 'seen' ->> 'card' AS card FROM attempts a JOIN payments p USING"
        " (merchant_id, payment_id)"
        " WHERE merchant_id = $1 AND order_id = ANY($2) AND a.risk -> 'seen' ->> 'card' <> ''",
        shop.merchant.number,
        order_ids,
    )
    return {row["card"] for row in rows}
