"""The memory of connectors in the gateway's database: see `hundi.acquirers.port.memory.Memory`."""

from collections.abc import Mapping

from hundi.acquirers.port.probes import NOBODYS
from hundi.infra.postgres.database import Database
from hundi.kernel.ids import (
    parse_check_reference,
    parse_notice_reference,
    parse_payout_reference,
    parse_reference,
    parse_refund_reference,
)
from hundi.payments.acquirer_words import store


class KeptWords:
    """What connectors remember, in all processes and for ever."""

    def __init__(self, db: Database) -> None:
        """Keep the database."""
        self._db = db

    async def keep(self, reference: str, words: Mapping[str, str]) -> Mapping[str, str]:
        """Keep words that are not there yet, and return all. Raises ValueError: no reference."""
        async with self._db.transaction() as conn:
            await store.insert(conn, _owner_of(reference), reference, words)
        return await self.known(reference)

    async def known(self, reference: str) -> Mapping[str, str]:
        """Return what is kept about a reference. Raises ValueError: no reference."""
        if reference.startswith(NOBODYS) and _parsed(reference) is None:
            return {}
        return await store.select(self._db, _owner_of(reference), reference)

    async def take(self, series: str, count: int) -> int:
        """Reserve consecutive numbers of a series, and return the first."""
        return await store.take(self._db, series, count)


def _owner_of(reference: str) -> int:
    """Return the merchant of a reference, 0 where the operator tries the account itself."""
    parsed = _parsed(reference)
    if parsed is None:
        message = (
            "acquirers' words are kept about references of attempts, refunds, notices, payouts"
            " and checks"
        )
        raise ValueError(message)
    return parsed[0]


def _parsed(reference: str) -> tuple[int, int] | None:
    return (
        parse_reference(reference)
        or parse_refund_reference(reference)
        or parse_notice_reference(reference)
        or parse_payout_reference(reference)
        or parse_check_reference(reference)
    )
