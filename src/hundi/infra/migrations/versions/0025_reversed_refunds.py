"""Add refunds that came back after they were done."""

from hundi.infra.migrations import run_sql_beside

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
