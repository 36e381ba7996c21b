"""Tell a merchant that was moved to another node and back from one that never left."""

from hundi.infra.migrations import run_sql_beside

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    """Run the SQL file of the same name."""
    run_sql_beside(__file__)
