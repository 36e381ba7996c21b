"""Shares that are to be paid out, in a table of their own."""

from hundi.infra.migrations import run_sql_beside

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
