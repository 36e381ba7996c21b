"""Keep accounts at acquirers, with their secrets sealed."""

from hundi.infra.migrations import run_sql_beside

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
