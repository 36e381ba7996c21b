"""What tells, in a test's books, of a merchant that the test made or changed: the audit demands an entry."""

from datetime import UTC, datetime

from hundi.infra.secrets.vault import Vault
from hundi.staff.trail.actions import at_command_line, told

BY = at_command_line("test", Vault({"k1": bytes(32)}))
"""Who acts in tests, with the keys of their vaults."""
TOLD = told(BY, "merchant.change", datetime(2026, 11, 20, tzinfo=UTC))
"""Written beside an act on a merchant."""
