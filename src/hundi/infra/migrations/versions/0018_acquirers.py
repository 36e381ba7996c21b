"""Keep the acquirers' own names of things, and allow the attempts that aggregators have."""

from hundi.infra.migrations import run_sql_beside

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
