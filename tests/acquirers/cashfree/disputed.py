"""Disputes at Cashfree's stand-in, as tests raise and read them."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from hundi.acquirers.cashfree.cases import CashfreeDispute
from hundi.acquirers.port.answers import Unknown
from hundi.acquirers.port.disputes import DisputePage, DisputeWord, PhaseName, Standing
from hundi.kernel.states import DisputePhase as P
from tests.acquirers.cashfree import published
from tests.acquirers.cashfree.account import Shop, paid
from tests.acquirers.cashfree.standin_disputes import raise_dispute

OURS = "10001-219876543210001"
PDF = b"%PDF-1.4\n\x00\xff\r\n--hundi-\r\n%%EOF\n"
CASE = PhaseName("433447817", P.CHARGEBACK)


def entity(**changes: object) -> CashfreeDispute:
    return msgspec.json.decode(
        json.dumps(json.loads(published.DISPUTE) | changes).encode(), type=CashfreeDispute
    )


async def raised(
    shop: Shop, kind: str = "CHARGEBACK", **more: Any
) -> tuple[dict[str, Any], PhaseName]:
    """Have a payment of ours disputed."""
    dispute = raise_dispute(shop.bank.world, (await paid(shop)).reference, kind, **more)
    return dispute, PhaseName(
        str(dispute["dispute_id"]), P[kind if kind != "DISPUTE" else "CHARGEBACK"]
    )


async def listed(shop: Shop) -> list[DisputeWord] | None:
    """Return all that the books lead to, None where they cannot be read to their end."""
    words: list[DisputeWord] = []
    after = ""
    while True:
        page = await shop.connector.disputes(datetime.now(UTC) - timedelta(days=30), after)
        if not isinstance(page, DisputePage):
            assert isinstance(page, Unknown)
            return None
        words += page.words
        after = page.next
        if not after:
            return words


async def names(shop: Shop) -> list[PhaseName]:
    return [each.name for each in await listed(shop) or ()]


async def standing(shop: Shop, name: PhaseName) -> tuple[Standing, int]:
    word = await shop.connector.inquire_dispute(name)
    assert isinstance(word, DisputeWord), word
    return word.standing, word.taken_paise
