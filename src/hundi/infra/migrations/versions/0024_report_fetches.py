"""Add when the settlement reports of each acquirer are fetched next, and how that went."""

from hundi.infra.migrations import run_sql_beside

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
