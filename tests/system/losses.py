"""A database server that is lost while customers pay, and what merchants were told before."""

import sys
import time
from collections.abc import Callable

import pytest

from tests.system.acknowledged import Facts, told_paid, verified
from tests.system.crowd import BY_UPI, at_once, customers
from tests.system.running import RunningGateway, until
from tests.system.shop import Shop

ACKNOWLEDGED_MIN = 10
CUSTOMERS = 40


def lose_under_load(
    gateway: RunningGateway,
    shop: Shop,
    lose: Callable[[], None],
    within_s: float,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Lose the server while customers pay; every acknowledged order is there afterwards.

    lose: loses it, and does what the recipe has by hand. within_s: until the gateway is ready.
    """
    crowd = customers(shop, CUSTOMERS, (BY_UPI,))
    acknowledged: dict[str, Facts] = {}

    def meanwhile() -> None:
        order_ids = [each.order_id for each in crowd]
        until(lambda: len(told_paid(shop, order_ids)) >= ACKNOWLEDGED_MIN, "some orders to be paid")
        acknowledged.update(verified(shop, told_paid(shop, order_ids)))
        began = time.monotonic()
        lose()
        until(gateway.is_ready, "the gateway to be back", within_s=within_s)
        assert verified(shop, acknowledged) == acknowledged
        served_s = time.monotonic() - began
        assert served_s < within_s
        (again,) = customers(shop, 1, (BY_UPI,))
        again.pay()
        again.ends()
        with capsys.disabled():
            sys.stdout.write(
                f"\n{len(acknowledged)} orders acknowledged before the server was lost; all are"
                f" there; served {served_s:.1f} s later, paid {time.monotonic() - began:.1f} s\n"
            )

    at_once(crowd, meanwhile, width=6)
    for each in crowd:
        each.ends()
