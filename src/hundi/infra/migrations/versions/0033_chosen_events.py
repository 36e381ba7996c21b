"""Let a merchant choose its events one by one; what it does not hear of is kept as unwanted."""

from hundi.infra.migrations import run_sql_beside

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
