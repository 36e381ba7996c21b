"""Writing the steps of a payment as functions: one call each, on one merchant."""

from hundi.infra.migrations import run_sql_beside

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
