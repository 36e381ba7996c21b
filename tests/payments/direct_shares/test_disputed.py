"""A share of a disputed payment is held where it has not left; what was lost reduces it."""

from datetime import timedelta

import pytest

from hundi.acquirers.port.disputes import Standing
from hundi.payments.direct_shares.rules import PARTY_GAP
from hundi.payments.disputes import actions as disputes
from hundi.payments.orders.rules import PaymentView
from tests.payments.direct_shares.market import PAISE, Market
from tests.payments.disputes.played import word
from tests.shop import NOW

SOON = NOW + timedelta(minutes=1)


async def told(market: Market, view: PaymentView, standing: Standing, taken: int = 0) -> None:
    """Let the bank tell how a dispute of the whole payment stands."""
    said = word(view, standing, taken, paise=PAISE)
    market.bank.raised[said.name] = said
    callback = (said.name, said.original)
    assert await disputes.handle_callback(market.shop.context, "sandbox", callback, SOON)


@pytest.mark.parametrize(
    ("standing", "taken", "state", "sent"),
    [
        (Standing.WON, 0, "done", 80_000),
        (Standing.LOST, 25_000, "done", 60_000),
        (Standing.LOST, PAISE, "cancelled", 0),
    ],
)
async def test_a_share_waits_for_the_end_of_a_dispute(
    market: Market, standing: Standing, taken: int, state: str, sent: int
) -> None:
    view = await market.shared()
    await told(market, view, Standing.OPEN)
    await market.work(NOW)
    share = await market.share(view)
    assert (share.state, share.message) == ("waiting", "the payment is disputed")
    assert market.bank.given == []
    await market.holds()
    await told(market, view, standing, taken)
    await market.work(NOW + PARTY_GAP)
    share = await market.share(view)
    assert (share.state, share.sent_paise) == (state, sent)
    await market.holds()


async def test_a_share_that_has_left_stays(market: Market) -> None:
    view = await market.shared()
    await market.work(NOW)
    await told(market, view, Standing.OPEN)
    assert (await market.share(view)).state == "done"
    await market.holds()
