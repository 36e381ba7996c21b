"""What tests of the operator's pages share: a payment, the trail's acts, a price plan."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.system.browser import Browser
from tests.system.running import RunningGateway
from tests.system.shop import Shop, new_order_id, scan

PLAN = """
aggregator = true
turnover = "large"
[[rules]]
name = "banks"
channels = ["nb"]
basis_points = 125
[otherwise]
basis_points = 0
"""


def pay(operated: RunningGateway, shop: Shop, browser: Browser, paise: int) -> str:
    order_id = new_order_id("OP")
    scan(operated, shop.open_page(browser, order_id, paise).upi_link)
    return order_id


def did(operated: RunningGateway, merchant_id: int | str) -> list[str]:
    rows = operated.rows(
        "SELECT act FROM trail_entries WHERE merchant_id = $1 ORDER BY entry_no", int(merchant_id)
    )
    return [row["act"] for row in rows]


@contextmanager
def untold(
    operated: RunningGateway, act: str, merchant_id: int | str, *told: str
) -> Iterator[None]:
    """Refuse the entry of an act in a trail.

    The operator's own is written first: it must go with the act, too. told: acts of the operator's
    trail that a transaction before it writes.
    """
    before = did(operated, 0)
    operated.rows(
        "CREATE TRIGGER untold BEFORE INSERT ON trail_entries FOR EACH ROW"
        f" WHEN (NEW.act = '{act}' AND NEW.merchant_id = {int(merchant_id)}) EXECUTE FUNCTION"
        " refuse_change()"
    )
    try:
        yield
    finally:
        operated.rows("DROP TRIGGER untold ON trail_entries")
    assert did(operated, 0) == [*before, *told]
