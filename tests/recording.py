"""Entries about merchants that tests made or changed: the audit demands them."""

from datetime import UTC, datetime

from hundi.infra.postgres.database import Database
from hundi.infra.secrets.vault import Vault
from hundi.merchants.directory.actions import MerchantChange
from hundi.staff.trail.actions import at_command_line, recording_merchant

BY = at_command_line("test", Vault({"k1": bytes(32)}))
"""Who acts in tests, with the keys of their vaults."""
RECORDED = recording_merchant(BY, "merchant.change", datetime(2026, 11, 20, tzinfo=UTC))
"""Written beside an act on a merchant."""


_KNOWN = """
SELECT substring(detail FROM '"merchant_sha256":"([0-9a-f]*)"') FROM trail_entries
WHERE merchant_id = $1 AND position('"merchant_sha256":' IN detail) > 0 ORDER BY entry_no DESC LIMIT 1
"""


async def record_merchant(db: Database, merchant_id: int) -> None:
    """Record a merchant that SQL made."""
    known = await db.fetchval(_KNOWN, merchant_id)
    async with db.transaction() as conn:
        await RECORDED(conn, MerchantChange(merchant_id, known or ""))
