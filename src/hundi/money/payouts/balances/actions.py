"""The actions of balances: read them, and let payouts go that waited for one."""

from collections import defaultdict
from datetime import datetime

import structlog

from hundi.acquirers.port.payouts import PayoutBalance, TellsBalance
from hundi.acquirers.registry import Registry
from hundi.infra.postgres.database import Database
from hundi.money.payouts.balances import store
from hundi.money.payouts.balances.rules import ProviderBalance

WOKEN_MAX = 5_000
"""Payouts that one reading lets go; the others look again by themselves."""
_log = structlog.get_logger(__name__)


async def read(db: Database, connectors: Registry, now: datetime) -> list[ProviderBalance]:
    """Ask every provider for its balance, keep what it says, and wake the payouts it covers.

    A provider that does not answer keeps its last balance, which decides nothing once it is old.
    The balance of an account that is gone, or that takes no new payout, is dropped: nobody can fill
    it or make it tell.
    """
    balances: list[ProviderBalance] = []
    serving = [member.connector for member in connectors.members if member.takes_new]
    await store.keep(db, [one.name for one in serving if isinstance(one, TellsBalance)])
    for connector in serving:
        if not isinstance(connector, TellsBalance):
            continue
        answer = await connector.payout_balance()
        if not isinstance(answer, PayoutBalance):
            _log.warning("payout_balance_not_told", connector=connector.name, code=answer.code)
            continue
        counted_at = min(answer.at, now)
        balances.append(
            await store.write(db, connector.name, answer.available.paise, counted_at, now)
        )
    if balances:
        await _wake(db, max(balance.left_paise for balance in balances), now)
    return balances


async def _wake(db: Database, left_paise: int, now: datetime) -> None:
    """Make the oldest payouts due that a balance covers."""
    covered: dict[int, list[int]] = defaultdict(list)
    for merchant_id, payout_id, paise in await store.awaiting(db, WOKEN_MAX):
        left_paise -= paise
        if left_paise < 0:
            break
        covered[merchant_id].append(payout_id)
    for merchant_id, payout_ids in covered.items():
        await store.wake(db, merchant_id, payout_ids, now)
