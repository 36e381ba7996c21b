"""What is asked of customers at a bank is asked at aggregators, which decide without us.

One payment, one posting, one outcome.
"""

from collections.abc import Iterator

import pytest

from tests.conftest import NewFolder
from tests.system.conftest import open_shop
from tests.system.crowd import BY_CARD, BY_UPI, assert_settled, at_once, customers
from tests.system.endpoint import MerchantServer
from tests.system.running import RunningGateway
from tests.system.shop import Shop

PAYERS = (BY_UPI, BY_CARD, ("pending@hundi", "", 200))
DECLINED = ("", "4000000000009995", 400)


@pytest.fixture(scope="module", params=["aggregator", "aggregator_direct"])
def shop(
    request: pytest.FixtureRequest, new_folder: NewFolder, server: MerchantServer
) -> Iterator[Shop]:
    """A merchant of a gateway whose acquirer takes cards at a page of its own, or typed at ours."""
    with RunningGateway(
        new_folder(f"face-{request.param}"), HUNDI_SIMBANK_FACE=request.param
    ) as gateway:
        yield from open_shop(gateway, server, request.param)
        gateway.audit()


def test_webhooks_that_are_late_doubled_and_overtaken_settle_each_order_once(shop: Shop) -> None:
    crowd = customers(shop, 24, (*PAYERS, DECLINED))
    shop.gateway.inject_faults(
        seed=7, delay_ms=[0, 60], duplicate_callback=0.5, reorder_callbacks=0.4
    )
    at_once(crowd)
    shop.gateway.inject_faults()
    assert_settled(crowd)


@pytest.mark.parametrize("shop", ["aggregator"], indirect=True)
def test_interfaces_killed_under_load_come_back_and_nothing_is_lost(shop: Shop) -> None:
    # Nobody is declined: a page of the aggregator that a kill took from its customer stays open for
    # ten minutes, and as long as somebody could pay there, going back to the shop ends no order.
    crowd = customers(shop, 24, PAYERS)

    at_once(crowd, lambda: shop.gateway.kill_part("api", times=2))
    assert_settled(crowd)
