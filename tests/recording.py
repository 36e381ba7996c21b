"""Entries about merchants and linked accounts that tests made or changed.

The audit demands them.
"""

from datetime import UTC, datetime

from hundi.infra.postgres.database import Beside, Connection, Database
from hundi.infra.secrets.vault import Vault
from hundi.merchants.directory.actions import MerchantChange
from hundi.money.bank_accounts.papers.actions import ADDED, Recording
from hundi.payments.splits import actions as splits
from hundi.staff.trail.actions import at_command_line, newest_told, record, recording_merchant
from hundi.staff.trail.rules import RowKind

BY = at_command_line("test", Vault({"k1": bytes(32)}))
"""Who acts in tests, with the keys of their vaults."""
_AT = datetime(2026, 11, 20, tzinfo=UTC)
RECORDED = recording_merchant(BY, "merchant.change", _AT)
"""Written beside an act on a merchant."""


async def record_act(conn: Connection, number: int) -> None:
    """Record an act of which a test needs no more than its entry."""
    await record(conn, 0, BY, "test.act", number, _AT)


async def record_merchant(db: Database, merchant_id: int) -> None:
    """Record a merchant that SQL made."""
    async with db.transaction() as conn:
        kinds = RowKind.MERCHANT, RowKind.KEYS
        known = {each: await newest_told(conn, BY.vault, merchant_id, each, None) for each in kinds}
        await RECORDED(
            conn,
            MerchantChange(merchant_id, {each: digest or "" for each, digest in known.items()}),
        )


async def record_linked(db: Database, merchant_id: int, identifier: str) -> None:
    """Record a linked account that SQL made."""
    async with db.transaction() as conn:
        await splits.record_account(conn, BY, "link", merchant_id, identifier, "", _AT)


def paper_recording(merchant_id: int, now: datetime) -> Recording:
    """Return what writes the entry about a paper that a test adds."""

    def recording(**detail: object) -> Beside:
        async def write(conn: Connection, paper_id: int) -> None:
            await record(conn, merchant_id, BY, ADDED, paper_id, now, **detail)

        return write

    return recording
